package dev.millrace.publisher.slots;

import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The slots of the node. Safe for any thread; every change that must survive is on disk when the
 * call returns.
 */
public interface ReplicationSlots {

  /**
   * Reserves the name and creates the slot without a position; the caller must {@link
   * ReplicationSlot#makeReady} or {@link #drop} it. The slot is acquired by {@code ownerPid}.
   *
   * @throws dev.millrace.model.PgException 42602 bad name, 42710 name taken, 53400
   *     max_replication_slots reached
   */
  ReplicationSlot create(SlotRequest request, long ownerPid);

  /**
   * @param temporary ends with the session of its owner
   */
  record SlotRequest(
      String name,
      boolean logical,
      String plugin,
      String database,
      boolean temporary,
      boolean twoPhase,
      boolean failover) {}

  /**
   * Takes the slot for one consumer.
   *
   * @throws dev.millrace.model.PgException 42704 unknown, 55006 in use, 55000 invalidated or of
   *     another database
   */
  ReplicationSlot acquire(String name, long ownerPid, String database);

  /** Gives a slot back; a temporary one stays its session's. Sets inactive_since. */
  void release(ReplicationSlot slot);

  /**
   * Makes a slot unusable and has that on disk; its log may go from then on. Who holds it finds out
   * by {@link ReplicationSlot#invalidationReason}.
   *
   * @return false when it is gone or invalid already, or, for idle_timeout, in use again
   */
  boolean invalidate(ReplicationSlot slot, Invalidation cause);

  /**
   * Removes the slot, its directory and spill files.
   *
   * @param keepWaiting asked while another session holds the slot: true waits on until that one has
   *     gone (DROP_REPLICATION_SLOT .. WAIT), false ends in the error
   * @throws dev.millrace.model.PgException 42704 unknown, 55006 in use
   */
  void drop(String name, long callerPid, BooleanSupplier keepWaiting);

  /** Removes the slot; 55006 when another session holds it. */
  default void drop(String name, long callerPid) {
    drop(name, callerPid, () -> false);
  }

  /** Drops the temporary slots of a session that ends or failed. */
  void dropTemporarySlotsOf(long ownerPid);

  /** Null when there is none. */
  ReplicationSlot find(String name);

  /** In name order. */
  List<ReplicationSlot> all();

  /**
   * The smallest restart_lsn on disk of all valid slots, or {@code Long.MAX_VALUE}: log before it
   * is not needed by slots.
   */
  long oldestRestartLsn();

  /** The smallest LSN whose catalogue a slot needs, or {@code Long.MAX_VALUE}. */
  long oldestCatalogLsn();

  /** Writes the state of every changed slot (checkpoint, clean stop). */
  void saveAll();
}
