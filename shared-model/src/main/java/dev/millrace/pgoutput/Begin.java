package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * The start of a transaction that comes whole.
 *
 * @param finalLsn first byte of its commit record
 */
public record Begin(long finalLsn, long commitTime, int xid) implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.BEGIN.code()).putLong(finalLsn).putLong(commitTime).putInt(xid);
  }

  static Begin read(ByteCursor in) {
    long finalLsn = in.readLsn("final_lsn");
    long commitTime = in.readLong("commit_time");
    int xid = in.readXid("xid");
    return new Begin(finalLsn, commitTime, xid);
  }

  @Override
  public MessageType type() {
    return MessageType.BEGIN;
  }
}
