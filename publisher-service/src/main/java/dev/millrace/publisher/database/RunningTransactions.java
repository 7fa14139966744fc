package dev.millrace.publisher.database;

import dev.millrace.model.Lsn;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives out xids and knows which transactions have records in the log and have not ended. Safe for
 * any thread.
 */
final class RunningTransactions {

  /** The first xid of a new node. */
  static final int FIRST_XID = 731;

  private final AtomicInteger nextXid;
  private final ConcurrentHashMap<Integer, NodeTransaction> running = new ConcurrentHashMap<>();

  RunningTransactions(int nextXid) {
    this.nextXid = new AtomicInteger(nextXid);
  }

  int assign() {
    return nextXid.getAndIncrement();
  }

  int nextXid() {
    return nextXid.get();
  }

  /** Registered before its first record is appended, with a position at or before that record. */
  void add(NodeTransaction transaction) {
    running.put(transaction.xid(), transaction);
  }

  void remove(NodeTransaction transaction) {
    running.remove(transaction.xid(), transaction);
  }

  Collection<NodeTransaction> all() {
    return running.values();
  }

  /**
   * The smallest first LSN, or {@code Long.MAX_VALUE} when nothing runs. A transaction that begins
   * during the call lies at or after the insert position read before it.
   */
  long oldestFirstLsn() {
    long oldestLsn = Long.MAX_VALUE;
    for (NodeTransaction transaction : running.values()) {
      oldestLsn = Lsn.min(oldestLsn, transaction.firstLsn());
    }
    return oldestLsn;
  }
}
