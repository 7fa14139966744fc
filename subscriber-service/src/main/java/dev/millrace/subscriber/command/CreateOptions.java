package dev.millrace.subscriber.command;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.Map;
import java.util.Set;

/**
 * The options of CREATE SUBSCRIPTION after all rules between them.
 *
 * @param slotName null for NONE
 */
record CreateOptions(
    boolean connect,
    boolean enabled,
    boolean createSlot,
    boolean copyData,
    String slotName,
    String synchronousCommit,
    boolean disableOnError,
    boolean passwordRequired,
    boolean runAsOwner) {

  private static final Set<String> NAMES =
      Set.of(
          "connect",
          "create_slot",
          "enabled",
          "slot_name",
          "copy_data",
          "binary",
          "streaming",
          "synchronous_commit",
          "two_phase",
          "disable_on_error",
          "password_required",
          "run_as_owner",
          "origin",
          "failover");

  static CreateOptions of(String subscriptionName, Map<String, String> raw) {
    OptionValues values = new OptionValues(raw, NAMES);
    boolean connect = values.flag("connect", true);
    if (!connect) {
      refuseWithoutConnection(values, "enabled");
      refuseWithoutConnection(values, "create_slot");
      refuseWithoutConnection(values, "copy_data");
    }
    String slotName = values.slotName(subscriptionName);
    boolean enabled = values.flag("enabled", connect);
    boolean createSlot = values.flag("create_slot", connect);
    if (slotName == null) {
      refuseWithoutSlot(values, "enabled", enabled);
      refuseWithoutSlot(values, "create_slot", createSlot);
    }
    return new CreateOptions(
        connect,
        enabled,
        createSlot,
        values.flag("copy_data", connect),
        slotName,
        values.synchronousCommit("off"),
        values.flag("disable_on_error", false),
        values.flag("password_required", true),
        values.flag("run_as_owner", false));
  }

  private static void refuseWithoutConnection(OptionValues values, String option) {
    if (values.flag(option, false)) {
      throw new PgException(
          SqlState.SYNTAX_ERROR,
          "connect = false and " + option + " = true are mutually exclusive options");
    }
  }

  private static void refuseWithoutSlot(OptionValues values, String option, boolean inForce) {
    if (inForce) {
      throw new PgException(
          SqlState.SYNTAX_ERROR,
          values.has(option)
              ? "slot_name = NONE and " + option + " = true are mutually exclusive options"
              : "subscription with slot_name = NONE must also set " + option + " = false");
    }
  }
}
