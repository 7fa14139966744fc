package dev.millrace.replication;

import dev.millrace.model.ByteCursor;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * Walks over the CopyData and CopyDone messages of one WebSocket message. A flyweight: {@link
 * #wrap}, then {@link #next} until it returns false. One thread.
 *
 * <pre>
 * CopyData  'd', length 4 (itself included), payload
 * CopyDone  'c', length 4 = 4
 * </pre>
 */
public final class CopyDataReader {

  private static final int LENGTH_SIZE = 4;

  private final ByteCursor in = new ByteCursor();
  private boolean done;
  private int payloadOffset;
  private int payloadLength;

  public CopyDataReader wrap(byte[] buffer, int offset, int length) {
    in.wrap("copy", buffer, offset, length);
    done = false;
    return this;
  }

  /**
   * Moves to the next message.
   *
   * @return false behind the last one
   * @throws PgException 08P01 for an unknown type or a length that does not fit
   */
  public boolean next() {
    if (in.remaining() == 0) {
      return false;
    }
    int tag = in.readByte("type");
    if (tag != CopyDataWriter.COPY_DATA && tag != CopyDataWriter.COPY_DONE) {
      throw new PgException(
          SqlState.PROTOCOL_VIOLATION,
          "unexpected message type " + ByteCursor.describe(tag) + " while copying");
    }
    int length = in.readInt("length");
    done = tag == CopyDataWriter.COPY_DONE;
    boolean fits = length >= LENGTH_SIZE && length - LENGTH_SIZE <= in.remaining();
    if (!fits || done && length != LENGTH_SIZE) {
      String expected =
          done ? "4" : "4 to " + ((long) LENGTH_SIZE + in.remaining()) + " in this frame";
      throw in.violation("length", expected, Integer.toUnsignedString(length));
    }
    payloadOffset = in.position();
    payloadLength = length - LENGTH_SIZE;
    in.skip("payload", payloadLength);
    return true;
  }

  /** Whether the message is CopyDone. */
  public boolean isCopyDone() {
    return done;
  }

  public int payloadOffset() {
    return payloadOffset;
  }

  public int payloadLength() {
    return payloadLength;
  }
}
