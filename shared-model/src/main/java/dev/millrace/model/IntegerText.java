package dev.millrace.model;

/** The text form of integers, straight between long and ASCII digits. */
final class IntegerText {

  private static final byte[] MIN_LONG = {
    '-', '9', '2', '2', '3', '3', '7', '2', '0', '3', '6', '8', '5', '4', '7', '7', '5', '8', '0',
    '8'
  };

  /** So many digits always fit a long. */
  private static final int SAFE_DIGITS = 18;

  private static final byte[] TENS = new byte[100];
  private static final byte[] ONES = new byte[100];

  static {
    for (int i = 0; i < 100; i++) {
      TENS[i] = (byte) ('0' + i / 10);
      ONES[i] = (byte) ('0' + i % 10);
    }
  }

  private IntegerText() {}

  static void write(long value, ByteBuilder out) {
    if (value == Long.MIN_VALUE) {
      out.putBytes(MIN_LONG, 0, MIN_LONG.length);
      return;
    }
    long magnitude = value;
    if (value < 0) {
      out.putByte('-');
      magnitude = -value;
    }
    writeDigits(magnitude, digitCount(magnitude), out);
  }

  /** Writes exactly {@code count} digits, with zeros in front where the number is shorter. */
  static void writeDigits(long magnitude, int count, ByteBuilder out) {
    byte[] bytes = out.reserve(count);
    int start = out.size();
    int at = start + count;
    long rest = magnitude;
    while (at - start >= 2) {
      long quotient = rest / 100;
      int pair = (int) (rest - quotient * 100);
      bytes[--at] = ONES[pair];
      bytes[--at] = TENS[pair];
      rest = quotient;
    }
    if (at > start) {
      bytes[--at] = (byte) ('0' + rest);
    }
    out.advance(count);
  }

  static int digitCount(long magnitude) {
    int count = 1;
    long limit = 10;
    while (count < 19 && magnitude >= limit) {
      count++;
      limit *= 10;
    }
    return count;
  }

  /** An integer with optional sign and surrounding blanks, checked against the type's range. */
  static long parse(byte[] buffer, int offset, int length, int typeOid) {
    int at = offset;
    int end = offset + length;
    while (at < end && isSpace(buffer[at])) {
      at++;
    }
    while (end > at && isSpace(buffer[end - 1])) {
      end--;
    }
    boolean negative = at < end && buffer[at] == '-';
    if (negative || at < end && buffer[at] == '+') {
      at++;
    }
    if (at == end) {
      throw PgText.invalidSyntax(typeOid, StringText.parse(buffer, offset, length));
    }
    long value = 0;
    boolean mayOverflow = end - at > SAFE_DIGITS;
    boolean overflow = false;
    for (; at < end; at++) {
      int digit = buffer[at] - '0';
      if (digit < 0 || digit > 9) {
        throw PgText.invalidSyntax(typeOid, StringText.parse(buffer, offset, length));
      }
      // Negative accumulation reaches Long.MIN_VALUE, which has no positive twin.
      overflow |= mayOverflow && value < (Long.MIN_VALUE + digit) / 10;
      value = value * 10 - digit;
    }
    overflow |= !negative && value == Long.MIN_VALUE;
    long signed = negative ? value : -value;
    if (overflow || !inRange(signed, typeOid)) {
      throw PgText.outOfRange(typeOid, StringText.parse(buffer, offset, length));
    }
    return signed;
  }

  private static boolean inRange(long value, int typeOid) {
    switch (typeOid) {
      case PgType.INT2:
        return value == (short) value;
      case PgType.INT4:
        return value == (int) value;
      case PgType.OID:
      case PgType.XID:
        return value >= 0 && value <= 0xFFFFFFFFL;
      default:
        return true;
    }
  }

  static boolean isSpace(byte b) {
    return b == ' ' || b >= '\t' && b <= '\r';
  }
}
