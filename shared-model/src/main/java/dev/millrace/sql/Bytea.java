package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * String constants that mean bytes. H2 turns a string into the bytes of its UTF-8 form, PostgreSQL
 * reads bytea's input format: {@code \x} and hexadecimal digits, or text with {@code \\} and {@code
 * \ooo}.
 */
final class Bytea {

  private Bytea() {}

  /** Whether the text is bytea's hexadecimal form. */
  static boolean isHex(String text) {
    if (!text.startsWith("\\x") || text.length() % 2 != 0) {
      return false;
    }
    for (int i = 2; i < text.length(); i++) {
      if (text.charAt(i) > 127 || Character.digit(text.charAt(i), 16) < 0) {
        return false;
      }
    }
    return true;
  }

  /** The H2 constant of a text in the hexadecimal form. */
  static String hexConstant(String text) {
    return "X'" + text.substring(2) + "'";
  }

  /**
   * The H2 constant of a text in either form.
   *
   * @throws PgException 22P02, 22023 when it is none
   */
  static String constant(String text) {
    if (text.startsWith("\\x")) {
      byte[] bytes = (byte[]) PgText.parse(text, PgType.BYTEA);
      return "X'" + HexFormat.of().formatHex(bytes) + "'";
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int i = 0;
    while (i < utf8.length) {
      if (utf8[i] != '\\') {
        bytes.write(utf8[i++]);
      } else if (i + 1 < utf8.length && utf8[i + 1] == '\\') {
        bytes.write('\\');
        i += 2;
      } else {
        bytes.write(octal(utf8, i + 1));
        i += 4;
      }
    }
    return "X'" + HexFormat.of().formatHex(bytes.toByteArray()) + "'";
  }

  private static int octal(byte[] utf8, int at) {
    int value = 0;
    for (int i = at; i < at + 3; i++) {
      int digit = i < utf8.length ? utf8[i] - '0' : -1;
      if (digit < 0 || digit > 7) {
        throw invalid();
      }
      value = value * 8 + digit;
    }
    if (value > 255) {
      throw invalid();
    }
    return value;
  }

  private static PgException invalid() {
    return new PgException(
        SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea");
  }
}
