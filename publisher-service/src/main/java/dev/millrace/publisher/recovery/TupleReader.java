package dev.millrace.publisher.recovery;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * Steps over the parts of a change record's body (see WalFormat). A flyweight: after {@link #open}
 * it stands on the columns of one tuple. One thread.
 */
final class TupleReader {

  static final byte NULL = 'n';
  static final byte UNCHANGED = 'u';
  private static final byte TEXT = 't';

  private byte[] buffer;
  private int[] offsets = new int[16];
  private int count;

  /** Reads the tuple at {@code offset}; returns the offset after it. */
  int open(byte[] bytes, int offset) {
    buffer = bytes;
    count = (bytes[offset] & 0xFF) << 8 | bytes[offset + 1] & 0xFF;
    if (offsets.length < count) {
      offsets = new int[count];
    }
    int at = offset + 2;
    for (int i = 0; i < count; i++) {
      offsets[i] = at;
      switch (bytes[at]) {
        case NULL, UNCHANGED -> at += 1;
        case TEXT -> at += 5 + getInt(bytes, at + 1);
        default ->
            throw new PgException(
                SqlState.DATA_CORRUPTED, "unknown column kind " + bytes[at] + " in a log record");
      }
    }
    return at;
  }

  int columns() {
    return count;
  }

  /** {@code n}, {@code u} or {@code t}. */
  byte kind(int column) {
    return buffer[offsets[column]];
  }

  /** Where the text of a column of kind {@code t} begins. */
  int textOffset(int column) {
    return offsets[column] + 5;
  }

  int textLength(int column) {
    return getInt(buffer, offsets[column] + 1);
  }

  byte[] buffer() {
    return buffer;
  }

  static int getInt(byte[] bytes, int offset) {
    return bytes[offset] << 24
        | (bytes[offset + 1] & 0xFF) << 16
        | (bytes[offset + 2] & 0xFF) << 8
        | bytes[offset + 3] & 0xFF;
  }

  static long getLong(byte[] bytes, int offset) {
    return (long) getInt(bytes, offset) << 32 | getInt(bytes, offset + 4) & 0xFFFFFFFFL;
  }
}
