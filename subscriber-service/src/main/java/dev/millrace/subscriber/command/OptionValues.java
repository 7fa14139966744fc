package dev.millrace.subscriber.command;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The raw options of a command, read by their types. Names outside the command's own set are
 * refused, as are values other than the default for options whose feature comes later.
 */
final class OptionValues {

  private static final Set<String> SYNCHRONOUS_COMMIT =
      Set.of("off", "local", "remote_write", "on", "remote_apply");

  private final Map<String, String> raw;

  /**
   * @param allowed the options this command takes
   * @throws PgException 42601 for another one
   */
  OptionValues(Map<String, String> raw, Set<String> allowed) {
    this.raw = raw;
    for (String name : raw.keySet()) {
      if (!allowed.contains(name)) {
        throw new PgException(
            SqlState.SYNTAX_ERROR, "unrecognized subscription parameter: \"" + name + "\"");
      }
    }
    refuseLater();
  }

  private void refuseLater() {
    requireOff("binary");
    requireOff("two_phase");
    requireOff("failover");
    if (has("streaming") && !isFalse(raw.get("streaming"))) {
      if (!isTrue(raw.get("streaming")) && !raw.get("streaming").equalsIgnoreCase("parallel")) {
        throw new PgException(
            SqlState.SYNTAX_ERROR, "streaming requires a Boolean value or \"parallel\"");
      }
      throw later("streaming", raw.get("streaming"));
    }
    if (has("origin") && !raw.get("origin").equalsIgnoreCase("any")) {
      if (!raw.get("origin").equalsIgnoreCase("none")) {
        throw new PgException(
            SqlState.INVALID_PARAMETER_VALUE,
            "unrecognized origin value: \"" + raw.get("origin") + "\"");
      }
      throw later("origin", "none");
    }
  }

  private void requireOff(String name) {
    if (flag(name, false)) {
      throw later(name, "true");
    }
  }

  private static PgException later(String name, String value) {
    return new PgException(
        SqlState.FEATURE_NOT_SUPPORTED,
        "subscription parameter \"" + name + "\" = " + value + " is not supported yet");
  }

  boolean has(String name) {
    return raw.containsKey(name);
  }

  /**
   * @throws PgException 42601 when the value is no Boolean
   */
  boolean flag(String name, boolean absent) {
    if (!has(name)) {
      return absent;
    }
    String value = raw.get(name);
    if (isTrue(value)) {
      return true;
    }
    if (isFalse(value)) {
      return false;
    }
    throw new PgException(SqlState.SYNTAX_ERROR, name + " requires a Boolean value");
  }

  private static boolean isTrue(String value) {
    return value != null && Set.of("true", "on", "1").contains(value.toLowerCase(Locale.ROOT));
  }

  static boolean isFalse(String value) {
    return value != null && Set.of("false", "off", "0").contains(value.toLowerCase(Locale.ROOT));
  }

  /**
   * The slot's name; null for NONE.
   *
   * @throws PgException 42602 when it is not legal
   */
  String slotName(String absent) {
    String name = has("slot_name") ? raw.get("slot_name") : absent;
    if (name == null || has("slot_name") && name.equals("none")) {
      return null;
    }
    return LegalSlotName.check(name);
  }

  /**
   * @throws PgException 22023 for an unknown value
   */
  String synchronousCommit(String absent) {
    if (!has("synchronous_commit")) {
      return absent;
    }
    String value = String.valueOf(raw.get("synchronous_commit")).toLowerCase(Locale.ROOT);
    if (isTrue(value)) {
      return "on";
    }
    if (isFalse(value)) {
      return "off";
    }
    if (!SYNCHRONOUS_COMMIT.contains(value)) {
      throw new PgException(
              SqlState.INVALID_PARAMETER_VALUE,
              "invalid value for parameter \"synchronous_commit\": \"" + value + "\"")
          .withHint("Available values: local, remote_write, remote_apply, on, off.");
    }
    return value;
  }
}
