package dev.millrace.publisher.database;

import java.util.ArrayList;
import java.util.List;

/**
 * The lock of one table, or of one group of tables tied by foreign keys. Writers of a table share
 * it; DDL, TRUNCATE and writers of a group hold it alone. Held until the transaction ends.
 *
 * <p>Waiters for the exclusive side let no newcomers by. Its monitor guards everything.
 */
final class RelationLock {

  private final int oid;
  private final List<NodeTransaction> sharers = new ArrayList<>(4);
  private NodeTransaction owner;
  private int exclusiveWaiters;

  /**
   * @param oid the table's, or the complement of one that stands for its group
   */
  RelationLock(int oid) {
    this.oid = oid;
  }

  int oid() {
    return oid;
  }

  synchronized boolean isOwnedBy(NodeTransaction transaction) {
    return owner == transaction;
  }

  /** Takes the lock if nobody is in the way. */
  synchronized boolean tryAcquire(NodeTransaction transaction, boolean exclusive) {
    if (owner == transaction) {
      return true;
    }
    boolean sharing = sharers.contains(transaction);
    if (!exclusive && sharing) {
      return true;
    }
    if (owner != null) {
      return false;
    }
    if (!exclusive) {
      if (exclusiveWaiters > 0) {
        return false;
      }
      sharers.add(transaction);
      transaction.locks().add(this);
      return true;
    }
    if (sharers.size() > (sharing ? 1 : 0)) {
      return false;
    }
    owner = transaction;
    if (!sharing) {
      transaction.locks().add(this);
    }
    return true;
  }

  /** Counts a waiter for the exclusive side in or out. */
  synchronized void exclusiveWaiter(int change) {
    exclusiveWaiters += change;
    notifyAll();
  }

  /** Waits until something changes, at most {@code timeoutMs}. */
  synchronized void awaitChange(long timeoutMs) throws InterruptedException {
    wait(timeoutMs);
  }

  synchronized void release(NodeTransaction transaction) {
    sharers.remove(transaction);
    if (owner == transaction) {
      owner = null;
    }
    notifyAll();
  }

  /** Who holds it besides {@code transaction}. */
  synchronized List<NodeTransaction> othersThan(NodeTransaction transaction) {
    List<NodeTransaction> others = new ArrayList<>(sharers.size() + 1);
    for (NodeTransaction sharer : sharers) {
      if (sharer != transaction) {
        others.add(sharer);
      }
    }
    if (owner != null && owner != transaction) {
      others.add(owner);
    }
    return others;
  }
}
