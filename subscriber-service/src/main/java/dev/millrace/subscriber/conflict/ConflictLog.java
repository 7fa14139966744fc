package dev.millrace.subscriber.conflict;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The latest conflicts of this node, for looking at; the counters of pg_stat_subscription_stats are
 * what lasts. Safe for any thread.
 */
public final class ConflictLog {

  private static final int KEPT = 1000;

  private final ArrayDeque<ConflictRecord> records = new ArrayDeque<>();

  /** Adds the newest one; the oldest goes when there are too many. */
  public synchronized void add(ConflictRecord record) {
    if (records.size() == KEPT) {
      records.removeLast();
    }
    records.addFirst(record);
  }

  /** Those of one subscription, newest first. */
  public synchronized List<ConflictRecord> of(int subscriptionOid) {
    List<ConflictRecord> found = new ArrayList<>();
    for (ConflictRecord record : records) {
      if (record.subscriptionOid() == subscriptionOid) {
        found.add(record);
      }
    }
    return found;
  }
}
