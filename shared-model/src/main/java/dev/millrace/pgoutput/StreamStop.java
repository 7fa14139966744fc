package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;

/** Ends the block that Stream Start began. */
public record StreamStop() implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.STREAM_STOP.code());
  }

  @Override
  public MessageType type() {
    return MessageType.STREAM_STOP;
  }
}
