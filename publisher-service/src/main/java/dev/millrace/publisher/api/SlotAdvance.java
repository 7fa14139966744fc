package dev.millrace.publisher.api;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.decoding.LogicalDecoding.DecodingSession;
import dev.millrace.publisher.slots.Invalidation;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;

/** pg_replication_slot_advance: moves a slot without sending what lies between. */
final class SlotAdvance {

  private final ReplicationSlots slots;
  private final PublisherNode node;
  private final LogicalDecoding decoding;
  private final WriteAheadLog log;

  SlotAdvance(
      ReplicationSlots slots, PublisherNode node, LogicalDecoding decoding, WriteAheadLog log) {
    this.slots = slots;
    this.node = node;
    this.decoding = decoding;
    this.log = log;
  }

  /**
   * Moves the slot to the end of the record that reaches {@code uptoLsn}, at most to the end of the
   * flushed log.
   *
   * @return where the slot stands then
   * @throws PgException 22023 for 0/0, 55000 for a position behind confirmed_flush_lsn
   */
  long advance(String name, long uptoLsn, long pid) {
    if (uptoLsn == 0) {
      throw new PgException(SqlState.INVALID_PARAMETER_VALUE, "invalid target WAL LSN");
    }
    ReplicationSlot slot = slots.acquire(name, pid, node.databaseName());
    try {
      long target = Lsn.min(uptoLsn, log.flushLsn());
      long minimum = slot.confirmedFlushLsn();
      if (Lsn.isBefore(target, minimum)) {
        throw new PgException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "cannot advance replication slot to "
                + Lsn.format(target)
                + ", minimum is "
                + Lsn.format(minimum));
      }
      if (target != minimum) {
        read(slot, target);
      }
      return slot.confirmedFlushLsn();
    } finally {
      slots.release(slot);
    }
  }

  private void read(ReplicationSlot slot, long target) {
    try (DecodingSession session = decoding.startFastForward(slot)) {
      while (Lsn.isBefore(session.processedLsn(), target) && session.step()) {
        // Reading notes where decoding may restart; that is all there is to do.
        Invalidation.requireNone(slot);
      }
      slot.confirm(session.processedLsn());
    }
  }
}
