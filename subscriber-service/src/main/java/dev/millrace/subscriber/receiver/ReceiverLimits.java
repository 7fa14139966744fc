package dev.millrace.subscriber.receiver;

import dev.millrace.settings.Settings;

/**
 * What bounds a connection.
 *
 * @param queueBytes received and not yet applied bytes above which the socket is not read
 * @param maxMessageBytes the largest WebSocket message taken: replication_max_message_size, or a
 *     sixteenth of the heap if that is less, since H2 holds a row several times over while it
 *     writes it, and gives its file up when memory runs out
 * @param receiverTimeoutMs wal_receiver_timeout, 0 = none
 */
public record ReceiverLimits(long queueBytes, long maxMessageBytes, long receiverTimeoutMs) {

  private static final int MAX_MESSAGES_IN_HEAP = 16;

  /** The values in force. */
  public static ReceiverLimits of(Settings settings) {
    return new ReceiverLimits(
        settings.getBytes("receiver_queue_size"),
        Math.min(
            settings.getBytes("replication_max_message_size"),
            Runtime.getRuntime().maxMemory() / MAX_MESSAGES_IN_HEAP),
        settings.getMillis("wal_receiver_timeout"));
  }
}
