package dev.millrace.publisher.decoding;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/** Walks over tuples in the layout of WalFormat. */
public final class Tuples {

  /** Bytes before the first column: the number of columns. */
  public static final int FIRST_COLUMN = 2;

  private Tuples() {}

  public static int columns(byte[] buffer, int offset) {
    return (buffer[offset] & 0xFF) << 8 | buffer[offset + 1] & 0xFF;
  }

  /** The offset behind the tuple at {@code offset}. */
  public static int end(byte[] buffer, int offset) {
    int at = offset + FIRST_COLUMN;
    for (int left = columns(buffer, offset); left > 0; left--) {
      at = columnEnd(buffer, at);
    }
    return at;
  }

  /** The offset behind the column whose kind byte is at {@code offset}. */
  public static int columnEnd(byte[] buffer, int offset) {
    switch (buffer[offset]) {
      case 'n', 'u':
        return offset + 1;
      case 't':
        return offset + 5 + valueLength(buffer, offset);
      default:
        throw new PgException(
            SqlState.DATA_CORRUPTED, "unknown column kind " + buffer[offset] + " in a log record");
    }
  }

  /** The length of the value whose kind byte {@code 't'} is at {@code offset}. */
  public static int valueLength(byte[] buffer, int offset) {
    int length = ChangeEntry.getInt(buffer, offset + 1);
    if (length < 0 || length > buffer.length - offset - 5) {
      throw new PgException(
          SqlState.DATA_CORRUPTED, "impossible value length " + length + " in a log record");
    }
    return length;
  }
}
