package dev.millrace.subscriber.command;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/** The rule for names of replication slots, checked before the publisher is asked. */
final class LegalSlotName {

  private static final int GREATEST_LENGTH = 63;
  private static final String NAME_TOO_LONG = "42622";

  private LegalSlotName() {}

  static String check(String name) {
    if (name.isEmpty()) {
      throw new PgException(
          SqlState.INVALID_NAME, "replication slot name \"" + name + "\" is too short");
    }
    if (name.length() > GREATEST_LENGTH) {
      throw new PgException(NAME_TOO_LONG, "replication slot name \"" + name + "\" is too long");
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')) {
        throw new PgException(
                SqlState.INVALID_NAME,
                "replication slot name \"" + name + "\" contains invalid character")
            .withHint(
                "Replication slot names may only contain lower case letters, numbers, and the"
                    + " underscore character.");
      }
    }
    return name;
  }
}
