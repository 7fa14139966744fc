package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** The start of a transaction that ends with Prepare. */
public record BeginPrepare(long prepareLsn, long endLsn, long prepareTime, int xid, String gid)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.BEGIN_PREPARE.code());
    out.putLong(prepareLsn).putLong(endLsn).putLong(prepareTime).putInt(xid).putCString(gid);
  }

  static BeginPrepare read(ByteCursor in) {
    long prepareLsn = in.readLsn("prepare_lsn");
    long endLsn = in.readLsn("end_lsn");
    long prepareTime = in.readLong("prepare_time");
    int xid = in.readXid("xid");
    String gid = in.readCString("gid");
    return new BeginPrepare(prepareLsn, endLsn, prepareTime, xid, gid);
  }

  @Override
  public MessageType type() {
    return MessageType.BEGIN_PREPARE;
  }
}
