package dev.millrace.subscriber.apply;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Where the apply worker and the table synchronization workers of one subscription meet: the states
 * w and c of a table, which are never stored.
 *
 * <pre>
 *   sync worker                          apply worker, between two transactions at position A
 *   rows copied at L0, state f stored
 *   awaitTarget(L0)          w  -->      answer(A): target = max(L0, A)
 *   applies up to target     c  &lt;--      awaitDone, feedback going on
 *   state s stored with target
 *   done                        -->      applies the table's transactions from target on
 *   drops slot and origin
 *   left                        -->      stores r
 * </pre>
 *
 * A sync worker that fails leaves at any point; the apply worker then goes on without it, and the
 * next attempt asks again. Safe for any thread.
 */
public final class HandOvers {

  private static final long LOOK_MS = 100;

  private enum Phase {
    /** The worker copies, or cleans up; nobody waits for it. */
    BUSY,
    /** State w: it waits for the apply worker's position. */
    SYNC_WAIT,
    /** State c: the apply worker waits for it. */
    CATCHUP
  }

  private final Map<Integer, Phase> phases = new HashMap<>();
  private final Map<Integer, Long> positions = new HashMap<>();
  private volatile boolean anyWaiting;

  /** A sync worker of that table has begun. */
  public synchronized void entered(int relationOid) {
    phases.put(relationOid, Phase.BUSY);
  }

  /** It is gone, whatever came of it. */
  public synchronized void left(int relationOid) {
    phases.remove(relationOid);
    positions.remove(relationOid);
    lookWhoWaits();
    notifyAll();
  }

  /** It has stored state s. */
  public synchronized void done(int relationOid) {
    phases.replace(relationOid, Phase.BUSY);
    notifyAll();
  }

  /** Whether a sync worker of that table is at work. */
  public synchronized boolean isActive(int relationOid) {
    return phases.containsKey(relationOid);
  }

  /**
   * Waits in state w.
   *
   * @param copiedLsn the position the table's rows are at
   * @return the position to catch up to: neither before {@code copiedLsn} nor before the apply
   *     worker's
   * @throws PgException 57P01 when the worker is to stop
   */
  public synchronized long awaitTarget(int relationOid, long copiedLsn, BooleanSupplier stopping)
      throws InterruptedException {
    phases.put(relationOid, Phase.SYNC_WAIT);
    positions.put(relationOid, copiedLsn);
    lookWhoWaits();
    while (phases.get(relationOid) == Phase.SYNC_WAIT) {
      if (stopping.getAsBoolean()) {
        throw new PgException(
            SqlState.ADMIN_SHUTDOWN,
            "terminating logical replication worker due to administrator command");
      }
      wait(LOOK_MS);
    }
    return positions.get(relationOid);
  }

  /** Whether {@link #answer} has something to do. Cheap. */
  public boolean anyWaiting() {
    return anyWaiting;
  }

  /**
   * Lets the waiting sync workers catch up.
   *
   * @param position the apply worker's
   * @return the tables concerned; {@link #awaitDone} comes next
   */
  public synchronized Set<Integer> answer(long position) {
    Set<Integer> answered = new HashSet<>();
    for (Map.Entry<Integer, Phase> entry : phases.entrySet()) {
      if (entry.getValue() == Phase.SYNC_WAIT) {
        entry.setValue(Phase.CATCHUP);
        positions.merge(entry.getKey(), position, Lsn::max);
        answered.add(entry.getKey());
      }
    }
    lookWhoWaits();
    notifyAll();
    return answered;
  }

  /** Waits until each of the tables is in state s or its sync worker is gone. */
  public synchronized void awaitDone(Set<Integer> relationOids, BooleanSupplier stopping)
      throws InterruptedException {
    while (!stopping.getAsBoolean()
        && relationOids.stream().anyMatch(oid -> phases.get(oid) == Phase.CATCHUP)) {
      wait(LOOK_MS);
    }
  }

  /**
   * For an apply worker that begins: waits for tables that an earlier one has let catch up. One of
   * them may be about to store s, which must not come after this worker has left changes to it.
   */
  public synchronized void awaitCaughtUp(BooleanSupplier stopping) throws InterruptedException {
    while (!stopping.getAsBoolean() && phases.containsValue(Phase.CATCHUP)) {
      wait(LOOK_MS);
    }
  }

  private void lookWhoWaits() {
    anyWaiting = phases.containsValue(Phase.SYNC_WAIT);
  }
}
