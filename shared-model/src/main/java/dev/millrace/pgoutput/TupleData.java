package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A row as the protocol carries it: a view of the message's bytes, checked once when it is read.
 * Values are byte ranges; no object is made for them. It stays valid as long as nobody writes to
 * the buffer below it.
 *
 * <pre>
 * number of columns 2, then per column a kind byte:
 *   n  NULL
 *   u  unchanged large value, not sent
 *   t  length 4, PostgreSQL's text form
 *   b  length 4, PostgreSQL's binary form
 * </pre>
 */
public final class TupleData {

  private static final int NULL_VALUE = -1;
  private static final int UNCHANGED_VALUE = -2;
  private static final int LENGTH_SIZE = 4;

  private final byte[] buffer;
  private final int offset;
  private final int length;

  /** Start of each value, or one of the negative constants. */
  private final int[] starts;

  private TupleData(byte[] buffer, int offset, int length, int[] starts) {
    this.buffer = buffer;
    this.offset = offset;
    this.length = length;
    this.starts = starts;
  }

  /** Reads a tuple, as the field of that name of the cursor's message. */
  public static TupleData read(ByteCursor in, String field) {
    int offset = in.position();
    int columns = in.readShort(field);
    if (columns > in.remaining()) {
      throw in.violation(field, "at most " + in.remaining() + " columns", columns + " columns");
    }
    int[] starts = new int[columns];
    for (int i = 0; i < columns; i++) {
      starts[i] = readColumn(in, field);
    }
    return new TupleData(in.buffer(), offset, in.position() - offset, starts);
  }

  private static int readColumn(ByteCursor in, String field) {
    int kind = in.readByte(field);
    switch (kind) {
      case 'n':
        return NULL_VALUE;
      case 'u':
        return UNCHANGED_VALUE;
      case 't', 'b':
        int valueLength = in.readCount(field, 1);
        int start = in.position();
        in.skip(field, valueLength);
        return start;
      default:
        throw in.violation(field, "a column kind of n, u, t, b", ByteCursor.describe(kind));
    }
  }

  /** Appends the tuple as it was read. */
  public void write(ByteBuilder out) {
    out.putBytes(buffer, offset, length);
  }

  public int columns() {
    return starts.length;
  }

  public boolean isNull(int column) {
    return starts[column] == NULL_VALUE;
  }

  /** Whether the column holds a large value that was not changed and not sent. */
  public boolean isUnchanged(int column) {
    return starts[column] == UNCHANGED_VALUE;
  }

  public boolean hasValue(int column) {
    return starts[column] >= 0;
  }

  /** The kind byte: n, u, t or b. */
  public char kind(int column) {
    int start = starts[column];
    if (start >= 0) {
      return (char) buffer[start - LENGTH_SIZE - 1];
    }
    return start == NULL_VALUE ? 'n' : 'u';
  }

  /** The array that holds the values at {@link #valueOffset} with {@link #valueLength}. */
  public byte[] buffer() {
    return buffer;
  }

  public int valueOffset(int column) {
    return starts[column];
  }

  public int valueLength(int column) {
    int at = starts[column] - LENGTH_SIZE;
    return (buffer[at] & 0xFF) << 24
        | (buffer[at + 1] & 0xFF) << 16
        | (buffer[at + 2] & 0xFF) << 8
        | buffer[at + 3] & 0xFF;
  }

  /** The text of a value, null for NULL and for an unchanged one; for messages and tests. */
  public String text(int column) {
    return hasValue(column)
        ? new String(buffer, starts[column], valueLength(column), StandardCharsets.UTF_8)
        : null;
  }

  /** Bytes of the tuple on the wire. */
  public int size() {
    return length;
  }

  /** A copy that does not depend on the buffer the message came in. */
  public TupleData detach() {
    int[] moved = starts.clone();
    for (int i = 0; i < moved.length; i++) {
      moved[i] = moved[i] >= 0 ? moved[i] - offset : moved[i];
    }
    byte[] bytes = Arrays.copyOfRange(buffer, offset, offset + length);
    return new TupleData(bytes, 0, length, moved);
  }

  /** A tuple of text values; null stands for NULL. */
  public static TupleData ofText(String... values) {
    ByteBuilder out = new ByteBuilder(64).putShort(values.length);
    for (String value : values) {
      if (value == null) {
        out.putByte('n');
      } else {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        out.putByte('t').putInt(utf8.length).putBytes(utf8, 0, utf8.length);
      }
    }
    return read(new ByteCursor().wrap("tuple", out.array(), 0, out.size()), "tuple");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TupleData that
        && Arrays.equals(
            buffer, offset, offset + length, that.buffer, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + buffer[i];
    }
    return hash;
  }

  /** The values in parentheses, as conflict reports show a row. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("(");
    for (int i = 0; i < starts.length; i++) {
      text.append(i == 0 ? "" : ", ");
      text.append(isUnchanged(i) ? "unchanged-toast-datum" : text(i));
    }
    return text.append(')').toString();
  }
}
