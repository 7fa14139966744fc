package dev.millrace.publisher.slots;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/** The rule for slot names: 1 to 63 lower case letters, digits and underscores. */
public final class SlotName {

  private static final int MAX_LENGTH = 63;

  private SlotName() {}

  /**
   * Returns the name when it is a legal one.
   *
   * @throws PgException 42602 for an empty, overlong or otherwise illegal name
   */
  public static String check(String name) {
    if (name == null || name.isEmpty()) {
      throw invalid("replication slot name \"\" is too short");
    }
    if (name.length() > MAX_LENGTH) {
      throw invalid("replication slot name \"" + name + "\" is too long");
    }
    if (!isLegal(name)) {
      throw invalid("replication slot name \"" + name + "\" contains invalid character")
          .withHint(
              "Replication slot names may only contain lower case letters, numbers, and the"
                  + " underscore character.");
    }
    return name;
  }

  static boolean isLegal(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')) {
        return false;
      }
    }
    return !name.isEmpty() && name.length() <= MAX_LENGTH;
  }

  private static PgException invalid(String message) {
    return new PgException(SqlState.INVALID_NAME, message);
  }
}
