package dev.millrace.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A comma-separated list of names in one string, as option values carry them, read as SQL reads
 * identifiers: folded to lower case unless in double quotes, cut to 63 bytes.
 */
public final class IdentifierList {

  private static final int MAX_NAME_BYTES = 63;

  private final String text;
  private final List<String> names = new ArrayList<>();
  private int at;

  private IdentifierList(String text) {
    this.text = text;
  }

  /** The names in their order, none for blank text; null when the text is no such list. */
  public static List<String> parse(String text) {
    return new IdentifierList(text).run();
  }

  private List<String> run() {
    skipBlanks();
    if (at == text.length()) {
      return List.of();
    }
    while (true) {
      String name = at < text.length() && text.charAt(at) == '"' ? quoted() : bare();
      if (name == null || name.isEmpty()) {
        return null;
      }
      names.add(clip(name));
      skipBlanks();
      if (at == text.length()) {
        return List.copyOf(names);
      }
      if (text.charAt(at++) != ',') {
        return null;
      }
      skipBlanks();
    }
  }

  /** Null when the closing quote is missing. */
  private String quoted() {
    StringBuilder name = new StringBuilder();
    at++;
    while (true) {
      int quote = text.indexOf('"', at);
      if (quote < 0) {
        return null;
      }
      name.append(text, at, quote);
      at = quote + 1;
      if (at < text.length() && text.charAt(at) == '"') {
        name.append('"');
        at++;
      } else {
        return name.toString();
      }
    }
  }

  private String bare() {
    int start = at;
    while (at < text.length() && text.charAt(at) != ',' && !isBlank(text.charAt(at))) {
      at++;
    }
    StringBuilder folded = new StringBuilder(at - start);
    for (int i = start; i < at; i++) {
      char c = text.charAt(i);
      folded.append(c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c);
    }
    return folded.toString();
  }

  private void skipBlanks() {
    while (at < text.length() && isBlank(text.charAt(at))) {
      at++;
    }
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
  }

  private static String clip(String name) {
    StringBuilder clipped = new StringBuilder();
    int bytes = 0;
    for (int codePoint : name.codePoints().toArray()) {
      bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
      if (bytes > MAX_NAME_BYTES) {
        break;
      }
      clipped.appendCodePoint(codePoint);
    }
    return clipped.toString();
  }
}
