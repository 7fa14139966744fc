package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;
import java.util.Arrays;

/**
 * What pg_logical_emit_message wrote.
 *
 * @param lsn position after its log record
 */
public record LogicalMessage(
    int streamXid, boolean transactional, long lsn, String prefix, byte[] content)
    implements PgOutputMessage {

  private static final int TRANSACTIONAL = 1;

  @Override
  public void write(ByteBuilder out) {
    PgOutputMessage.begin(out, MessageType.MESSAGE, streamXid);
    out.putByte(transactional ? TRANSACTIONAL : 0).putLong(lsn).putCString(prefix);
    out.putInt(content.length).putBytes(content, 0, content.length);
  }

  static LogicalMessage read(ByteCursor in, int streamXid) {
    int flags = in.readFlags("flags", TRANSACTIONAL);
    long lsn = in.readLsn("lsn");
    String prefix = in.readCString("prefix");
    int length = in.readCount("length", 1);
    byte[] content = in.readBytes("content", length);
    return new LogicalMessage(streamXid, flags == TRANSACTIONAL, lsn, prefix, content);
  }

  @Override
  public MessageType type() {
    return MessageType.MESSAGE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LogicalMessage that
        && streamXid == that.streamXid
        && transactional == that.transactional
        && lsn == that.lsn
        && prefix.equals(that.prefix)
        && Arrays.equals(content, that.content);
  }

  @Override
  public int hashCode() {
    return 31 * prefix.hashCode() + Arrays.hashCode(content);
  }
}
