package dev.millrace.replication;

import dev.millrace.model.ByteBuilder;
import java.util.Arrays;

/**
 * Puts CopyData messages one after the other into what becomes one WebSocket message. Its owner
 * sends it when {@link #isFull}, or when there is nothing more to add for now. One thread.
 */
public final class CopyDataWriter {

  static final byte COPY_DATA = 'd';
  static final byte COPY_DONE = 'c';

  /** From this size on a WebSocket message is sent rather than filled further (bytes). */
  public static final int FULL_SIZE = 32 * 1024;

  private static final int INITIAL_SIZE = FULL_SIZE + 8 * 1024;

  private ByteBuilder out = new ByteBuilder(INITIAL_SIZE);
  private int messageStart = -1;

  /** Begins a CopyData message and returns the builder that takes its payload. */
  public ByteBuilder begin() {
    messageStart = out.size();
    return out.putByte(COPY_DATA).putInt(0);
  }

  /** Begins a CopyData message with the header of XLogData; the pgoutput message follows. */
  public ByteBuilder beginXLogData(long lsn, long sendTime) {
    return begin().putByte(XLogData.TAG).putLong(lsn).putLong(lsn).putLong(sendTime);
  }

  /** Ends the message: its length is now known. */
  public void end() {
    out.setInt(messageStart + 1, out.size() - messageStart - 1);
    messageStart = -1;
  }

  /** Takes back what was written since {@link #begin}. */
  public void cancel() {
    out.truncate(messageStart);
    messageStart = -1;
  }

  /** Appends one CopyData message. */
  public void add(ReplicationFrame frame) {
    frame.write(begin());
    end();
  }

  public void addCopyDone() {
    out.putByte(COPY_DONE).putInt(Integer.BYTES);
  }

  public boolean isFull() {
    return out.size() >= FULL_SIZE;
  }

  public boolean isEmpty() {
    return out.size() == 0;
  }

  public int size() {
    return out.size();
  }

  public byte[] array() {
    return out.array();
  }

  /** The messages so far as a WebSocket message of their own; the writer is empty afterwards. */
  public byte[] take() {
    byte[] message = Arrays.copyOf(out.array(), out.size());
    clear();
    return message;
  }

  /** Empties the writer; what a very large message made it grow to is given back. */
  public void clear() {
    if (out.array().length > 8 * INITIAL_SIZE) {
      out = new ByteBuilder(INITIAL_SIZE);
    } else {
      out.truncate(0);
    }
    messageStart = -1;
  }
}
