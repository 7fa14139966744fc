package dev.millrace.subscriber.apply;

import dev.millrace.model.Lsn;
import dev.millrace.model.QualifiedName;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The apply worker's view of the states of its subscription's tables, and its part in moving them:
 * s to r. The worker's thread alone, except {@link #invalidate}.
 */
final class TableStates implements ChangeGate {

  private static final Logger log = LoggerFactory.getLogger(TableStates.class);

  private static final long TRY_INTERVAL_NANOS = 100_000_000;

  private final SubscriptionCatalog catalog;
  private final int subscriptionOid;
  private final String subscriptionName;
  private final HandOvers handOvers;
  private final Map<QualifiedName, SubscribedRelation> tables = new HashMap<>();
  private boolean anySyncDone;
  private long lastTryNanos = System.nanoTime() - TRY_INTERVAL_NANOS;
  private volatile boolean stale = true;

  TableStates(
      SubscriptionCatalog catalog,
      int subscriptionOid,
      String subscriptionName,
      HandOvers handOvers) {
    this.catalog = catalog;
    this.subscriptionOid = subscriptionOid;
    this.subscriptionName = subscriptionName;
    this.handOvers = handOvers;
  }

  /** The catalogue holds something newer. Any thread. */
  void invalidate() {
    stale = true;
  }

  private void refresh() {
    if (!stale) {
      return;
    }
    stale = false;
    tables.clear();
    anySyncDone = false;
    for (SubscribedRelation table : catalog.relations(subscriptionOid)) {
      tables.put(table.table(), table);
      anySyncDone |= table.state() == RelationState.SYNC_DONE;
    }
  }

  @Override
  public Verdict judge(QualifiedName table, long commitLsn) {
    refresh();
    SubscribedRelation relation = tables.get(table);
    if (relation == null) {
      return Verdict.NOT_SUBSCRIBED;
    }
    switch (relation.state()) {
      case READY:
        return Verdict.APPLY;
      case SYNC_DONE:
        return Lsn.isBefore(commitLsn, relation.lsn()) ? Verdict.LEAVE : Verdict.APPLY;
      default:
        return Verdict.LEAVE;
    }
  }

  /** Whether it is time to try {@link #makeReady}: not at every transaction. */
  boolean mayMakeReady() {
    refresh();
    return anySyncDone && System.nanoTime() - lastTryNanos >= TRY_INTERVAL_NANOS;
  }

  /**
   * Stores r for tables in s that the worker has passed and whose sync worker has cleaned up; the
   * origin is the last thing that it removes.
   */
  void makeReady(long position) {
    lastTryNanos = System.nanoTime();
    Set<String> origins = Set.copyOf(catalog.originNames());
    for (SubscribedRelation table : Set.copyOf(tables.values())) {
      boolean passed =
          table.state() == RelationState.SYNC_DONE && !Lsn.isBefore(position, table.lsn());
      if (passed
          && !handOvers.isActive(table.relationOid())
          && !origins.contains(ApplyOrigin.syncName(subscriptionOid, table.relationOid()))) {
        stale = true;
        if (catalog.relation(subscriptionOid, table.relationOid()) == null) {
          continue; // REFRESH or DROP TABLE has removed it meanwhile.
        }
        catalog.storeState(subscriptionOid, table.relationOid(), RelationState.READY, table.lsn());
        log.info(
            "table \"{}\" of subscription \"{}\" is ready (s -> r at {})",
            table.table(),
            subscriptionName,
            Lsn.format(table.lsn()));
      }
    }
  }
}
