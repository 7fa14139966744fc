package dev.millrace.publisher.wal;

import dev.millrace.model.ByteBuilder;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The body of a COMMIT_PREPARED or ROLLBACK_PREPARED record. It repeats what its PREPARE record
 * said, so that the end of a transaction can be told by a reader that has not seen the beginning.
 *
 * <pre>
 * time 8, origin LSN 8, count 4, subxids 4 each, end LSN of the PREPARE record 8, prepare time 8, gid
 * (the gid is UTF-8 with a length of 2 before it)
 * </pre>
 *
 * @param time of the commit or rollback, microseconds since 2000-01-01 UTC
 * @param prepareEndLsn the position after the PREPARE record
 */
public record FinishPreparedRecord(
    long time,
    long originLsn,
    List<Integer> subxids,
    long prepareEndLsn,
    long prepareTime,
    String gid) {

  /** Appends the body. */
  public void encode(ByteBuilder out) {
    out.putLong(time).putLong(originLsn).putInt(subxids.size());
    subxids.forEach(out::putInt);
    out.putLong(prepareEndLsn).putLong(prepareTime).putName(gid);
  }

  /** Reads the body at {@code offset}. */
  public static FinishPreparedRecord decode(byte[] buffer, int offset, int length) {
    ByteBuffer in = ByteBuffer.wrap(buffer, offset, length);
    long time = in.getLong();
    long originLsn = in.getLong();
    List<Integer> subxids = PrepareRecord.subxids(in);
    long prepareEndLsn = in.getLong();
    long prepareTime = in.getLong();
    return new FinishPreparedRecord(
        time, originLsn, subxids, prepareEndLsn, prepareTime, PrepareRecord.name(in));
  }
}
