package dev.millrace.model;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/** The text form of numeric: plain notation, the scale kept. */
final class NumericText {

  /** PostgreSQL's limits: digits before and after the point. */
  private static final int MAX_WHOLE_DIGITS = 131072;

  private static final int MAX_SCALE = 16383;

  /** 10^0 to 10^18. */
  private static final long[] POWERS = new long[19];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = POWERS[i - 1] * 10;
    }
  }

  private NumericText() {}

  /** {@code value} is a BigDecimal, or what H2 gives for NaN and the infinities. */
  static void write(Object value, int typeModifier, ByteBuilder out) {
    if (value instanceof BigDecimal) {
      BigDecimal decimal = (BigDecimal) value;
      if (typeModifier >= 0 && decimal.scale() != Math.max(0, TypeModifier.scale(typeModifier))) {
        decimal = rescale(decimal, TypeModifier.scale(typeModifier));
      }
      write(decimal, out);
    } else if (value instanceof Double || value instanceof Float) {
      FloatText.write(((Number) value).doubleValue(), out);
    } else if (value instanceof Number) {
      write(new BigDecimal(value.toString()), out);
    } else {
      StringText.write(value.toString(), out);
    }
  }

  private static BigDecimal rescale(BigDecimal decimal, int scale) {
    BigDecimal rounded = decimal.setScale(scale, RoundingMode.HALF_UP);
    return scale < 0 ? rounded.setScale(0) : rounded;
  }

  private static void write(BigDecimal decimal, ByteBuilder out) {
    int scale = decimal.scale();
    if (scale == 0 && decimal.precision() <= 18) {
      IntegerText.write(decimal.longValue(), out);
    } else if (scale > 0 && scale <= 18 && decimal.precision() <= 18) {
      writeSmall(decimal, scale, out);
    } else {
      StringText.write(decimal.toPlainString(), out);
    }
  }

  /** Numbers whose digits fit a long, without a String on the way. */
  private static void writeSmall(BigDecimal decimal, int scale, ByteBuilder out) {
    long unscaled = decimal.unscaledValue().longValue();
    if (unscaled < 0) {
      out.putByte('-');
      unscaled = -unscaled;
    }
    long whole = unscaled / POWERS[scale];
    IntegerText.writeDigits(whole, IntegerText.digitCount(whole), out);
    out.putByte('.');
    IntegerText.writeDigits(unscaled - whole * POWERS[scale], scale, out);
  }

  /** A BigDecimal, or the String {@code NaN}, {@code Infinity}, {@code -Infinity}. */
  static Object parse(byte[] buffer, int offset, int length) {
    int end = offset + length;
    int at = offset;
    while (at < end && IntegerText.isSpace(buffer[at])) {
      at++;
    }
    while (end > at && IntegerText.isSpace(buffer[end - 1])) {
      end--;
    }
    if (end - at <= 18) {
      BigDecimal small = parseSmall(buffer, at, end);
      if (small != null) {
        return small;
      }
    }
    String text = StringText.parse(buffer, at, end - at);
    try {
      return checked(new BigDecimal(text));
    } catch (NumberFormatException error) {
      return special(text, StringText.parse(buffer, offset, length));
    }
  }

  /** Plain digits with at most one point; null for anything else. */
  private static BigDecimal parseSmall(byte[] buffer, int start, int end) {
    boolean negative = start < end && buffer[start] == '-';
    int at = negative ? start + 1 : start;
    long unscaled = 0;
    int digits = 0;
    int pointAt = -1;
    for (; at < end; at++) {
      int digit = buffer[at] - '0';
      if (digit >= 0 && digit <= 9) {
        unscaled = unscaled * 10 + digit;
        digits++;
      } else if (buffer[at] == '.' && pointAt < 0) {
        pointAt = digits;
      } else {
        return null;
      }
    }
    if (digits == 0) {
      return null;
    }
    return BigDecimal.valueOf(negative ? -unscaled : unscaled, pointAt < 0 ? 0 : digits - pointAt);
  }

  /** A positive exponent leaves no negative scale, and the size is PostgreSQL's at most. */
  private static BigDecimal checked(BigDecimal decimal) {
    long wholeDigits = (long) decimal.precision() - decimal.scale();
    if (wholeDigits > MAX_WHOLE_DIGITS || decimal.scale() > MAX_SCALE) {
      throw new PgException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
    }
    return decimal.scale() < 0 ? decimal.setScale(0) : decimal;
  }

  private static String special(String text, String original) {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "nan":
        return "NaN";
      case "infinity":
      case "inf":
      case "+infinity":
      case "+inf":
        return "Infinity";
      case "-infinity":
      case "-inf":
        return "-Infinity";
      default:
        throw PgText.invalidSyntax(PgType.NUMERIC, original);
    }
  }
}
