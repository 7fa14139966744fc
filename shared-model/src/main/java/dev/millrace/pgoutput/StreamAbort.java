package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * The abort of a streamed transaction, or of a subtransaction of it.
 *
 * @param subxid equal to xid when the whole transaction aborted
 * @param abortLsn 0 unless streaming is parallel, as is abortTime
 */
public record StreamAbort(int xid, int subxid, long abortLsn, long abortTime)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.STREAM_ABORT.code()).putInt(xid).putInt(subxid);
    if (abortLsn != 0) {
      out.putLong(abortLsn).putLong(abortTime);
    }
  }

  static StreamAbort read(ByteCursor in, boolean parallelStreaming) {
    int xid = in.readXid("xid");
    int subxid = in.readXid("subxid");
    if (!parallelStreaming) {
      return new StreamAbort(xid, subxid, 0, 0);
    }
    long abortLsn = in.readLsn("abort_lsn");
    long abortTime = in.readLong("abort_time");
    return new StreamAbort(xid, subxid, abortLsn, abortTime);
  }

  @Override
  public MessageType type() {
    return MessageType.STREAM_ABORT;
  }
}
