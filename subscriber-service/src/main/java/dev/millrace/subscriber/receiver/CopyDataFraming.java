package dev.millrace.subscriber.receiver;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * Splits a WebSocket message into CopyData messages and checks that they fill it exactly.
 *
 * <pre>
 * CopyData  Byte1('d') Int32(length including itself) payload
 * CopyDone  Byte1('c') Int32(4)                               only as the last one
 * </pre>
 */
final class CopyDataFraming {

  static final int HEADER_SIZE = 5;
  private static final int KEEPALIVE_SIZE = 18;

  private CopyDataFraming() {}

  /**
   * @throws PgException 08P01 naming what is wrong
   */
  static PublisherConnection.Frame frame(byte[] buffer, int length) {
    int at = 0;
    while (at < length) {
      if (length - at < HEADER_SIZE) {
        throw violation("CopyData message is cut off after " + (length - at) + " bytes");
      }
      int type = buffer[at];
      int messageLength = intAt(buffer, at + 1);
      if (type == 'c') {
        if (messageLength != 4 || at + HEADER_SIZE != length) {
          throw violation("CopyDone of length " + messageLength + " does not end its frame");
        }
        return new PublisherConnection.Frame(buffer, 0, at, true);
      }
      if (type != 'd') {
        throw violation("unknown CopyData message type 0x" + Integer.toHexString(type & 0xFF));
      }
      if (messageLength < 4 || messageLength > length - at - 1) {
        throw violation(
            "CopyData message claims "
                + Integer.toUnsignedString(messageLength)
                + " bytes where "
                + (length - at - 1)
                + " are left");
      }
      at += 1 + messageLength;
    }
    return new PublisherConnection.Frame(buffer, 0, length, false);
  }

  /** Whether the frame's last message is a keepalive that asks for a reply. */
  static boolean asksForReply(PublisherConnection.Frame frame) {
    int at = frame.limit() - KEEPALIVE_SIZE;
    return at >= HEADER_SIZE
        && frame.buffer()[at] == 'k'
        && frame.buffer()[frame.limit() - 1] == 1
        && frame.buffer()[at - HEADER_SIZE] == 'd'
        && intAt(frame.buffer(), at - 4) == KEEPALIVE_SIZE + 4;
  }

  private static int intAt(byte[] buffer, int at) {
    return (buffer[at] & 0xFF) << 24
        | (buffer[at + 1] & 0xFF) << 16
        | (buffer[at + 2] & 0xFF) << 8
        | (buffer[at + 3] & 0xFF);
  }

  static PgException violation(String message) {
    return new PgException(SqlState.PROTOCOL_VIOLATION, message);
  }
}
