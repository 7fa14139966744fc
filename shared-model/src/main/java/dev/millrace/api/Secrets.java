package dev.millrace.api;

import java.util.regex.Pattern;

/** Connection strings without what must not be shown. */
public final class Secrets {

  private static final Pattern KEYWORD =
      Pattern.compile("(?i)\\b(password\\s*=\\s*)('(?:[^'\\\\]|\\\\.|'')*'?|[^\\s&]*)");
  private static final Pattern USER_INFO = Pattern.compile("(?i)(\\w+://[^/@:\\s]*:)[^/@\\s]*(@)");

  private Secrets() {}

  /** The text with the value of every password, as keyword or inside a URL, replaced by stars. */
  public static String mask(String text) {
    if (text == null) {
      return null;
    }
    String keywords = KEYWORD.matcher(text).replaceAll("$1********");
    return USER_INFO.matcher(keywords).replaceAll("$1********$2");
  }
}
