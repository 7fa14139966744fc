package dev.millrace.subscriber.receiver;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads libpq's keyword/value form: {@code keyword = value} pairs between blanks, a value with
 * blanks in single quotes, backslash before a quote or a backslash. The last of several values for
 * one keyword holds. Error texts name keywords, never values.
 */
final class KeywordValueParser {

  private final String text;
  private int at;

  private KeywordValueParser(String text) {
    this.text = text;
  }

  static Map<String, String> parse(String text) {
    return new KeywordValueParser(text).pairs();
  }

  private Map<String, String> pairs() {
    Map<String, String> values = new LinkedHashMap<>();
    skipBlanks();
    while (at < text.length()) {
      String keyword = keyword();
      skipBlanks();
      if (at >= text.length() || text.charAt(at) != '=') {
        throw ConnectionString.syntax(
            "missing \"=\" after \"" + keyword + "\" in connection info string");
      }
      at++;
      skipBlanks();
      boolean quoted = at < text.length() && text.charAt(at) == '\'';
      values.put(keyword, quoted ? quotedValue() : bareValue());
      skipBlanks();
    }
    return values;
  }

  private String keyword() {
    int start = at;
    while (at < text.length() && text.charAt(at) != '=' && !isBlank(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private String bareValue() {
    StringBuilder value = new StringBuilder();
    while (at < text.length() && !isBlank(text.charAt(at))) {
      value.append(unescaped());
    }
    return value.toString();
  }

  private String quotedValue() {
    StringBuilder value = new StringBuilder();
    at++;
    while (at < text.length() && text.charAt(at) != '\'') {
      value.append(unescaped());
    }
    if (at >= text.length()) {
      throw ConnectionString.syntax("unterminated quoted string in connection info string");
    }
    at++;
    return value.toString();
  }

  private char unescaped() {
    if (text.charAt(at) == '\\' && at + 1 < text.length()) {
      at++;
    }
    return text.charAt(at++);
  }

  private void skipBlanks() {
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c >= '\t' && c <= '\r';
  }
}
