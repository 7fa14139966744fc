package dev.millrace.model;

import java.nio.charset.StandardCharsets;

/** Character strings and booleans. */
final class StringText {

  /** Up to this length a loop over the characters beats the encoder's copy. */
  private static final int SHORT = 64;

  private StringText() {}

  static void write(String text, ByteBuilder out) {
    int length = text.length();
    if (length > SHORT) {
      out.putUtf8(text);
      return;
    }
    byte[] bytes = out.reserve(length);
    int at = out.size();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        out.putUtf8(text);
        return;
      }
      bytes[at + i] = (byte) c;
    }
    out.advance(length);
  }

  /** char(n): blanks up to n characters (code points, as PostgreSQL counts them). */
  static void writePadded(String text, int typeModifier, ByteBuilder out) {
    if (typeModifier < 0) {
      write(text, out);
      return;
    }
    int length = TypeModifier.length(typeModifier);
    int characters = text.codePointCount(0, text.length());
    int end = text.length();
    while (characters > length && text.charAt(end - 1) == ' ') {
      // H2 pads by UTF-16 units, which are more than the characters beyond the basic plane.
      end--;
      characters--;
    }
    write(end == text.length() ? text : text.substring(0, end), out);
    for (int i = characters; i < length; i++) {
      out.putByte(' ');
    }
  }

  static String parse(byte[] buffer, int offset, int length) {
    return new String(buffer, offset, length, StandardCharsets.UTF_8);
  }

  /** Prefixes of true, false, yes, no and on, off, 1, 0 in any case, as PostgreSQL reads them. */
  static boolean parseBoolean(byte[] buffer, int offset, int length) {
    if (length == 1) {
      switch (buffer[offset]) {
        case 't':
        case 'T':
        case 'y':
        case 'Y':
        case '1':
          return true;
        case 'f':
        case 'F':
        case 'n':
        case 'N':
        case '0':
          return false;
        default:
          break;
      }
    }
    String text = parse(buffer, offset, length);
    Boolean value = booleanOf(text.strip());
    if (value == null) {
      throw PgText.invalidSyntax(PgType.BOOL, text);
    }
    return value;
  }

  private static Boolean booleanOf(String word) {
    if (word.isEmpty()) {
      return null;
    }
    if (isPrefix(word, "true") || isPrefix(word, "yes") || word.equals("1")) {
      return true;
    }
    if (isPrefix(word, "false") || isPrefix(word, "no") || word.equals("0")) {
      return false;
    }
    if (word.equalsIgnoreCase("on")) {
      return true;
    }
    boolean off = word.length() >= 2 && isPrefix(word, "off");
    return off ? Boolean.FALSE : null;
  }

  private static boolean isPrefix(String word, String full) {
    return full.regionMatches(true, 0, word, 0, word.length());
  }
}
