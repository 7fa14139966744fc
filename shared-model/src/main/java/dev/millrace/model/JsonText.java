package dev.millrace.model;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * json and jsonb: checks a document, and writes it as jsonb prints it.
 *
 * <p>jsonb keeps the last of equal keys, orders keys by length and then by bytes, and prints
 * numbers as numeric does; json keeps the text as it came.
 */
final class JsonText {

  private static final int MAX_DEPTH = 1000;

  private static final Comparator<String> KEY_ORDER =
      Comparator.<String>comparingInt(key -> key.getBytes(StandardCharsets.UTF_8).length)
          .thenComparing(
              (a, b) ->
                  java.util.Arrays.compareUnsigned(
                      a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)));

  private final String text;
  private final int typeOid;
  private int at;

  private JsonText(String text, int typeOid) {
    this.text = text;
    this.typeOid = typeOid;
  }

  /** The same text when it is a document. */
  static String checked(String text) {
    new JsonText(text, PgType.JSON).document(new StringBuilder());
    return text;
  }

  /** The document as jsonb prints it. */
  static String normalized(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    new JsonText(text, PgType.JSONB).document(out);
    return out.toString();
  }

  private void document(StringBuilder out) {
    value(out, 0);
    skipSpace();
    if (at < text.length()) {
      throw invalid();
    }
  }

  private void value(StringBuilder out, int depth) {
    if (depth > MAX_DEPTH) {
      throw new PgException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded");
    }
    skipSpace();
    char c = peek();
    switch (c) {
      case '{' -> object(out, depth);
      case '[' -> array(out, depth);
      case '"' -> quoted(string(), out);
      case 't' -> word("true", out);
      case 'f' -> word("false", out);
      case 'n' -> word("null", out);
      default -> number(out);
    }
  }

  private void object(StringBuilder out, int depth) {
    Map<String, String> members = new TreeMap<>(KEY_ORDER);
    at++;
    skipSpace();
    if (!accept('}')) {
      do {
        skipSpace();
        if (peek() != '"') {
          throw invalid();
        }
        String key = string();
        skipSpace();
        expect(':');
        StringBuilder member = new StringBuilder();
        value(member, depth + 1);
        members.put(key, member.toString());
        skipSpace();
      } while (accept(','));
      expect('}');
    }
    out.append('{');
    String separator = "";
    for (Map.Entry<String, String> member : members.entrySet()) {
      out.append(separator);
      quoted(member.getKey(), out);
      out.append(": ").append(member.getValue());
      separator = ", ";
    }
    out.append('}');
  }

  private void array(StringBuilder out, int depth) {
    at++;
    out.append('[');
    skipSpace();
    if (!accept(']')) {
      value(out, depth + 1);
      skipSpace();
      while (accept(',')) {
        out.append(", ");
        value(out, depth + 1);
        skipSpace();
      }
      expect(']');
    }
    out.append(']');
  }

  private void word(String word, StringBuilder out) {
    if (!text.startsWith(word, at)) {
      throw invalid();
    }
    at += word.length();
    out.append(word);
  }

  private void number(StringBuilder out) {
    int start = at;
    accept('-');
    if (!accept('0')) {
      digits();
    }
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      digits();
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      at++;
      if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
        at++;
      }
      digits();
    }
    if (typeOid == PgType.JSONB) {
      byte[] number = text.substring(start, at).getBytes(StandardCharsets.US_ASCII);
      out.append(((BigDecimal) NumericText.parse(number, 0, number.length)).toPlainString());
    }
  }

  private void digits() {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == start) {
      throw invalid();
    }
  }

  /** The value of the string constant at the cursor. */
  private String string() {
    StringBuilder value = new StringBuilder();
    at++;
    while (peek() != '"') {
      char c = text.charAt(at++);
      if (c < ' ') {
        throw invalid();
      }
      value.append(c == '\\' ? escaped() : c);
    }
    at++;
    return value.toString();
  }

  private char escaped() {
    char c = peek();
    at++;
    switch (c) {
      case '"', '\\', '/':
        return c;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        return unicode();
      default:
        throw invalid();
    }
  }

  private char unicode() {
    if (at + 4 > text.length()) {
      throw invalid();
    }
    String hex = text.substring(at, at + 4);
    if (!hex.matches("[0-9a-fA-F]{4}")) {
      throw invalid();
    }
    at += 4;
    char c = (char) Integer.parseInt(hex, 16);
    if (c == 0 && typeOid == PgType.JSONB) {
      throw new PgException(
              SqlState.UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
          .withDetail("\\u0000 cannot be converted to text.");
    }
    return c;
  }

  private static void quoted(String value, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append("\\u00").append(Character.forDigit(c >> 4, 16));
            out.append(Character.forDigit(c & 15, 16));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private char peek() {
    if (at >= text.length()) {
      throw invalid();
    }
    return text.charAt(at);
  }

  private boolean accept(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (!accept(c)) {
      throw invalid();
    }
  }

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private PgException invalid() {
    String detail =
        at >= text.length()
            ? "The input string ended unexpectedly."
            : "Token \"" + token() + "\" is invalid.";
    return new PgException(
            SqlState.INVALID_TEXT_REPRESENTATION,
            "invalid input syntax for type json") // For jsonb too.
        .withDetail(detail);
  }

  private String token() {
    int end = at;
    while (end < text.length() && Character.isLetterOrDigit(text.charAt(end))) {
      end++;
    }
    return text.substring(at, Math.max(end, at + 1));
  }
}
