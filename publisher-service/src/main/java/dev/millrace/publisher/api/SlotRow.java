package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.time.ZoneOffset;

/** A row of pg_replication_slots, with PostgreSQL 18's columns in their order. */
@Schema(name = "ReplicationSlot")
record SlotRow(
    @JsonProperty("slot_name") @Schema(example = "s1") String slotName,
    @Schema(example = "pgoutput") String plugin,
    @JsonProperty("slot_type") @Schema(example = "logical") String slotType,
    Long datoid,
    @Schema(example = "testdb") String database,
    boolean temporary,
    boolean active,
    @JsonProperty("active_pid") Long activePid,
    Long xmin,
    @JsonProperty("catalog_xmin") Long catalogXmin,
    @JsonProperty("restart_lsn") @Schema(example = "0/16B1938") String restartLsn,
    @JsonProperty("confirmed_flush_lsn") @Schema(example = "0/16B1970") String confirmedFlushLsn,
    @JsonProperty("wal_status")
        @Schema(allowableValues = {"reserved", "extended", "unreserved", "lost"})
        String walStatus,
    @JsonProperty("safe_wal_size") Long safeWalSize,
    @JsonProperty("two_phase") boolean twoPhase,
    @JsonProperty("two_phase_at") String twoPhaseAt,
    @JsonProperty("inactive_since") Instant inactiveSince,
    Boolean conflicting,
    @JsonProperty("invalidation_reason") String invalidationReason,
    boolean failover,
    boolean synced) {

  /** The row as the SQL view gives it. */
  Object[] values() {
    return new Object[] {
      slotName,
      plugin,
      slotType,
      datoid,
      database,
      temporary,
      active,
      activePid == null ? null : activePid.intValue(),
      xmin,
      catalogXmin,
      restartLsn,
      confirmedFlushLsn,
      walStatus,
      safeWalSize,
      twoPhase,
      twoPhaseAt,
      inactiveSince == null ? null : inactiveSince.atOffset(ZoneOffset.UTC),
      conflicting,
      invalidationReason,
      failover,
      synced
    };
  }
}
