package dev.millrace.replication;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * 'r', from the receiver: how far it has received, made durable and applied the stream, each as the
 * position after the last byte.
 *
 * @param replyRequested whether the walsender must answer at once
 */
public record StandbyStatusUpdate(
    long writeLsn, long flushLsn, long applyLsn, long sendTime, boolean replyRequested)
    implements ReplicationFrame {

  public static final byte TAG = 'r';
  public static final int SIZE = 34;

  @Override
  public void write(ByteBuilder out) {
    out.putByte(TAG).putLong(writeLsn).putLong(flushLsn).putLong(applyLsn);
    out.putLong(sendTime).putByte(replyRequested ? 1 : 0);
  }

  /** Reads the fields after the tag. */
  static StandbyStatusUpdate read(ByteCursor in) {
    long writeLsn = in.readLong("write_lsn");
    long flushLsn = in.readLong("flush_lsn");
    long applyLsn = in.readLong("apply_lsn");
    long sendTime = in.readLong("send_time");
    boolean replyRequested = in.readFlags("reply_requested", 1) == 1;
    in.expectEnd();
    return new StandbyStatusUpdate(writeLsn, flushLsn, applyLsn, sendTime, replyRequested);
  }
}
