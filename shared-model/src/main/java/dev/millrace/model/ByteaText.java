package dev.millrace.model;

import java.util.Arrays;

/** bytea: {@code \x} and hexadecimal digits; the older escape form is read too. */
final class ByteaText {

  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  private ByteaText() {}

  static void write(byte[] value, ByteBuilder out) {
    int length = Math.addExact(2, Math.multiplyExact(2, value.length));
    byte[] bytes = out.reserve(length);
    int at = out.size();
    bytes[at++] = '\\';
    bytes[at++] = 'x';
    for (byte b : value) {
      bytes[at++] = HEX[b >> 4 & 0xf];
      bytes[at++] = HEX[b & 0xf];
    }
    out.advance(length);
  }

  static byte[] parse(byte[] buffer, int offset, int length) {
    if (length >= 2 && buffer[offset] == '\\' && buffer[offset + 1] == 'x') {
      return parseHex(buffer, offset + 2, offset + length);
    }
    return parseEscaped(buffer, offset, offset + length);
  }

  /** PostgreSQL allows blanks between the bytes. */
  private static byte[] parseHex(byte[] buffer, int start, int end) {
    byte[] value = new byte[(end - start) / 2];
    int size = 0;
    int at = start;
    while (at < end) {
      if (IntegerText.isSpace(buffer[at])) {
        at++;
        continue;
      }
      int high = digit(buffer, at);
      if (at + 1 >= end) {
        throw new PgException(
            SqlState.INVALID_PARAMETER_VALUE, "invalid hexadecimal data: odd number of digits");
      }
      value[size++] = (byte) (high << 4 | digit(buffer, at + 1));
      at += 2;
    }
    return size == value.length ? value : Arrays.copyOf(value, size);
  }

  private static int digit(byte[] buffer, int at) {
    int digit = Character.digit(buffer[at], 16);
    if (digit < 0) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "invalid hexadecimal digit: \"" + StringText.parse(buffer, at, 1) + "\"");
    }
    return digit;
  }

  private static byte[] parseEscaped(byte[] buffer, int start, int end) {
    byte[] value = new byte[end - start];
    int size = 0;
    int at = start;
    while (at < end) {
      byte b = buffer[at];
      if (b != '\\') {
        value[size++] = b;
        at++;
      } else if (at + 1 < end && buffer[at + 1] == '\\') {
        value[size++] = '\\';
        at += 2;
      } else {
        value[size++] = (byte) octal(buffer, at, start, end);
        at += 4;
      }
    }
    return Arrays.copyOf(value, size);
  }

  private static int octal(byte[] buffer, int at, int start, int end) {
    int value = 0;
    for (int i = 1; i <= 3; i++) {
      int digit = at + i < end ? buffer[at + i] - '0' : -1;
      if (digit < 0 || digit > (i == 1 ? 3 : 7)) {
        throw PgText.invalidSyntax(PgType.BYTEA, StringText.parse(buffer, start, end - start));
      }
      value = value << 3 | digit;
    }
    return value;
  }
}
