package dev.millrace.model;

/** numeric: digits of base 10000, the weight of the first one, the sign, and the decimal scale. */
final class NumericBinary {

  private static final int NEGATIVE = 0x4000;
  private static final int NAN = 0xC000;
  private static final int INFINITY = 0xD000;
  private static final int MINUS_INFINITY = 0xF000;

  /** What PostgreSQL shows as the scale of an infinity. */
  private static final int SPECIAL_SCALE = 0x20;

  private static final int DIGITS = 4;

  private NumericBinary() {}

  static void write(String text, ByteBuilder out) {
    switch (text) {
      case "NaN" -> header(out, 0, 0, NAN, 0);
      case "Infinity" -> header(out, 0, 0, INFINITY, SPECIAL_SCALE);
      case "-Infinity" -> header(out, 0, 0, MINUS_INFINITY, SPECIAL_SCALE);
      default -> finite(text, out);
    }
  }

  private static void header(ByteBuilder out, int digits, int weight, int sign, int scale) {
    out.putShort(digits).putShort(weight).putShort(sign).putShort(scale);
  }

  private static void finite(String text, ByteBuilder out) {
    boolean negative = text.charAt(0) == '-';
    String magnitude = negative ? text.substring(1) : text;
    int point = magnitude.indexOf('.');
    String whole = point < 0 ? magnitude : magnitude.substring(0, point);
    String fraction = point < 0 ? "" : magnitude.substring(point + 1);
    String padded =
        "0".repeat((DIGITS - whole.length() % DIGITS) % DIGITS)
            + whole
            + fraction
            + "0".repeat((DIGITS - fraction.length() % DIGITS) % DIGITS);
    int groups = padded.length() / DIGITS;
    int first = 0;
    while (first < groups && group(padded, first) == 0) {
      first++;
    }
    int last = groups;
    while (last > first && group(padded, last - 1) == 0) {
      last--;
    }
    boolean zero = first == last;
    int weight = zero ? 0 : (whole.length() + DIGITS - 1) / DIGITS - 1 - first;
    header(out, last - first, weight, negative && !zero ? NEGATIVE : 0, fraction.length());
    for (int i = first; i < last; i++) {
      out.putShort(group(padded, i));
    }
  }

  private static int group(String digits, int number) {
    return Integer.parseInt(digits, number * DIGITS, (number + 1) * DIGITS, 10);
  }
}
