package dev.millrace.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A one-dimensional array of names or texts in PostgreSQL's text form, such as {@code {a,"b c"}}.
 */
public final class TextArray {

  private TextArray() {}

  /** The text form; null elements become NULL. */
  public static String format(Iterable<String> elements) {
    StringBuilder out = new StringBuilder("{");
    for (String element : elements) {
      if (out.length() > 1) {
        out.append(',');
      }
      if (element == null) {
        out.append("NULL");
      } else if (needsQuotes(element)) {
        out.append('"').append(element.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
      } else {
        out.append(element);
      }
    }
    return out.append('}').toString();
  }

  private static boolean needsQuotes(String element) {
    if (element.isEmpty() || element.toLowerCase(Locale.ROOT).equals("null")) {
      return true;
    }
    for (int i = 0; i < element.length(); i++) {
      char c = element.charAt(i);
      if ("{},\"\\".indexOf(c) >= 0 || Character.isWhitespace(c)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The elements of a text form; an unquoted NULL becomes null.
   *
   * @throws PgException 22P02 when the text is no such array
   */
  public static List<String> parse(String text) {
    List<String> elements = new ArrayList<>();
    int end = text.length() - 1;
    if (end < 1 || text.charAt(0) != '{' || text.charAt(end) != '}') {
      throw malformed(text);
    }
    int at = 1;
    while (at < end) {
      StringBuilder element = new StringBuilder();
      boolean quoted = text.charAt(at) == '"';
      at = quoted ? quoted(text, at + 1, element) : bare(text, at, end, element);
      boolean isNull = !quoted && element.toString().equalsIgnoreCase("null");
      elements.add(isNull ? null : element.toString());
      boolean last = at == end;
      if (!last && (text.charAt(at) != ',' || at + 1 == end)) {
        throw malformed(text);
      }
      at++;
    }
    return elements;
  }

  private static int quoted(String text, int from, StringBuilder element) {
    int at = from;
    while (at < text.length() - 1 && text.charAt(at) != '"') {
      if (text.charAt(at) == '\\') {
        at++;
      }
      element.append(text.charAt(at));
      at++;
    }
    if (at >= text.length() - 1) {
      throw malformed(text);
    }
    return at + 1;
  }

  private static int bare(String text, int from, int end, StringBuilder element) {
    int at = from;
    while (at < end && text.charAt(at) != ',') {
      char c = text.charAt(at);
      if (c == '{' || c == '}' || c == '"') {
        throw malformed(text);
      }
      if (c == '\\' && ++at == end) {
        throw malformed(text);
      }
      element.append(text.charAt(at));
      at++;
    }
    if (at == from) {
      throw malformed(text);
    }
    return at;
  }

  private static PgException malformed(String text) {
    return new PgException(
        SqlState.INVALID_TEXT_REPRESENTATION, "malformed array literal: \"" + text + "\"");
  }
}
