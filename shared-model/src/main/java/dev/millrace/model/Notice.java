package dev.millrace.model;

/**
 * A NOTICE or WARNING that goes with a statement's answer.
 *
 * @param severity {@code NOTICE} or {@code WARNING}
 * @param sqlstate SQLSTATE, {@code 00000} for a plain notice
 */
public record Notice(String severity, String sqlstate, String message, String detail, String hint) {

  public static Notice notice(String message) {
    return new Notice("NOTICE", "00000", message, null, null);
  }

  public static Notice warning(String message) {
    return new Notice("WARNING", SqlState.WARNING, message, null, null);
  }
}
