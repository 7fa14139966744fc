package dev.millrace.replication;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * 'k', from the walsender: everything before {@code endLsn} has been dealt with.
 *
 * @param replyRequested whether the receiver must answer at once
 */
public record PrimaryKeepalive(long endLsn, long sendTime, boolean replyRequested)
    implements ReplicationFrame {

  public static final byte TAG = 'k';
  public static final int SIZE = 18;

  @Override
  public void write(ByteBuilder out) {
    out.putByte(TAG).putLong(endLsn).putLong(sendTime).putByte(replyRequested ? 1 : 0);
  }

  /** Reads the fields after the tag. */
  static PrimaryKeepalive read(ByteCursor in) {
    long endLsn = in.readLong("end_lsn");
    long sendTime = in.readLong("send_time");
    boolean replyRequested = in.readFlags("reply_requested", 1) == 1;
    in.expectEnd();
    return new PrimaryKeepalive(endLsn, sendTime, replyRequested);
  }
}
