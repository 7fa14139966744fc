package dev.millrace.publisher.slots;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/** Why a slot can be used no more; it stays until it is dropped, and holds back nothing. */
public enum Invalidation {
  /** It held back more log than max_slot_wal_keep_size. */
  WAL_REMOVED("wal_removed", "max_slot_wal_keep_size"),
  /** Nobody used it for idle_replication_slot_timeout. */
  IDLE_TIMEOUT("idle_timeout", "idle_replication_slot_timeout");

  private final String reason;
  private final String setting;

  Invalidation(String reason, String setting) {
    this.reason = reason;
    this.setting = setting;
  }

  /** As pg_replication_slots.invalidation_reason shows it. */
  public String reason() {
    return reason;
  }

  /** The setting to raise for those who need such slots. */
  String setting() {
    return setting;
  }

  /**
   * @throws PgException 55000 when the slot can be used no more
   */
  public static void requireNone(ReplicationSlot slot) {
    if (slot.invalidationReason() != null) {
      throw new PgException(
              SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
              "can no longer access replication slot \"" + slot.name() + "\"")
          .withDetail(
              "This replication slot has been invalidated due to \""
                  + slot.invalidationReason()
                  + "\".");
    }
  }
}
