package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * Where the transaction came from before it reached the publisher; follows Begin.
 *
 * @param originLsn its commit there, 0 in streamed transactions
 */
public record Origin(long originLsn, String name) implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    out.putByte(MessageType.ORIGIN.code()).putLong(originLsn).putCString(name);
  }

  static Origin read(ByteCursor in) {
    long originLsn = in.readLong("origin_lsn");
    String name = in.readCString("name");
    return new Origin(originLsn, name);
  }

  @Override
  public MessageType type() {
    return MessageType.ORIGIN;
  }
}
