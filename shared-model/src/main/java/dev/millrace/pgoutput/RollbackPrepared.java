package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** ROLLBACK PREPARED of a transaction sent before. The flags byte before the fields is unused. */
public record RollbackPrepared(
    long prepareEndLsn,
    long rollbackEndLsn,
    long prepareTime,
    long rollbackTime,
    int xid,
    String gid)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.ROLLBACK_PREPARED.code()).putByte(0);
    out.putLong(prepareEndLsn).putLong(rollbackEndLsn);
    out.putLong(prepareTime).putLong(rollbackTime).putInt(xid).putCString(gid);
  }

  static RollbackPrepared read(ByteCursor in) {
    in.readFlags("flags", 0);
    long prepareEndLsn = in.readLsn("prepare_end_lsn");
    long rollbackEndLsn = in.readLsn("rollback_end_lsn");
    long prepareTime = in.readLong("prepare_time");
    long rollbackTime = in.readLong("rollback_time");
    int xid = in.readXid("xid");
    String gid = in.readCString("gid");
    return new RollbackPrepared(prepareEndLsn, rollbackEndLsn, prepareTime, rollbackTime, xid, gid);
  }

  @Override
  public MessageType type() {
    return MessageType.ROLLBACK_PREPARED;
  }
}
