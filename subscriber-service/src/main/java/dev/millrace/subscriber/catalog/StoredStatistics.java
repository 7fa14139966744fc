package dev.millrace.subscriber.catalog;

import jakarta.persistence.EntityManager;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The counters of all subscriptions: live in memory, saved every few seconds and at the stop. A
 * crash loses what was counted since the last save, as in PostgreSQL.
 */
final class StoredStatistics implements AutoCloseable {

  private final EntityManager entities;
  private final DurableCommit commits;
  private final Map<Integer, SubscriptionStatistics> live = new ConcurrentHashMap<>();

  StoredStatistics(EntityManager entities, DurableCommit commits) {
    this.entities = entities;
    this.commits = commits;
  }

  SubscriptionStatistics of(int subscriptionOid) {
    return live.computeIfAbsent(subscriptionOid, this::load);
  }

  private SubscriptionStatistics load(int subscriptionOid) {
    return commits.commit(
        () -> {
          StatisticsRow row = entities.find(StatisticsRow.class, subscriptionOid);
          return row == null ? new SubscriptionStatistics() : row.toStatistics();
        });
  }

  /** Only subscriptions that exist are saved: a worker may count an error just after the drop. */
  void save() {
    live.forEach(
        (oid, statistics) ->
            commits.commit(
                () -> {
                  if (entities.find(SubscriptionRow.class, oid) != null) {
                    entities.merge(new StatisticsRow(oid, statistics));
                  }
                }));
  }

  void forget(int subscriptionOid) {
    live.remove(subscriptionOid);
  }

  @Override
  public void close() {
    save();
  }
}
