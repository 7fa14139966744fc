package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.HexFormat;

/** What UTF-8 and PostgreSQL's text cannot hold, though JSON can spell it. */
final class Encoding {

  private static final String INVALID = "invalid byte sequence for encoding \"UTF8\": ";

  private Encoding() {}

  /**
   * @throws PgException 22021 for NUL and for half a surrogate pair
   */
  static void check(String text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c == 0) {
        throw new PgException(SqlState.CHARACTER_NOT_IN_REPERTOIRE, INVALID + "0x00");
      }
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
        boolean pair = i + 1 < length && Character.isSurrogatePair(c, text.charAt(i + 1));
        if (!pair) {
          throw new PgException(SqlState.CHARACTER_NOT_IN_REPERTOIRE, INVALID + bytes(c));
        }
        i++;
      }
    }
  }

  /** The bytes that would spell it: 0xed 0xa0 0x80 .. */
  private static String bytes(char surrogate) {
    byte[] bytes = {
      (byte) (0xe0 | surrogate >> 12),
      (byte) (0x80 | surrogate >> 6 & 0x3f),
      (byte) (0x80 | surrogate & 0x3f)
    };
    return "0x" + HexFormat.ofDelimiter(" 0x").formatHex(bytes);
  }
}
