package dev.millrace.replication;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The list in pgoutput's option {@code publication_names}: names separated by commas, read as SQL
 * identifiers are - folded to lower case unless in double quotes.
 */
public final class PublicationNames {

  private static final int MAX_NAME_BYTES = 63;

  private final String text;
  private final List<String> names = new ArrayList<>();
  private int at;

  private PublicationNames(String text) {
    this.text = text;
  }

  /**
   * The names in their order; an empty text is an empty list.
   *
   * @throws PgException 42602 when the text is no such list
   */
  public static List<String> parse(String text) {
    return new PublicationNames(text).run();
  }

  /** The list of {@code names} as {@link #parse} reads it. */
  public static String format(List<String> names) {
    return names.stream().map(Identifiers::alwaysQuote).collect(Collectors.joining(","));
  }

  private List<String> run() {
    skipBlanks();
    if (at == text.length()) {
      return List.of();
    }
    while (true) {
      names.add(next());
      skipBlanks();
      if (at == text.length()) {
        return List.copyOf(names);
      }
      if (text.charAt(at++) != ',') {
        throw invalid();
      }
      skipBlanks();
    }
  }

  private String next() {
    String name = at < text.length() && text.charAt(at) == '"' ? quoted() : bare();
    if (name.isEmpty()) {
      throw invalid();
    }
    return clip(name);
  }

  private String quoted() {
    StringBuilder name = new StringBuilder();
    at++;
    while (true) {
      int quote = text.indexOf('"', at);
      if (quote < 0) {
        throw invalid();
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

  private static PgException invalid() {
    return new PgException(SqlState.INVALID_NAME, "invalid publication_names syntax");
  }
}
