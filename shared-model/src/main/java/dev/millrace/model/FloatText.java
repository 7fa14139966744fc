package dev.millrace.model;

import java.util.Locale;
import tools.jackson.core.io.schubfach.DoubleToDecimal;
import tools.jackson.core.io.schubfach.FloatToDecimal;

/**
 * The text form of real and double precision: the shortest digits that read back as the same value,
 * in PostgreSQL's notation ({@code 1e+15}, {@code 1e-05}, {@code 0.0001}).
 *
 * <p>Schubfach gives the digits; it never gives fewer than two, so near the smallest values, where
 * one digit is enough, that digit is looked for here. PostgreSQL uses an exponent below 1e-4 and
 * from 1e6 (real) or 1e15 (double precision) on.
 */
final class FloatText {

  private static final int MIN_PLAIN_EXPONENT = -4;
  private static final int REAL_EXPONENT_LIMIT = 6;
  private static final int DOUBLE_EXPONENT_LIMIT = 15;
  private static final double PLAIN_DOUBLE = 1e15;
  private static final float PLAIN_REAL = 1e6f;
  private static final int MAX_DIGITS = 20;

  private FloatText() {}

  static void write(double value, ByteBuilder out) {
    long whole = (long) value;
    if (whole == value && whole != 0 && Math.abs(value) < PLAIN_DOUBLE) {
      IntegerText.write(whole, out);
    } else if (!writeSpecial(value, out)) {
      write(DoubleToDecimal.toString(value), DOUBLE_EXPONENT_LIMIT, false, out);
    }
  }

  static void write(float value, ByteBuilder out) {
    int whole = (int) value;
    if (whole == value && whole != 0 && Math.abs(value) < PLAIN_REAL) {
      IntegerText.write(whole, out);
    } else if (!writeSpecial(value, out)) {
      write(FloatToDecimal.toString(value), REAL_EXPONENT_LIMIT, true, out);
    }
  }

  private static boolean writeSpecial(double value, ByteBuilder out) {
    if (value == 0) {
      StringText.write(1 / value < 0 ? "-0" : "0", out);
    } else if (Double.isNaN(value)) {
      StringText.write("NaN", out);
    } else if (Double.isInfinite(value)) {
      StringText.write(value < 0 ? "-Infinity" : "Infinity", out);
    } else {
      return false;
    }
    return true;
  }

  /** Takes Java's notation ({@code -1.25E-7}, {@code 0.001}, {@code 123.0}) apart. */
  private static void write(String java, int exponentLimit, boolean real, ByteBuilder out) {
    byte[] digits = new byte[MAX_DIGITS];
    int count = 0;
    int pointAt = -1;
    int exponent = 0;
    int at = java.charAt(0) == '-' ? 1 : 0;
    int leadingZeros = 0;
    for (; at < java.length(); at++) {
      char c = java.charAt(at);
      if (c == '.') {
        pointAt = count + leadingZeros;
      } else if (c == 'E') {
        exponent = Integer.parseInt(java, at + 1, java.length(), 10);
        break;
      } else if (c == '0' && count == 0) {
        leadingZeros++;
      } else {
        digits[count++] = (byte) c;
      }
    }
    int decimalExponent = exponent + pointAt - leadingZeros - 1;
    while (count > 1 && digits[count - 1] == '0') {
      count--;
    }
    if (count == 2 && shortenToOneDigit(digits, decimalExponent, real)) {
      count = 1;
      if (digits[0] > '9') {
        digits[0] = '1';
        decimalExponent++;
      }
    }
    if (java.charAt(0) == '-') {
      out.putByte('-');
    }
    if (decimalExponent < MIN_PLAIN_EXPONENT || decimalExponent >= exponentLimit) {
      writeScientific(digits, count, decimalExponent, out);
    } else {
      writePlain(digits, count, decimalExponent, out);
    }
  }

  /**
   * Rounds two digits to one where that reads back as the same value; the digit after 9 then stands
   * for ten.
   */
  private static boolean shortenToOneDigit(byte[] digits, int decimalExponent, boolean real) {
    boolean subnormal = real ? decimalExponent < -43 : decimalExponent < -321;
    if (!subnormal) {
      return false;
    }
    int rounded = digits[0] - '0' + (digits[1] >= '5' ? 1 : 0);
    String two = (char) digits[0] + "." + (char) digits[1] + "E" + decimalExponent;
    String one = rounded + "E" + decimalExponent;
    boolean same =
        real
            ? Float.parseFloat(one) == Float.parseFloat(two)
            : Double.parseDouble(one) == Double.parseDouble(two);
    if (same) {
      digits[0] = (byte) ('0' + rounded);
    }
    return same;
  }

  private static void writeScientific(byte[] digits, int count, int exponent, ByteBuilder out) {
    out.putByte(digits[0]);
    if (count > 1) {
      out.putByte('.').putBytes(digits, 1, count - 1);
    }
    out.putByte('e').putByte(exponent < 0 ? '-' : '+');
    int magnitude = Math.abs(exponent);
    IntegerText.writeDigits(magnitude, Math.max(2, IntegerText.digitCount(magnitude)), out);
  }

  private static void writePlain(byte[] digits, int count, int exponent, ByteBuilder out) {
    if (exponent < 0) {
      out.putByte('0').putByte('.');
      writeZeros(-exponent - 1, out);
      out.putBytes(digits, 0, count);
      return;
    }
    int whole = exponent + 1;
    if (count <= whole) {
      out.putBytes(digits, 0, count);
      writeZeros(whole - count, out);
    } else {
      out.putBytes(digits, 0, whole).putByte('.').putBytes(digits, whole, count - whole);
    }
  }

  private static void writeZeros(int count, ByteBuilder out) {
    for (int i = 0; i < count; i++) {
      out.putByte('0');
    }
  }

  static Double parseDouble(String text) {
    String trimmed = text.strip();
    Double special = special(trimmed);
    if (special != null) {
      return special;
    }
    double value = checkedDouble(trimmed, text, PgType.FLOAT8);
    if (Double.isInfinite(value) || value == 0 && hasNonZeroDigit(trimmed)) {
      throw floatOutOfRange(trimmed, PgType.FLOAT8);
    }
    return value;
  }

  static Float parseFloat(String text) {
    String trimmed = text.strip();
    Double special = special(trimmed);
    if (special != null) {
      return special.floatValue();
    }
    checkedDouble(trimmed, text, PgType.FLOAT4);
    float value = Float.parseFloat(trimmed);
    if (Float.isInfinite(value) || value == 0 && hasNonZeroDigit(trimmed)) {
      throw floatOutOfRange(trimmed, PgType.FLOAT4);
    }
    return value;
  }

  private static Double special(String text) {
    if (text.isEmpty() || Character.isDigit(text.charAt(text.length() - 1))) {
      return null;
    }
    switch (text.toLowerCase(Locale.ROOT)) {
      case "nan":
        return Double.NaN;
      case "infinity":
      case "inf":
      case "+infinity":
      case "+inf":
        return Double.POSITIVE_INFINITY;
      case "-infinity":
      case "-inf":
        return Double.NEGATIVE_INFINITY;
      default:
        return null;
    }
  }

  /** Java also reads suffixes and hexadecimal floats, which are no SQL numbers. */
  private static double checkedDouble(String trimmed, String text, int typeOid) {
    for (int i = 0; i < trimmed.length(); i++) {
      char c = trimmed.charAt(i);
      boolean allowed = c >= '0' && c <= '9' || "+-.eE".indexOf(c) >= 0;
      if (!allowed) {
        throw PgText.invalidSyntax(typeOid, text);
      }
    }
    try {
      return Double.parseDouble(trimmed);
    } catch (NumberFormatException error) {
      throw PgText.invalidSyntax(typeOid, text);
    }
  }

  private static boolean hasNonZeroDigit(String number) {
    for (int i = 0; i < number.length(); i++) {
      char c = number.charAt(i);
      if (c == 'e' || c == 'E') {
        return false;
      }
      if (c >= '1' && c <= '9') {
        return true;
      }
    }
    return false;
  }

  private static PgException floatOutOfRange(String text, int typeOid) {
    return new PgException(
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
        "\"" + text + "\" is out of range for type " + PgType.byOid(typeOid).sqlName());
  }
}
