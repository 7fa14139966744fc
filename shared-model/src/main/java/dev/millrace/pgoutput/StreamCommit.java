package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** The commit of a streamed transaction. The flags byte after the xid is unused. */
public record StreamCommit(int xid, long commitLsn, long endLsn, long commitTime)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.STREAM_COMMIT.code()).putInt(xid).putByte(0);
    out.putLong(commitLsn).putLong(endLsn).putLong(commitTime);
  }

  static StreamCommit read(ByteCursor in) {
    int xid = in.readXid("xid");
    in.readFlags("flags", 0);
    long commitLsn = in.readLsn("commit_lsn");
    long endLsn = in.readLsn("end_lsn");
    long commitTime = in.readLong("commit_time");
    return new StreamCommit(xid, commitLsn, endLsn, commitTime);
  }

  @Override
  public MessageType type() {
    return MessageType.STREAM_COMMIT;
  }
}
