package dev.millrace.subscriber.catalog;

import java.sql.Connection;
import java.util.List;

/**
 * Subscriptions, relation states and origins, kept in schema {@code millrace} of the target
 * database, because state and data commit together there. Methods that take a connection write
 * inside its open transaction; the others commit by themselves. Safe for any thread.
 */
public interface SubscriptionCatalog {

  List<Subscription> subscriptions();

  /** Null when there is none (any more). */
  Subscription subscription(int oid);

  Subscription subscription(String name);

  List<SubscribedRelation> relations(int subscriptionOid);

  /** Null when the table is not (any more) part of the subscription. */
  SubscribedRelation relation(int subscriptionOid, int relationOid);

  /**
   * Stores a state inside the caller's transaction.
   *
   * @throws dev.millrace.model.PgException 42704 when the table has left the subscription
   */
  void storeState(
      Connection transaction, int subscriptionOid, int relationOid, RelationState state, long lsn);

  void storeState(int subscriptionOid, int relationOid, RelationState state, long lsn);

  /** Makes the origin if it is missing; returns its number (pg_replication_origin.roident). */
  int ensureOrigin(String originName);

  void dropOrigin(String originName);

  /** The end_lsn of the last applied transaction of the origin, 0 for none. */
  long originProgress(String originName);

  /** The names of all origins, without looking at their progress. */
  List<String> originNames();

  /** pg_replication_origin_status. */
  List<ReplicationOrigin> origins();

  /**
   * Inserts one progress row (semantics.md A5: inserted, not updated) inside the caller's
   * transaction; hot path. It prepares its statement each time: H2 and PostgreSQL's driver keep
   * prepared statements per connection and find them by their text.
   */
  void storeProgress(Connection transaction, int originNumber, long endLsn, long commitTime);

  /** Removes progress rows that newer durable ones make useless. */
  void pruneProgress(int originNumber);

  /** Disables after an error (disable_on_error) and keeps why; logs and commits. */
  void disable(int subscriptionOid, SubscriptionError error);

  /** Why the subscription was disabled; null when no error did that. */
  SubscriptionError disableError(int subscriptionOid);

  /** Counts and remembers for pg_stat_subscription_stats. */
  SubscriptionStatistics statistics(int subscriptionOid);

  /**
   * Called with the subscription's OID after it was made, changed, refreshed or dropped, from the
   * changing thread and after the commit. States that workers store are not announced.
   */
  void onChange(java.util.function.IntConsumer listener);
}
