package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * The log now.
 *
 * @param oldestKeptLsn the oldest position that can still be read
 * @param keptBytes from there to the insert position
 * @param keptBySlot the slot with the smallest restart_lsn, null without slots
 */
@Schema(name = "WalStatus")
record WalStatus(
    @JsonProperty("insert_lsn") @Schema(example = "0/16B1970") String insertLsn,
    @JsonProperty("write_lsn") String writeLsn,
    @JsonProperty("flush_lsn") String flushLsn,
    @JsonProperty("oldest_lsn") String oldestKeptLsn,
    @JsonProperty("kept_bytes") long keptBytes,
    @JsonProperty("oldest_slot_restart_lsn") String oldestSlotRestartLsn,
    @JsonProperty("kept_by_slot") String keptBySlot,
    List<String> segments) {}
