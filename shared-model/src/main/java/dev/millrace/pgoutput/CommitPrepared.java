package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** COMMIT PREPARED of a transaction sent before. The flags byte before the fields is unused. */
public record CommitPrepared(long commitLsn, long endLsn, long commitTime, int xid, String gid)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.COMMIT_PREPARED.code()).putByte(0);
    out.putLong(commitLsn).putLong(endLsn).putLong(commitTime).putInt(xid).putCString(gid);
  }

  static CommitPrepared read(ByteCursor in) {
    in.readFlags("flags", 0);
    long commitLsn = in.readLsn("commit_lsn");
    long endLsn = in.readLsn("end_lsn");
    long commitTime = in.readLong("commit_time");
    int xid = in.readXid("xid");
    String gid = in.readCString("gid");
    return new CommitPrepared(commitLsn, endLsn, commitTime, xid, gid);
  }

  @Override
  public MessageType type() {
    return MessageType.COMMIT_PREPARED;
  }
}
