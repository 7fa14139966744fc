package dev.millrace.subscriber.catalog;

import java.util.Collection;
import java.util.List;

/**
 * The catalogue's writing side, for the SUBSCRIPTION commands. Each call is one transaction of its
 * own; when it returns, the change is committed and durable, and the catalogue's listeners have
 * been told. Safe for any thread.
 */
public interface SubscriptionStore {

  /**
   * Stores a subscription with its origin and tables, and settles the intent that made its slot.
   *
   * @param intent null when no slot was made
   * @throws dev.millrace.model.PgException 42710 when the name is taken
   */
  void create(Subscription subscription, List<SubscribedRelation> relations, SlotIntent intent);

  /** Replaces the row of the same OID; 42710 when a new name is taken, 42704 when it is gone. */
  void update(Subscription subscription);

  /**
   * Replaces the row and adds and removes tables with their origins, in one transaction.
   *
   * @param removed OIDs of tables that leave the subscription
   */
  void refresh(
      Subscription subscription, List<SubscribedRelation> added, Collection<Integer> removed);

  /** Removes a subscription with all that belongs to it: tables, origins, progress, statistics. */
  void drop(int subscriptionOid);
}
