package dev.millrace.model;

/** Bit strings as text of zeros and ones. */
public final class BitText {

  private BitText() {}

  /** Four bits for each hexadecimal digit, as {@code X'..'} has them. */
  public static String ofHex(String digits) {
    StringBuilder bits = new StringBuilder(4 * digits.length());
    for (int i = 0; i < digits.length(); i++) {
      int digit = Character.digit(digits.charAt(i), 16);
      for (int bit = 3; bit >= 0; bit--) {
        bits.append((char) ('0' + (digit >> bit & 1)));
      }
    }
    return bits.toString();
  }
}
