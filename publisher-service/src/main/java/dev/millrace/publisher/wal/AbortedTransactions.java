package dev.millrace.publisher.wal;

import java.util.LinkedHashSet;

/**
 * The transactions that aborted lately, known before a reader of the log meets their abort records:
 * nobody needs to keep what they did. Forgetting one costs work, nothing else, so only the last
 * ones are kept. Safe for any thread.
 *
 * <p>A transaction noted here can never commit, whether or not its abort record reaches the disk.
 */
public final class AbortedTransactions {

  private static final int MAX_KEPT = 4096;

  private final LinkedHashSet<Integer> xids = new LinkedHashSet<>();

  /** Notes the abort of a top-level transaction. */
  public synchronized void add(int xid) {
    xids.add(xid);
    if (xids.size() > MAX_KEPT) {
      xids.remove(xids.iterator().next());
    }
  }

  /** Whether that transaction is known to have aborted. */
  public synchronized boolean contains(int xid) {
    return xids.contains(xid);
  }
}
