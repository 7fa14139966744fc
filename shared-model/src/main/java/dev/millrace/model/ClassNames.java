package dev.millrace.model;

import java.util.regex.Pattern;

/**
 * Keeps names of classes out of what people read: texts of errors that nobody foresaw hold them,
 * and they tell only those who have the source, for whom they are in the log.
 */
final class ClassNames {

  private static final Pattern CLASS_NAME =
      Pattern.compile("\\b(?:[a-z][a-z0-9_]*+\\.){2,}+[A-Z][\\w$]*+(?:@[0-9a-f]++)?(?:: )?");

  private ClassNames() {}

  /** The text without them; "internal error" when nothing else is left. */
  static String without(String text) {
    String rest = text == null ? "" : CLASS_NAME.matcher(text).replaceAll("").strip();
    return rest.isEmpty() || rest.equals("internal error:") ? "internal error" : rest;
  }
}
