package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * The end of a transaction that Begin started. The flags byte before the fields is unused.
 *
 * @param commitLsn first byte of the commit record
 * @param endLsn position after the commit record: what is confirmed and stored
 */
public record Commit(long commitLsn, long endLsn, long commitTime) implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.COMMIT.code()).putByte(0);
    out.putLong(commitLsn).putLong(endLsn).putLong(commitTime);
  }

  static Commit read(ByteCursor in) {
    in.readFlags("flags", 0);
    long commitLsn = in.readLsn("commit_lsn");
    long endLsn = in.readLsn("end_lsn");
    long commitTime = in.readLong("commit_time");
    return new Commit(commitLsn, endLsn, commitTime);
  }

  @Override
  public MessageType type() {
    return MessageType.COMMIT;
  }
}
