package dev.millrace.model;

import java.nio.charset.StandardCharsets;

/** Quoting of SQL identifiers and string literals. */
public final class Identifiers {

  /** NAMEDATALEN - 1. */
  private static final int GREATEST_BYTES = 63;

  private Identifiers() {}

  /** The identifier in double quotes whatever it holds; embedded quotes are doubled. */
  public static String alwaysQuote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  /** Schema and name, each in double quotes. */
  public static String alwaysQuote(QualifiedName name) {
    return alwaysQuote(name.schema()) + '.' + alwaysQuote(name.name());
  }

  /**
   * The identifier as {@code quote_ident} gives it: bare when it is lower case letters, digits and
   * underscores, does not begin with a digit and is no reserved word; quoted otherwise.
   */
  public static String quote(String identifier) {
    return isPlain(identifier) && !ReservedWords.contains(identifier)
        ? identifier
        : alwaysQuote(identifier);
  }

  /**
   * A string literal; embedded quotes are doubled. Backslashes mean themselves
   * (standard_conforming_strings).
   */
  public static String literal(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }

  private static boolean isPlain(String identifier) {
    if (identifier.isEmpty()) {
      return false;
    }
    for (int i = 0; i < identifier.length(); i++) {
      char c = identifier.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' || c == '_';
      boolean digit = c >= '0' && c <= '9';
      if (!letter && !(digit && i > 0)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a name is longer than PostgreSQL keeps: SQL shortens such a name, with a notice, and
   * then means another object.
   */
  public static boolean isTooLong(String identifier) {
    return identifier.getBytes(StandardCharsets.UTF_8).length > GREATEST_BYTES;
  }
}
