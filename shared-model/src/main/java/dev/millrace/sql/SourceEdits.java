package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * A stretch of source text with pieces replaced from left to right. Text in which nothing is
 * replaced is never copied piece by piece.
 */
final class SourceEdits {

  private final String source;
  private int begin;
  private int copied;
  private StringBuilder out;

  SourceEdits(String source) {
    this.source = source;
  }

  /** The stretch begins at this index. */
  void begin(int index) {
    begin = index;
    copied = index;
  }

  void replace(Token token, String text) {
    replace(token.start(), token.end(), text);
  }

  /** Puts {@code text} in place of the characters {@code start} to {@code end} (exclusive). */
  void replace(int start, int end, String text) {
    if (start < copied) {
      throw new PgException(SqlState.INTERNAL_ERROR, "overlapping changes of a statement's text");
    }
    if (out == null) {
      out = new StringBuilder(source.length() + 32);
    }
    out.append(source, copied, start).append(text);
    copied = end;
  }

  /** The text up to {@code end}. */
  String finish(int end) {
    return out == null ? source.substring(begin, end) : out.append(source, copied, end).toString();
  }
}
