package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.Token.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts SQL text into tokens by PostgreSQL's lexical rules: nested comments, plain, escape, Unicode
 * and dollar-quoted strings, quoted names, parameters, numbers with underscores, and operators that
 * end where a comment begins.
 *
 * <p>One pass, one object per token; values of strings are taken out of the source only when asked
 * for.
 */
public final class Lexer {

  private static final int MAX_NAME_BYTES = 63;

  /** Error messages show so much of the text at most. */
  static final int MAX_SHOWN = 1000;

  private static final String OPERATOR_CHARACTERS = "+-*/<>=~!@#%^&|`?";
  private static final String SINGLE_CHARACTERS = ",()[].;:";

  /**
   * As many digits as PostgreSQL's numeric holds before and behind the point; reading a number
   * takes time that grows with the square of its length.
   */
  private static final int MAX_NUMBER_LENGTH = 131_072 + 16_383;

  private final String sql;
  private final boolean hexadecimalWords;
  private final List<Token> tokens;
  private int at;
  private boolean comment;

  private Lexer(String sql, boolean hexadecimalWords) {
    this.sql = sql;
    this.hexadecimalWords = hexadecimalWords;
    this.tokens = new ArrayList<>(Math.max(16, sql.length() / 4));
  }

  /**
   * All tokens of {@code sql}; the last one is {@link Kind#END}.
   *
   * @throws PgException 42601 with the position for an unterminated string, name or comment and for
   *     characters SQL does not know; 22021 for what UTF-8 cannot hold
   */
  public static List<Token> tokens(String sql) {
    return new Lexer(sql, false).run();
  }

  /**
   * As {@link #tokens}, for replication commands: {@code 16B1970} is a word there, since an LSN is
   * written with such words on both sides of a slash.
   */
  static List<Token> replicationTokens(String text) {
    return new Lexer(text, true).run();
  }

  private List<Token> run() {
    Encoding.check(sql);
    while (skipBlanksAndComments()) {
      int start = at;
      char c = sql.charAt(at);
      if (isNameStart(c)) {
        wordOrPrefixedString(c);
      } else if (c == '\'') {
        plainString(start, start);
      } else if (c == '"') {
        quotedName(start);
      } else if (isDigit(c) || c == '.' && at + 1 < sql.length() && isDigit(sql.charAt(at + 1))) {
        number();
      } else if (c == '$') {
        dollar();
      } else if (SINGLE_CHARACTERS.indexOf(c) >= 0) {
        punctuation(c);
      } else if (OPERATOR_CHARACTERS.indexOf(c) >= 0) {
        operator();
      } else {
        throw error("syntax error at or near \"" + sql.substring(at, at + 1) + "\"", start);
      }
    }
    add(Kind.END, sql.length(), sql.length(), "", true);
    return tokens;
  }

  private void add(Kind kind, int start, int end, String text, boolean copied) {
    tokens.add(new Token(kind, sql, start, end, text, copied, comment));
    comment = false;
    at = end;
  }

  private boolean skipBlanksAndComments() {
    int length = sql.length();
    while (at < length) {
      char c = sql.charAt(at);
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == 0x0b) {
        at++;
      } else if (c == '-' && sql.startsWith("--", at)) {
        comment = true;
        while (at < length && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') {
          at++;
        }
      } else if (c == '/' && sql.startsWith("/*", at)) {
        comment = true;
        blockComment();
      } else {
        return true;
      }
    }
    return false;
  }

  private void blockComment() {
    int start = at;
    int depth = 0;
    while (at < sql.length()) {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
        if (depth == 0) {
          return;
        }
      } else {
        at++;
      }
    }
    throw unterminated("/* comment", start);
  }

  private void wordOrPrefixedString(char c) {
    int start = at;
    char next = start + 1 < sql.length() ? sql.charAt(start + 1) : 0;
    if (next == '\'') {
      switch (c) {
        case 'e', 'E' -> {
          escapeString(start);
          return;
        }
        case 'b', 'B', 'x', 'X' -> {
          int end = QuotedText.closing(sql, start, start + 1);
          add(Kind.BIT_STRING, start, end, null, false);
          return;
        }
        case 'n', 'N' -> {
          plainString(start, start + 1);
          return;
        }
        default -> {}
      }
    }
    if ((c == 'u' || c == 'U') && next == '&' && start + 2 < sql.length()) {
      char third = sql.charAt(start + 2);
      if (third == '\'' || third == '"') {
        throw error(
            SqlState.FEATURE_NOT_SUPPORTED,
            "strings and names with Unicode escapes (U&) are not supported",
            start);
      }
    }
    word(start);
  }

  private void word(int start) {
    int end = start + 1;
    boolean upper = isUpper(sql.charAt(start));
    boolean plain = sql.charAt(start) < 128;
    while (end < sql.length()) {
      char c = sql.charAt(end);
      if (!isNamePart(c)) {
        break;
      }
      upper |= isUpper(c);
      plain &= c < 128 && c != '$';
      end++;
    }
    String text = sql.substring(start, end);
    if (upper) {
      text = foldAscii(text);
    }
    boolean fits = end - start <= MAX_NAME_BYTES && plain;
    if (!fits) {
      String cut = truncate(text);
      fits = cut.length() == text.length() && plain;
      text = cut;
    }
    add(Kind.WORD, start, end, text, fits);
  }

  private void quotedName(int start) {
    StringBuilder name = null;
    int from = start + 1;
    int i = from;
    while (true) {
      int quote = sql.indexOf('"', i);
      if (quote < 0) {
        throw unterminated("quoted identifier", start);
      }
      if (quote + 1 < sql.length() && sql.charAt(quote + 1) == '"') {
        name = name == null ? new StringBuilder() : name;
        name.append(sql, from, quote + 1);
        from = quote + 2;
        i = from;
        continue;
      }
      String text =
          name == null ? sql.substring(from, quote) : name.append(sql, from, quote).toString();
      if (text.isEmpty()) {
        throw error("zero-length delimited identifier at or near \"\"\"\"", start);
      }
      String cut = truncate(text);
      add(Kind.QUOTED, start, quote + 1, cut, cut.length() == text.length());
      return;
    }
  }

  private void plainString(int start, int openQuote) {
    QuotedText text = QuotedText.read(sql, start, openQuote);
    boolean copied = openQuote == start;
    add(Kind.STRING, start, text.end(), text.value(), copied);
  }

  private void escapeString(int start) {
    EscapeString decoded = EscapeString.decode(sql, start);
    add(Kind.STRING, start, decoded.end(), decoded.value(), false);
  }

  private void dollar() {
    int start = at;
    int length = sql.length();
    int i = start + 1;
    if (i < length && isDigit(sql.charAt(i))) {
      while (i < length && isDigit(sql.charAt(i))) {
        i++;
      }
      if (i < length && isNamePart(sql.charAt(i))) {
        throw error(
            "trailing junk after parameter at or near \"" + sql.substring(start, i + 1) + "\"",
            start);
      }
      add(Kind.PARAMETER, start, i, sql.substring(start + 1, i), false);
      return;
    }
    while (i < length && isNamePart(sql.charAt(i)) && sql.charAt(i) != '$') {
      i++;
    }
    if (i >= length || sql.charAt(i) != '$') {
      throw error("syntax error at or near \"$\"", start);
    }
    String tag = sql.substring(start, i + 1);
    int close = sql.indexOf(tag, i + 1);
    if (close < 0) {
      throw unterminated("dollar-quoted string", start);
    }
    add(Kind.STRING, start, close + tag.length(), sql.substring(i + 1, close), false);
  }

  private void number() {
    int start = at;
    int length = sql.length();
    int i = start;
    boolean prefixed =
        sql.charAt(i) == '0' && i + 1 < length && "xXoObB".indexOf(sql.charAt(i + 1)) >= 0;
    if (prefixed) {
      i += 2;
      while (i < length && (Character.digit(sql.charAt(i), 16) >= 0 || sql.charAt(i) == '_')) {
        i++;
      }
    } else {
      i = digits(i);
      // "1..10" is a number, two dots and a number.
      if (i < length && sql.charAt(i) == '.' && !sql.startsWith("..", i)) {
        i = digits(i + 1);
      }
      i = exponent(i);
    }
    if (hexadecimalWords && i < length && isNameStart(sql.charAt(i))) {
      word(start);
      return;
    }
    if (i < length && isNameStart(sql.charAt(i))) {
      throw error(
          "trailing junk after numeric literal at or near \"" + sql.substring(start, i + 1) + "\"",
          start);
    }
    if (i - start > MAX_NUMBER_LENGTH) {
      throw new PgException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
    }
    add(Kind.NUMBER, start, i, null, true);
  }

  private int digits(int from) {
    int i = from;
    while (i < sql.length() && (isDigit(sql.charAt(i)) || sql.charAt(i) == '_' && i > from)) {
      i++;
    }
    return i;
  }

  private int exponent(int from) {
    if (from >= sql.length() || (sql.charAt(from) | 0x20) != 'e') {
      return from;
    }
    int i = from + 1;
    if (i < sql.length() && (sql.charAt(i) == '+' || sql.charAt(i) == '-')) {
      i++;
    }
    return i < sql.length() && isDigit(sql.charAt(i)) ? digits(i) : from;
  }

  private void punctuation(char c) {
    int start = at;
    boolean pair = c == ':' && (sql.startsWith("::", at) || sql.startsWith(":=", at));
    boolean dots = c == '.' && sql.startsWith("..", at);
    add(Kind.OPERATOR, start, start + (pair || dots ? 2 : 1), null, true);
  }

  /**
   * The longest run of operator characters, cut at a comment; a trailing + or - belongs to the next
   * token unless a character that standard operators lack came before.
   */
  private void operator() {
    int start = at;
    int end = start;
    while (end < sql.length()
        && OPERATOR_CHARACTERS.indexOf(sql.charAt(end)) >= 0
        && !sql.startsWith("--", end)
        && !sql.startsWith("/*", end)) {
      end++;
    }
    while (end - start > 1
        && (sql.charAt(end - 1) == '+' || sql.charAt(end - 1) == '-')
        && !hasSpecialCharacter(start, end - 1)) {
      end--;
    }
    add(Kind.OPERATOR, start, end, null, true);
  }

  private boolean hasSpecialCharacter(int start, int end) {
    for (int i = start; i < end; i++) {
      if ("~!@#%^&|`?".indexOf(sql.charAt(i)) >= 0) {
        return true;
      }
    }
    return false;
  }

  static boolean isNameStart(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 128;
  }

  static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c) || c == '$';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isUpper(char c) {
    return c >= 'A' && c <= 'Z';
  }

  /** PostgreSQL folds ASCII letters only. */
  static String foldAscii(String text) {
    char[] folded = text.toCharArray();
    for (int i = 0; i < folded.length; i++) {
      if (isUpper(folded[i])) {
        folded[i] += 'a' - 'A';
      }
    }
    return new String(folded);
  }

  /** A name longer than 63 bytes is cut there, between two characters. */
  static String truncate(String name) {
    if (name.length() * 3 <= MAX_NAME_BYTES
        || name.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES) {
      return name;
    }
    return ImplicitNames.clip(name, MAX_NAME_BYTES);
  }

  private PgException unterminated(String what, int start) {
    return unterminated(sql, what, start);
  }

  /** The error for what begins at {@code start} and has no end. */
  static PgException unterminated(String sql, String what, int start) {
    String rest = sql.substring(start, Math.min(sql.length(), start + MAX_SHOWN));
    return new PgException(
            SqlState.SYNTAX_ERROR, "unterminated " + what + " at or near \"" + rest + "\"")
        .withPosition(position(sql, start));
  }

  private PgException error(String message, int start) {
    return error(SqlState.SYNTAX_ERROR, message, start);
  }

  private PgException error(String state, String message, int start) {
    return new PgException(state, message).withPosition(position(sql, start));
  }

  /** The position of an index in characters, from 1. */
  static int position(String sql, int index) {
    return sql.codePointCount(0, Math.min(index, sql.length())) + 1;
  }
}
