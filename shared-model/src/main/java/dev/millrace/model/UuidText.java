package dev.millrace.model;

import java.util.UUID;

/** uuid: 8-4-4-4-12 lower case; read with or without hyphens and braces. */
final class UuidText {

  private static final int TEXT_LENGTH = 36;

  private UuidText() {}

  static void write(UUID value, ByteBuilder out) {
    byte[] bytes = out.reserve(TEXT_LENGTH);
    int at = out.size();
    long high = value.getMostSignificantBits();
    long low = value.getLeastSignificantBits();
    hex(high >>> 32, 8, bytes, at);
    bytes[at + 8] = '-';
    hex(high >>> 16, 4, bytes, at + 9);
    bytes[at + 13] = '-';
    hex(high, 4, bytes, at + 14);
    bytes[at + 18] = '-';
    hex(low >>> 48, 4, bytes, at + 19);
    bytes[at + 23] = '-';
    hex(low, 12, bytes, at + 24);
    out.advance(TEXT_LENGTH);
  }

  private static void hex(long value, int digits, byte[] bytes, int at) {
    for (int i = 0; i < digits; i++) {
      int digit = (int) (value >>> 4 * (digits - 1 - i)) & 0xf;
      bytes[at + i] = (byte) (digit < 10 ? '0' + digit : 'a' + digit - 10);
    }
  }

  static UUID parse(byte[] buffer, int offset, int length) {
    int at = offset;
    int end = offset + length;
    if (length >= 2 && buffer[at] == '{' && buffer[end - 1] == '}') {
      at++;
      end--;
    }
    long high = 0;
    long low = 0;
    int digits = 0;
    for (; at < end; at++) {
      byte b = buffer[at];
      // A hyphen may stand after every fourth digit.
      if (b == '-' && digits % 4 == 0 && digits > 0 && buffer[at - 1] != '-' && at + 1 < end) {
        continue;
      }
      int digit = digit(b);
      if (digit < 0 || digits == 32) {
        throw PgText.invalidSyntax(PgType.UUID, StringText.parse(buffer, offset, length));
      }
      if (digits < 16) {
        high = high << 4 | digit;
      } else {
        low = low << 4 | digit;
      }
      digits++;
    }
    if (digits != 32) {
      throw PgText.invalidSyntax(PgType.UUID, StringText.parse(buffer, offset, length));
    }
    return new UUID(high, low);
  }

  /** -1 for a byte that is no hexadecimal digit. */
  private static int digit(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int letter = b | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
  }
}
