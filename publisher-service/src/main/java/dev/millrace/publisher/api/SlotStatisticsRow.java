package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.SlotStatistics;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.time.ZoneOffset;

/** A row of pg_stat_replication_slots. */
@Schema(name = "ReplicationSlotStatistics")
record SlotStatisticsRow(
    @JsonProperty("slot_name") @Schema(example = "s1") String slotName,
    @JsonProperty("spill_txns") long spillTxns,
    @JsonProperty("spill_count") long spillCount,
    @JsonProperty("spill_bytes") long spillBytes,
    @JsonProperty("stream_txns") long streamTxns,
    @JsonProperty("stream_count") long streamCount,
    @JsonProperty("stream_bytes") long streamBytes,
    @JsonProperty("total_txns") long totalTxns,
    @JsonProperty("total_bytes") long totalBytes,
    @JsonProperty("stats_reset") Instant statsReset) {

  static SlotStatisticsRow of(ReplicationSlot slot) {
    SlotStatistics statistics = slot.statistics();
    return new SlotStatisticsRow(
        slot.name(),
        statistics.spillTxns.sum(),
        statistics.spillCount.sum(),
        statistics.spillBytes.sum(),
        statistics.streamTxns.sum(),
        statistics.streamCount.sum(),
        statistics.streamBytes.sum(),
        statistics.totalTxns.sum(),
        statistics.totalBytes.sum(),
        SlotRows.micros(statistics.statsReset()));
  }

  Object[] values() {
    return new Object[] {
      slotName,
      spillTxns,
      spillCount,
      spillBytes,
      streamTxns,
      streamCount,
      streamBytes,
      totalTxns,
      totalBytes,
      statsReset == null ? null : statsReset.atOffset(ZoneOffset.UTC)
    };
  }
}
