package dev.millrace.publisher.api;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.Invalidation;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotLimits;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** pg_replication_slots, for REST and SQL alike. Safe for any thread. */
final class SlotRows {

  private final ReplicationSlots slots;
  private final PublisherNode node;
  private final WriteAheadLog log;
  private final SlotLimits limits;

  SlotRows(ReplicationSlots slots, PublisherNode node, WriteAheadLog log, SlotLimits limits) {
    this.slots = slots;
    this.node = node;
    this.log = log;
    this.limits = limits;
  }

  List<SlotRow> all() {
    return slots.all().stream().map(this::row).toList();
  }

  SlotRow one(String name) {
    return row(slot(name));
  }

  /**
   * @throws PgException 42704 when there is none
   */
  ReplicationSlot slot(String name) {
    ReplicationSlot slot = slots.find(name);
    if (slot == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "replication slot \"" + name + "\" does not exist");
    }
    return slot;
  }

  SlotRow row(ReplicationSlot slot) {
    boolean active = slot.activePid() != 0;
    return new SlotRow(
        slot.name(),
        slot.plugin(),
        slot.logical() ? "logical" : "physical",
        slot.logical() ? Integer.toUnsignedLong(node.databaseOid()) : null,
        slot.database(),
        slot.temporary(),
        active,
        active ? slot.activePid() : null,
        null,
        slot.catalogXmin() == 0 ? null : slot.catalogXmin(),
        lsn(isWalRemoved(slot) ? 0 : slot.restartLsn()),
        lsn(slot.confirmedFlushLsn()),
        limits.walStatus(slot, log.oldestLsn(), log.insertLsn()),
        limits.safeWalSize(slot, log.oldestLsn(), log.insertLsn()),
        slot.twoPhase(),
        lsn(slot.twoPhaseAt()),
        active ? null : micros(slot.inactiveSince()),
        slot.logical() ? false : null, // conflicts with recovery exist on standbys only
        slot.invalidationReason(),
        slot.failover(),
        false);
  }

  private static boolean isWalRemoved(ReplicationSlot slot) {
    return Invalidation.WAL_REMOVED.reason().equals(slot.invalidationReason());
  }

  static String lsn(long lsn) {
    return lsn == 0 ? null : Lsn.format(lsn);
  }

  static Instant micros(Instant time) {
    return time == null ? null : time.truncatedTo(ChronoUnit.MICROS);
  }
}
