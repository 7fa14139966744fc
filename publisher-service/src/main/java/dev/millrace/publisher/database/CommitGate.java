package dev.millrace.publisher.database;

import java.util.concurrent.locks.StampedLock;

/**
 * Orders commits against consistent points (storage.md 3).
 *
 * <p>A commit holds the shared side from before the append of its commit record until H2's commit
 * has returned; DDL and redo do the same. Who creates a slot or a checkpoint holds the exclusive
 * side while it reads the insert LSN: at that moment H2 shows exactly the transactions whose commit
 * records lie before it. Waiters queue, so neither side starves the other. A stamp may be given
 * back by another thread than the one that took it.
 *
 * <p>Never wait for a table lock while holding either side: the lock's holder may be waiting here
 * to commit.
 */
final class CommitGate {

  private final StampedLock lock = new StampedLock();

  /** Enters the shared side. */
  long enterShared() {
    return lock.readLock();
  }

  /** Enters the exclusive side. */
  long enterExclusive() {
    return lock.writeLock();
  }

  void leave(long stamp) {
    lock.unlock(stamp);
  }
}
