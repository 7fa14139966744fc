package dev.millrace.sql;

/**
 * A string in plain quotes: doubled quotes stand for one, and constants on following lines continue
 * it.
 *
 * @param value null when it is the text between the quotes as it stands
 * @param end index after the last quote
 */
record QuotedText(String value, int end) {

  /**
   * Reads the string whose first quote is at {@code openQuote}; {@code start} is where the error of
   * an unterminated one points.
   */
  static QuotedText read(String sql, int start, int openQuote) {
    int end = closing(sql, start, openQuote);
    int continuation = continuation(sql, end);
    if (continuation < 0 && openQuote == start && !hasDoubledQuote(sql, openQuote, end)) {
      return new QuotedText(null, end);
    }
    StringBuilder value = new StringBuilder();
    appendUndoubled(sql, value, openQuote, end);
    while (continuation >= 0) {
      end = closing(sql, start, continuation);
      appendUndoubled(sql, value, continuation, end);
      continuation = continuation(sql, end);
    }
    return new QuotedText(value.toString(), end);
  }

  private static boolean hasDoubledQuote(String sql, int openQuote, int end) {
    return sql.indexOf('\'', openQuote + 1) < end - 1;
  }

  private static void appendUndoubled(String sql, StringBuilder value, int openQuote, int end) {
    for (int i = openQuote + 1; i < end - 1; i++) {
      char c = sql.charAt(i);
      value.append(c);
      if (c == '\'') {
        i++;
      }
    }
  }

  /** The opening quote of a constant that goes on after at least one line end, or -1. */
  private static int continuation(String sql, int end) {
    boolean newline = false;
    for (int i = end; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (c == '\n' || c == '\r') {
        newline = true;
      } else if (c == '\'') {
        return newline ? i : -1;
      } else if (c != ' ' && c != '\t' && c != '\f') {
        return -1;
      }
    }
    return -1;
  }

  /** Index after the quote that closes the one at {@code openQuote}. */
  static int closing(String sql, int start, int openQuote) {
    int i = openQuote + 1;
    while (true) {
      int quote = sql.indexOf('\'', i);
      if (quote < 0) {
        throw Lexer.unterminated(sql, "quoted string", start);
      }
      if (quote + 1 < sql.length() && sql.charAt(quote + 1) == '\'') {
        i = quote + 2;
      } else {
        return quote + 1;
      }
    }
  }
}
