package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The snapshots that slots and table copies hold open. H2 does not isolate readers from DDL, so
 * ALTER and DROP of a table wait until none is open. Its monitor guards everything.
 */
final class OpenSnapshots {

  private final Set<SnapshotConnection> open = new LinkedHashSet<>();

  /**
   * @throws PgException 53400 when {@code limit} snapshots are open
   */
  synchronized void add(SnapshotConnection snapshot, int limit) {
    if (open.size() >= limit) {
      throw new PgException(SqlState.CONFIGURATION_LIMIT_EXCEEDED, "too many snapshots are open")
          .withHint("Free one or increase \"max_slot_snapshots\".");
    }
    open.add(snapshot);
  }

  synchronized void remove(SnapshotConnection snapshot) {
    open.remove(snapshot);
    notifyAll();
  }

  /** Who holds the oldest open snapshot; null when none is open. */
  synchronized String holder() {
    return open.isEmpty() ? null : open.iterator().next().holder();
  }

  /** Waits until a snapshot is closed, at most {@code timeoutMs}. */
  synchronized void awaitChange(long timeoutMs) throws InterruptedException {
    wait(timeoutMs);
  }
}
