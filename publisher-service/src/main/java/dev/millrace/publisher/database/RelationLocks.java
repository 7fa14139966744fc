package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.PrepareRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The table locks of the node, beside H2's row locks: H2 has no lock that a writer could share and
 * DDL could wait for without holding up the log, and its foreign keys need writers one at a time
 * (storage.md 2).
 *
 * <p>A wait here may be part of a circle that runs through H2's row locks. Each waiter therefore
 * looks, every {@code deadlock_timeout}, along both kinds of edges for a way back to itself; a
 * circle of row locks alone is found by H2. Safe for any thread.
 */
final class RelationLocks {

  /** How soon a waiter notices that its statement was cancelled. */
  private static final long CANCEL_POLL_MS = 20;

  private final ConcurrentHashMap<Integer, RelationLock> byOid = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Integer, NodeTransaction> byHeapSession =
      new ConcurrentHashMap<>();

  /** Limits of one statement's waits. Milliseconds; a lock time-out of 0 waits for ever. */
  record Patience(long lockTimeoutMs, long deadlockTimeoutMs, Cancellation cancellation) {}

  /** Asked by waiters now and then; throws 57014 when the statement is to stop. */
  @FunctionalInterface
  interface Cancellation {
    void check();
  }

  /** A transaction that can wait and be waited for, reachable by its H2 session. */
  void begin(NodeTransaction transaction) {
    byHeapSession.put(transaction.heap().id(), transaction);
  }

  void end(NodeTransaction transaction) {
    byHeapSession.remove(transaction.heap().id(), transaction);
    transaction.end();
  }

  /**
   * Takes the lock, waiting for its holders.
   *
   * @throws PgException 55P03 after the lock time-out, 40P01 in a deadlock, 57014 when cancelled
   */
  void acquire(NodeTransaction transaction, int oid, boolean exclusive, Patience patience) {
    RelationLock lock = byOid.computeIfAbsent(oid, RelationLock::new);
    if (!lock.tryAcquire(transaction, exclusive)) {
      await(transaction, lock, exclusive, patience);
    }
  }

  /** Gives a transaction that a start found prepared the locks it held; nobody else has any. */
  void resume(NodeTransaction transaction, List<PrepareRecord.Lock> held) {
    begin(transaction);
    for (PrepareRecord.Lock each : held) {
      RelationLock lock = byOid.computeIfAbsent(each.oid(), RelationLock::new);
      if (!lock.tryAcquire(transaction, each.exclusive())) {
        throw new PgException(
            SqlState.DATA_CORRUPTED,
            "prepared transaction " + transaction.xid() + " shares a lock of another");
      }
    }
  }

  private void await(
      NodeTransaction transaction, RelationLock lock, boolean exclusive, Patience patience) {
    long startNs = System.nanoTime();
    long checkedMs = 0;
    transaction.waitingFor(lock);
    if (exclusive) {
      lock.exclusiveWaiter(1);
    }
    try {
      while (!lock.tryAcquire(transaction, exclusive)) {
        long waitedMs = (System.nanoTime() - startNs) / 1_000_000;
        checkPatience(waitedMs, patience);
        if (waitedMs - checkedMs >= patience.deadlockTimeoutMs()) {
          checkDeadlock(transaction);
          checkedMs = waitedMs;
        }
        lock.awaitChange(CANCEL_POLL_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "terminating connection", e);
    } finally {
      transaction.waitingFor(null);
      if (exclusive) {
        lock.exclusiveWaiter(-1);
      }
    }
  }

  /** Ends a wait that was cancelled or has lasted as long as lock_timeout allows. */
  static void checkPatience(long waitedMs, Patience patience) {
    patience.cancellation().check();
    if (patience.lockTimeoutMs() > 0 && waitedMs >= patience.lockTimeoutMs()) {
      throw new PgException(SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout");
    }
  }

  /** The transactions besides {@code transaction} that have written, or may write, the table. */
  List<NodeTransaction> otherWriters(int oid, NodeTransaction transaction) {
    RelationLock lock = byOid.get(oid);
    return lock == null ? List.of() : lock.othersThan(transaction);
  }

  /** Waits until all of {@code others} have ended. */
  void awaitEnd(
      NodeTransaction transaction, int oid, List<NodeTransaction> others, Patience patience) {
    RelationLock lock = byOid.get(oid);
    long startNs = System.nanoTime();
    long checkedMs = 0;
    transaction.waitingFor(lock);
    try {
      for (NodeTransaction other : others) {
        while (!other.hasEnded()) {
          long waitedMs = (System.nanoTime() - startNs) / 1_000_000;
          checkPatience(waitedMs, patience);
          if (waitedMs - checkedMs >= patience.deadlockTimeoutMs()) {
            checkDeadlock(transaction);
            checkedMs = waitedMs;
          }
          lock.awaitChange(CANCEL_POLL_MS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "terminating connection", e);
    } finally {
      transaction.waitingFor(null);
    }
  }

  private void checkDeadlock(NodeTransaction start) {
    Set<NodeTransaction> seen = new HashSet<>();
    Deque<NodeTransaction> open = new ArrayDeque<>(blockers(start));
    while (!open.isEmpty()) {
      NodeTransaction next = open.pop();
      if (next == start) {
        throw new PgException(SqlState.DEADLOCK_DETECTED, "deadlock detected")
            .withHint("See server log for query details.");
      }
      if (seen.add(next)) {
        open.addAll(blockers(next));
      }
    }
  }

  private List<NodeTransaction> blockers(NodeTransaction transaction) {
    List<NodeTransaction> blockers = new ArrayList<>();
    RelationLock lock = transaction.waitingFor();
    if (lock != null) {
      blockers.addAll(lock.othersThan(transaction));
    }
    int heapBlocker = transaction.heap().blockerId();
    if (heapBlocker != 0) {
      NodeTransaction blocker = byHeapSession.get(heapBlocker);
      if (blocker != null) {
        blockers.add(blocker);
      }
    }
    return blockers;
  }
}
