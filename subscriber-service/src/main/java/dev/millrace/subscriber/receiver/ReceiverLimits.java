package dev.millrace.subscriber.receiver;

import dev.millrace.settings.Settings;

/**
 * What bounds a connection.
 *
 * @param queueBytes received and not yet applied bytes above which the socket is not read
 * @param maxMessageBytes the largest WebSocket message taken (replication_max_message_size)
 * @param receiverTimeoutMs wal_receiver_timeout, 0 = none
 */
public record ReceiverLimits(long queueBytes, long maxMessageBytes, long receiverTimeoutMs) {

  /** The values in force. */
  public static ReceiverLimits of(Settings settings) {
    return new ReceiverLimits(
        settings.getBytes("receiver_queue_size"),
        settings.getBytes("replication_max_message_size"),
        settings.getMillis("wal_receiver_timeout"));
  }
}
