package dev.millrace.model;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one binary message in wire order, the counterpart of {@link ByteBuilder}.
 * Big-endian. One thread.
 *
 * <p>It trusts nothing: whatever does not fit is refused with 08P01, naming message, field, what
 * was expected and what was there, before anything is allocated for it.
 */
public final class ByteCursor {

  private byte[] buffer;
  private int position;
  private int end;
  private String message;

  /** Stands the cursor on the first of {@code length} bytes of a message of that name. */
  public ByteCursor wrap(String messageName, byte[] bytes, int offset, int length) {
    message = messageName;
    buffer = bytes;
    position = offset;
    end = offset + length;
    return this;
  }

  /** Corrects the name once the type byte is known. */
  public void rename(String messageName) {
    message = messageName;
  }

  public int readByte(String field) {
    need(field, 1);
    return buffer[position++] & 0xFF;
  }

  public int readShort(String field) {
    need(field, 2);
    int value = (buffer[position] & 0xFF) << 8 | buffer[position + 1] & 0xFF;
    position += 2;
    return value;
  }

  public int readInt(String field) {
    need(field, 4);
    int value =
        (buffer[position] & 0xFF) << 24
            | (buffer[position + 1] & 0xFF) << 16
            | (buffer[position + 2] & 0xFF) << 8
            | buffer[position + 3] & 0xFF;
    position += 4;
    return value;
  }

  public long readLong(String field) {
    need(field, 8);
    long high = readInt(field);
    return high << 32 | readInt(field) & 0xFFFFFFFFL;
  }

  /** A position that must be set. */
  public long readLsn(String field) {
    long lsn = readLong(field);
    if (lsn == 0) {
      throw violation(field, "a position", "0/0");
    }
    return lsn;
  }

  /** A transaction id that must be set. */
  public int readXid(String field) {
    int xid = readInt(field);
    if (xid == 0) {
      throw violation(field, "a transaction id", "0");
    }
    return xid;
  }

  /** Flags of which only those in {@code known} may be set. */
  public int readFlags(String field, int known) {
    int flags = readByte(field);
    if ((flags & ~known) != 0) {
      throw violation(field, "flags of " + known, "unknown flags " + flags);
    }
    return flags;
  }

  /** A byte that must be {@code expected}. */
  public void expectByte(String field, char expected) {
    int value = readByte(field);
    if (value != expected) {
      throw violation(field, "'" + expected + "'", describe(value));
    }
  }

  /** A length or count of {@code size} bytes each that must fit into what is left. */
  public int readCount(String field, int size) {
    int count = readInt(field);
    if (count < 0 || (long) count * size > remaining()) {
      throw violation(
          field,
          "at most " + remaining() / size + " for the " + remaining() + " bytes left",
          Integer.toUnsignedString(count));
    }
    return count;
  }

  /** A zero-terminated UTF-8 string. */
  public String readCString(String field) {
    int from = position;
    int at = from;
    while (at < end && buffer[at] != 0) {
      at++;
    }
    if (at == end) {
      throw violation(field, "a terminating zero byte", "the end of the message");
    }
    position = at + 1;
    return decode(field, from, at - from);
  }

  private String decode(String field, int offset, int length) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(buffer, offset, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw violation(field, "UTF-8", "an invalid byte sequence");
    }
  }

  public byte[] readBytes(String field, int length) {
    need(field, length);
    byte[] bytes = java.util.Arrays.copyOfRange(buffer, position, position + length);
    position += length;
    return bytes;
  }

  public void skip(String field, int length) {
    need(field, length);
    position += length;
  }

  /** Nothing may follow the last field. */
  public void expectEnd() {
    if (position != end) {
      throw violation("end of message", "no more bytes", remaining() + " trailing bytes");
    }
  }

  public byte[] buffer() {
    return buffer;
  }

  public int position() {
    return position;
  }

  public int remaining() {
    return end - position;
  }

  private void need(String field, int length) {
    if (length < 0 || length > end - position) {
      throw violation(field, length + " bytes", remaining() + " bytes");
    }
  }

  /** The error for a field that holds something else than it may. */
  public PgException violation(String field, String expected, String actual) {
    return new PgException(
        SqlState.PROTOCOL_VIOLATION,
        "invalid "
            + message
            + " message: field \""
            + field
            + "\" expected "
            + expected
            + ", got "
            + actual);
  }

  /** A byte as an error shows it. */
  public static String describe(int value) {
    return value > ' ' && value < 127 ? "'" + (char) value + "'" : "byte " + value;
  }
}
