package dev.millrace.publisher.decoding.plugins;

import java.util.ArrayList;
import java.util.List;

/**
 * A list of identifiers separated by commas, as {@code publication_names}: folded to lower case
 * unless quoted, blanks around them ignored.
 */
final class IdentifierList {

  private static final int LONGEST_NAME = 63;

  private final String text;
  private int at;

  private IdentifierList(String text) {
    this.text = text;
  }

  /** The names, or null when the text is no such list. A blank text is the empty list. */
  static List<String> parse(String text) {
    return new IdentifierList(text).parseAll();
  }

  private List<String> parseAll() {
    List<String> names = new ArrayList<>();
    skipBlanks();
    if (at == text.length()) {
      return names;
    }
    while (true) {
      String name = at < text.length() && text.charAt(at) == '"' ? quoted() : bare();
      if (name == null) {
        return null;
      }
      names.add(truncate(name));
      skipBlanks();
      if (at == text.length()) {
        return names;
      }
      if (text.charAt(at) != ',') {
        return null;
      }
      at++;
      skipBlanks();
    }
  }

  private String quoted() {
    StringBuilder name = new StringBuilder();
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '"') {
        name.append(c);
      } else if (at < text.length() && text.charAt(at) == '"') {
        name.append('"');
        at++;
      } else {
        return name.toString();
      }
    }
    return null; // The closing quote is missing.
  }

  private String bare() {
    int from = at;
    while (at < text.length() && text.charAt(at) != ',' && !isBlank(text.charAt(at))) {
      at++;
    }
    return at == from ? null : fold(text.substring(from, at));
  }

  /** Folds ASCII letters only, as PostgreSQL does for UTF-8 databases. */
  private static String fold(String name) {
    StringBuilder folded = new StringBuilder(name);
    for (int i = 0; i < folded.length(); i++) {
      char c = folded.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        folded.setCharAt(i, (char) (c + 'a' - 'A'));
      }
    }
    return folded.toString();
  }

  /** Names end after 63 bytes, at a character's end. */
  private static String truncate(String name) {
    int bytes = 0;
    for (int i = 0; i < name.length(); i += Character.charCount(name.codePointAt(i))) {
      int c = name.codePointAt(i);
      bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      if (bytes > LONGEST_NAME) {
        return name.substring(0, i);
      }
    }
    return name;
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
