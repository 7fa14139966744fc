package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The value of an {@code E'..'} constant. Octal and hexadecimal escapes are bytes of UTF-8, so the
 * value is put together from bytes.
 *
 * @param end index after the closing quote
 */
record EscapeString(String value, int end) {

  static EscapeString decode(String sql, int start) {
    return new Decoder(sql, start).decode();
  }

  private static final class Decoder {
    private final String sql;
    private final int start;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int at;

    Decoder(String sql, int start) {
      this.sql = sql;
      this.start = start;
      this.at = start + 2;
    }

    EscapeString decode() {
      while (at < sql.length()) {
        char c = sql.charAt(at);
        if (c == '\'') {
          if (at + 1 >= sql.length() || sql.charAt(at + 1) != '\'') {
            return new EscapeString(text(), at + 1);
          }
          bytes.write('\'');
          at += 2;
        } else if (c == '\\') {
          at++;
          escape();
        } else {
          int next = sql.offsetByCodePoints(at, 1);
          put(sql.substring(at, next));
          at = next;
        }
      }
      throw Lexer.unterminated(sql, "quoted string", start);
    }

    private void escape() {
      if (at >= sql.length()) {
        return;
      }
      char c = sql.charAt(at++);
      switch (c) {
        case 'b' -> bytes.write('\b');
        case 'f' -> bytes.write('\f');
        case 'n' -> bytes.write('\n');
        case 'r' -> bytes.write('\r');
        case 't' -> bytes.write('\t');
        case 'v' -> bytes.write(0x0b);
        case 'x' -> hexByte();
        case 'u' -> unicode(4);
        case 'U' -> unicode(8);
        case '0', '1', '2', '3', '4', '5', '6', '7' -> octalByte(c - '0');
        default -> {
          at--;
          int next = sql.offsetByCodePoints(at, 1);
          put(sql.substring(at, next));
          at = next;
        }
      }
    }

    private void hexByte() {
      int value = 0;
      int digits = 0;
      while (digits < 2 && at < sql.length() && hexDigit(sql.charAt(at)) >= 0) {
        value = value * 16 + hexDigit(sql.charAt(at++));
        digits++;
      }
      bytes.write(digits == 0 ? 'x' : value);
    }

    private void octalByte(int first) {
      int value = first;
      for (int digits = 1; digits < 3 && at < sql.length(); digits++) {
        char c = sql.charAt(at);
        if (c < '0' || c > '7') {
          break;
        }
        value = value * 8 + (c - '0');
        at++;
      }
      bytes.write(value & 0xff);
    }

    private void unicode(int digits) {
      int value = 0;
      for (int i = 0; i < digits; i++) {
        int digit = at < sql.length() ? hexDigit(sql.charAt(at)) : -1;
        if (digit < 0) {
          throw new PgException("22025", "invalid Unicode escape")
              .withHint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.");
        }
        value = value << 4 | digit;
        at++;
      }
      if (Character.isValidCodePoint(value)
          && Character.isHighSurrogate((char) value)
          && sql.startsWith("\\u", at)) {
        at += 2;
        int low = 0;
        for (int i = 0; i < 4 && at < sql.length(); i++) {
          low = low << 4 | Math.max(0, hexDigit(sql.charAt(at++)));
        }
        value = Character.toCodePoint((char) value, (char) low);
      }
      if (!Character.isValidCodePoint(value) || value >= 0xD800 && value <= 0xDFFF || value == 0) {
        throw error("invalid Unicode escape value");
      }
      put(new String(Character.toChars(value)));
    }

    private void put(String text) {
      bytes.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private String text() {
      byte[] utf8 = bytes.toByteArray();
      for (byte b : utf8) {
        if (b == 0) {
          throw new PgException("22021", "invalid byte sequence for encoding \"UTF8\": 0x00");
        }
      }
      try {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
      } catch (CharacterCodingException e) {
        throw new PgException("22021", "invalid byte sequence for encoding \"UTF8\"", e);
      }
    }

    private static int hexDigit(char c) {
      return c < 128 ? Character.digit(c, 16) : -1;
    }

    private PgException error(String message) {
      return new PgException(SqlState.SYNTAX_ERROR, message)
          .withPosition(Lexer.position(sql, start));
    }
  }
}
