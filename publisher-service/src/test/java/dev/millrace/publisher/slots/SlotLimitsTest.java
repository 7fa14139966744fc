package dev.millrace.publisher.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.slots.ReplicationSlots.SlotRequest;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the limits of a slot lie, in segments and seconds (C4). */
class SlotLimitsTest {

  private static final Instant NOW = Instant.parse("2026-05-13T22:03:45Z");
  private static final long SEGMENT = 16L << 20;
  private static final long RESTART = 10 * SEGMENT + 500;

  @TempDir Path root;
  private final Settings settings = new Settings(SettingTable.definitions(), Map.of());
  private SlotStore slots;
  private ReplicationSlot slot;

  @BeforeEach
  void create() {
    slots = SlotStore.open(root, () -> 10, Clock.fixed(NOW, ZoneOffset.UTC));
    slot = slots.create(new SlotRequest("s", true, "pgoutput", "testdb", false, false, false), 7);
    slot.makeReady(RESTART + 100, RESTART, 731);
    slots.release(slot);
  }

  private SlotLimits limits(Duration later) {
    return new SlotLimits(settings, Clock.fixed(NOW.plus(later), ZoneOffset.UTC), SEGMENT);
  }

  private String status(long insertLsn) {
    return limits(Duration.ZERO).walStatus(slot, SEGMENT, insertLsn);
  }

  private Long safe(long insertLsn) {
    return limits(Duration.ZERO).safeWalSize(slot, SEGMENT, insertLsn);
  }

  private String reasonAfter(Duration later, long insertLsn) {
    limits(later).apply(slots, insertLsn, insertLsn);
    return slot.invalidationReason();
  }

  @Test
  @DisplayName("without a limit a slot is reserved up to max_wal_size, then extended, never lost")
  void unlimited() {
    settings.set("max_wal_size", "64MB");
    assertThat(status(14 * SEGMENT)).isEqualTo("reserved");
    assertThat(status(16 * SEGMENT)).isEqualTo("extended");
    assertThat(safe(16 * SEGMENT)).isNull();
    assertThat(reasonAfter(Duration.ofDays(1000), 1000 * SEGMENT)).isNull();
  }

  @Test
  @DisplayName("safe_wal_size counts to the end of the segment after the limit; then unreserved")
  void limited() {
    settings.set("max_slot_wal_keep_size", "16MB");
    assertThat(status(11 * SEGMENT + 1)).isEqualTo("reserved");
    assertThat(safe(11 * SEGMENT + 1)).isEqualTo(SEGMENT - 1);
    assertThat(reasonAfter(Duration.ZERO, 12 * SEGMENT - 1)).isNull();
    assertThat(status(12 * SEGMENT)).isEqualTo("unreserved");
    assertThat(safe(12 * SEGMENT + 5)).isEqualTo(-5);
    assertThat(slot.invalidationReason()).isNull();
  }

  @Test
  @DisplayName("a checkpoint beyond the limit invalidates the slot, once and on disk")
  void invalidated() {
    settings.set("max_slot_wal_keep_size", "16MB");
    assertThat(reasonAfter(Duration.ZERO, 12 * SEGMENT)).isEqualTo("wal_removed");
    assertThat(status(12 * SEGMENT)).isEqualTo("lost");
    assertThat(safe(12 * SEGMENT)).isNull();
    assertThat(slots.oldestRestartLsn()).isEqualTo(Long.MAX_VALUE);
    assertThat(slots.invalidate(slot, Invalidation.WAL_REMOVED)).isFalse();
    SlotStore again = SlotStore.open(root, () -> 10, Clock.systemUTC());
    assertThat(again.find("s").invalidationReason()).isEqualTo("wal_removed");
  }

  @Test
  @DisplayName("log that redo needs is there anyway and costs no slot its life")
  void redoKeeps() {
    settings.set("max_slot_wal_keep_size", "0");
    limits(Duration.ZERO).apply(slots, RESTART, 20 * SEGMENT);
    assertThat(slot.invalidationReason()).isNull();
  }

  @Test
  @DisplayName("wal_keep_size above the limit keeps the slot too")
  void walKeepSize() {
    settings.set("max_slot_wal_keep_size", "16MB");
    settings.set("wal_keep_size", "64MB");
    assertThat(reasonAfter(Duration.ZERO, 14 * SEGMENT)).isNull();
    assertThat(reasonAfter(Duration.ZERO, 15 * SEGMENT)).isEqualTo("wal_removed");
  }

  @Test
  @DisplayName("an idle slot goes after idle_replication_slot_timeout, a used one never")
  void idle() {
    settings.set("idle_replication_slot_timeout", "60s");
    assertThat(reasonAfter(Duration.ofSeconds(59), 11 * SEGMENT)).isNull();
    slots.acquire("s", 8, "testdb");
    assertThat(reasonAfter(Duration.ofSeconds(61), 11 * SEGMENT)).isNull();
    assertThat(slots.invalidate(slot, Invalidation.IDLE_TIMEOUT)).isFalse();
    slots.release(slot);
    assertThat(reasonAfter(Duration.ofSeconds(61), 11 * SEGMENT)).isEqualTo("idle_timeout");
  }
}
