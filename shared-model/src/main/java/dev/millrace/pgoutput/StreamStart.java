package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * Begins a block of an open transaction's changes.
 *
 * @param firstSegment whether nothing of the transaction was sent before
 */
public record StreamStart(int xid, boolean firstSegment) implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.STREAM_START.code()).putInt(xid).putByte(firstSegment ? 1 : 0);
  }

  static StreamStart read(ByteCursor in) {
    int xid = in.readXid("xid");
    boolean firstSegment = in.readFlags("first_segment", 1) == 1;
    return new StreamStart(xid, firstSegment);
  }

  @Override
  public MessageType type() {
    return MessageType.STREAM_START;
  }
}
