package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * The end of a transaction that Begin Prepare started. The flags byte before the fields is unused.
 */
public record Prepare(long prepareLsn, long endLsn, long prepareTime, int xid, String gid)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.PREPARE.code()).putByte(0);
    out.putLong(prepareLsn).putLong(endLsn).putLong(prepareTime).putInt(xid).putCString(gid);
  }

  static Prepare read(ByteCursor in) {
    in.readFlags("flags", 0);
    long prepareLsn = in.readLsn("prepare_lsn");
    long endLsn = in.readLsn("end_lsn");
    long prepareTime = in.readLong("prepare_time");
    int xid = in.readXid("xid");
    String gid = in.readCString("gid");
    return new Prepare(prepareLsn, endLsn, prepareTime, xid, gid);
  }

  @Override
  public MessageType type() {
    return MessageType.PREPARE;
  }
}
