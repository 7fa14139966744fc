package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.Locale;
import java.util.Map;

/**
 * What a consumer asks of test_decoding; every option is a Boolean, on when it stands without a
 * value.
 */
record TestDecodingOptions(
    boolean includeXids,
    boolean includeTimestamp,
    boolean skipEmptyXacts,
    boolean onlyLocal,
    boolean forceBinary,
    boolean streamChanges) {

  private static final class Builder {
    boolean includeXids = true;
    boolean includeTimestamp;
    boolean skipEmptyXacts;
    boolean onlyLocal;
    boolean forceBinary;
    boolean streamChanges;
  }

  static TestDecodingOptions parse(Map<String, String> options) {
    Builder builder = new Builder();
    options.forEach((name, value) -> read(builder, name, value));
    return new TestDecodingOptions(
        builder.includeXids,
        builder.includeTimestamp,
        builder.skipEmptyXacts,
        builder.onlyLocal,
        builder.forceBinary,
        builder.streamChanges);
  }

  private static void read(Builder builder, String name, String value) {
    switch (name) {
      case "include-xids":
        builder.includeXids = bool(name, value);
        break;
      case "include-timestamp":
        builder.includeTimestamp = bool(name, value);
        break;
      case "force-binary":
        builder.forceBinary = bool(name, value);
        break;
      case "skip-empty-xacts":
        builder.skipEmptyXacts = bool(name, value);
        break;
      case "only-local":
        builder.onlyLocal = bool(name, value);
        break;
      case "include-rewrites":
        bool(name, value); // Rows that ALTER TABLE rewrites are never captured.
        break;
      case "stream-changes":
        builder.streamChanges = bool(name, value);
        break;
      default:
        throw new PgException(
            SqlState.INVALID_PARAMETER_VALUE,
            "option \"" + name + "\" = \"" + (value == null ? "(null)" : value) + "\" is unknown");
    }
  }

  /** Takes what PostgreSQL's parse_bool takes: also unambiguous beginnings of the words. */
  private static boolean bool(String name, String value) {
    if (value == null) {
      return true;
    }
    String lower = value.toLowerCase(Locale.ROOT);
    if (!lower.isEmpty()) {
      boolean ambiguous = lower.equals("o");
      if (lower.equals("1") || !ambiguous && begins(lower, "true", "yes", "on")) {
        return true;
      }
      if (lower.equals("0") || !ambiguous && begins(lower, "false", "no", "off")) {
        return false;
      }
    }
    throw new PgException(
        SqlState.INVALID_PARAMETER_VALUE,
        "could not parse value \"" + value + "\" for parameter \"" + name + "\"");
  }

  private static boolean begins(String value, String... words) {
    for (String word : words) {
      if (word.startsWith(value)) {
        return true;
      }
    }
    return false;
  }
}
