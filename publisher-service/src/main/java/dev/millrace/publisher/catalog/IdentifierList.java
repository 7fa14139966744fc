package dev.millrace.publisher.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A comma-separated list of identifiers in one string, as option values carry them. */
final class IdentifierList {

  private IdentifierList() {}

  /**
   * The names, unquoted ones folded to lower case; an empty list for blank text, null for bad
   * syntax.
   */
  static List<String> parse(String text) {
    List<String> names = new ArrayList<>();
    int at = skipBlanks(text, 0);
    if (at == text.length()) {
      return names;
    }
    while (true) {
      StringBuilder name = new StringBuilder();
      at = text.startsWith("\"", at) ? quoted(text, at, name) : bare(text, at, name);
      if (at < 0) {
        return null;
      }
      names.add(name.toString());
      at = skipBlanks(text, at);
      if (at == text.length()) {
        return names;
      }
      if (text.charAt(at) != ',') {
        return null;
      }
      at = skipBlanks(text, at + 1);
    }
  }

  private static int skipBlanks(String text, int from) {
    int at = from;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Returns the position after the name, or -1. */
  private static int quoted(String text, int from, StringBuilder name) {
    int at = from + 1;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '"') {
        name.append(c);
        at++;
      } else if (text.startsWith("\"", at + 1)) {
        name.append('"');
        at += 2;
      } else {
        return at + 1;
      }
    }
    return -1;
  }

  private static int bare(String text, int from, StringBuilder name) {
    int at = from;
    while (at < text.length()
        && text.charAt(at) != ','
        && !Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    name.append(text.substring(from, at).toLowerCase(Locale.ROOT));
    return at > from ? at : -1;
  }
}
