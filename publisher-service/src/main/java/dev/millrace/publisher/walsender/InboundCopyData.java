package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.replication.HotStandbyFeedback;
import dev.millrace.replication.ReplicationFrame;
import dev.millrace.replication.StandbyStatusUpdate;
import java.nio.ByteBuffer;

/**
 * Reads what the peer may send while copying, in parts as the transport delivers them: CopyData
 * with a status update or hot standby feedback, and CopyDone.
 *
 * <p>Every message it knows is small, so a lying length is found as soon as it is read and nothing
 * is kept for it. One WebSocket message holds whole CopyData messages; {@link #endOfMessage} checks
 * that.
 */
final class InboundCopyData {

  /** Takes what was read. */
  interface Receiver {
    void statusUpdate(StandbyStatusUpdate update);

    void copyDone();
  }

  /** The framing is broken; the conversation cannot go on. */
  static final class FramingException extends Exception {
    FramingException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private static final int HEADER = 5;
  private static final int LONGEST = HEADER + StandbyStatusUpdate.SIZE;

  private final Receiver receiver;
  private final ByteBuffer pending = ByteBuffer.allocate(LONGEST);

  InboundCopyData(Receiver receiver) {
    this.receiver = receiver;
  }

  void part(ByteBuffer bytes) throws FramingException {
    while (bytes.hasRemaining()) {
      pending.put(bytes.get());
      if (pending.position() >= HEADER && pending.position() == 1 + length()) {
        dispatch();
        pending.clear();
      }
    }
  }

  void endOfMessage() throws FramingException {
    if (pending.position() != 0) {
      throw new FramingException("message ends within a CopyData message", null);
    }
  }

  /** The length in the pending header, which counts itself; checked against what can follow. */
  private int length() throws FramingException {
    byte type = pending.get(0);
    int length = pending.getInt(1);
    if (type != 'd' && type != 'c') {
      throw new FramingException("unknown CopyData message type " + (type & 0xFF), null);
    }
    int longest = type == 'd' ? LONGEST - 1 : HEADER - 1;
    if (length < HEADER - 1 || length > longest) {
      throw new FramingException("bad length " + Integer.toUnsignedString(length), null);
    }
    return length;
  }

  private void dispatch() throws FramingException {
    if (pending.get(0) == 'c') {
      receiver.copyDone();
      return;
    }
    ReplicationFrame frame;
    try {
      frame = ReplicationFrame.read(pending.array(), HEADER, pending.position() - HEADER);
    } catch (PgException e) {
      throw new FramingException(e.getMessage(), e);
    }
    if (frame instanceof StandbyStatusUpdate update) {
      receiver.statusUpdate(update);
    } else if (!(frame instanceof HotStandbyFeedback)) {
      throw new FramingException("message type that only a publisher sends", null);
    }
    // Hot standby feedback moves the xmin of a physical slot only; for a logical one it means
    // nothing.
  }
}
