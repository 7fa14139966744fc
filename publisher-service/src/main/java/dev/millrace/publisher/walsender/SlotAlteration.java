package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;

/** ALTER_REPLICATION_SLOT and its REST twin. Safe for any thread. */
public final class SlotAlteration {

  private final ReplicationSlots slots;
  private final WriteAheadLog log;

  public SlotAlteration(ReplicationSlots slots, WriteAheadLog log) {
    this.slots = slots;
    this.log = log;
  }

  /**
   * Changes a slot that nobody uses. Two-phase decoding begins at the end of the log: whatever was
   * prepared before it comes whole at its COMMIT PREPARED, wherever the consumer starts.
   *
   * @param twoPhase null = as it is
   * @param failover null = as it is
   * @param pid of the session that asks
   * @throws PgException 42704, 55006 as acquiring it; 0A000 for what is not built
   */
  public void alter(String name, Boolean twoPhase, Boolean failover, long pid) {
    if (Boolean.TRUE.equals(failover)) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "failover replication slots are not supported yet");
    }
    ReplicationSlot slot = slots.acquire(name, pid, null);
    try {
      if (twoPhase != null && twoPhase != slot.twoPhase()) {
        if (twoPhase) {
          long endLsn = log.insertLsn();
          log.flush(endLsn);
          slot.enableTwoPhase(endLsn);
        } else {
          slot.disableTwoPhase();
        }
      }
    } finally {
      slots.release(slot);
    }
  }
}
