package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** The prepare of a streamed transaction. The flags byte before the fields is unused. */
public record StreamPrepare(long prepareLsn, long endLsn, long prepareTime, int xid, String gid)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.STREAM_PREPARE.code()).putByte(0);
    out.putLong(prepareLsn).putLong(endLsn).putLong(prepareTime).putInt(xid).putCString(gid);
  }

  static StreamPrepare read(ByteCursor in) {
    in.readFlags("flags", 0);
    long prepareLsn = in.readLsn("prepare_lsn");
    long endLsn = in.readLsn("end_lsn");
    long prepareTime = in.readLong("prepare_time");
    int xid = in.readXid("xid");
    String gid = in.readCString("gid");
    return new StreamPrepare(prepareLsn, endLsn, prepareTime, xid, gid);
  }

  @Override
  public MessageType type() {
    return MessageType.STREAM_PREPARE;
  }
}
