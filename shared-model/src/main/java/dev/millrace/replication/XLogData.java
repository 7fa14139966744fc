package dev.millrace.replication;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * The header of a piece of the stream; what follows it is one pgoutput message.
 *
 * <pre>
 * offset size
 *      0    1  'w'
 *      1    8  LSN of the message
 *      9    8  the same LSN again (PostgreSQL's end of WAL, which logical slots fill so)
 *     17    8  time it was sent, microseconds since 2000-01-01 UTC
 *     25    .  the message
 * </pre>
 */
public record XLogData(long startLsn, long endLsn, long sendTime) implements ReplicationFrame {

  public static final byte TAG = 'w';
  public static final int HEADER_SIZE = 25;

  @Override
  public void write(ByteBuilder out) {
    out.putByte(TAG).putLong(startLsn).putLong(endLsn).putLong(sendTime);
  }

  /** Reads the fields after the tag; the message follows at {@code in.position()}. */
  static XLogData read(ByteCursor in) {
    long startLsn = in.readLong("start_lsn");
    long endLsn = in.readLong("end_lsn");
    long sendTime = in.readLong("send_time");
    return new XLogData(startLsn, endLsn, sendTime);
  }
}
