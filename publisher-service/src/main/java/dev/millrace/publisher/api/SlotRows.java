package dev.millrace.publisher.api;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** pg_replication_slots, for REST and SQL alike. Safe for any thread. */
final class SlotRows {

  private final ReplicationSlots slots;
  private final PublisherNode node;
  private final WriteAheadLog log;
  private final Settings settings;

  SlotRows(ReplicationSlots slots, PublisherNode node, WriteAheadLog log, Settings settings) {
    this.slots = slots;
    this.node = node;
    this.log = log;
    this.settings = settings;
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
        lsn(slot.restartLsn()),
        lsn(slot.confirmedFlushLsn()),
        walStatus(slot),
        null,
        slot.twoPhase(),
        null,
        active ? null : micros(slot.inactiveSince()),
        slot.logical() ? slot.invalidationReason() != null : null,
        slot.invalidationReason(),
        slot.failover(),
        false);
  }

  /** Log behind restart_lsn beyond max_wal_size is kept for the slot's sake alone. */
  private String walStatus(ReplicationSlot slot) {
    if (slot.restartLsn() == 0) {
      return null;
    }
    if (slot.invalidationReason() != null) {
      return "lost";
    }
    long kept = log.insertLsn() - slot.restartLsn();
    return kept > settings.getBytes("max_wal_size") ? "extended" : "reserved";
  }

  static String lsn(long lsn) {
    return lsn == 0 ? null : Lsn.format(lsn);
  }

  static Instant micros(Instant time) {
    return time == null ? null : time.truncatedTo(ChronoUnit.MICROS);
  }
}
