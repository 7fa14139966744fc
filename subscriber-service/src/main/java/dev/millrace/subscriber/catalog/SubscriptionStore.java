package dev.millrace.subscriber.catalog;

import java.util.Collection;
import java.util.List;

/**
 * The catalogue's writing side, for the SUBSCRIPTION commands. Outside of {@link #together} each
 * call is one transaction of its own; when it returns, the change is committed and durable, and the
 * catalogue's listeners have been told. Safe for any thread.
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
   * As {@link #update}, except that whether it is enabled stays as it is: disable_on_error may have
   * changed that since the caller looked.
   */
  void alter(Subscription subscription);

  /**
   * As {@link #alter}, and adds and removes tables with their origins, in one transaction.
   *
   * @param removed OIDs of tables that leave the subscription
   */
  void refresh(
      Subscription subscription, List<SubscribedRelation> added, Collection<Integer> removed);

  /**
   * Makes one transaction of all calls in {@code calls}; they see each other.
   *
   * @param keep whether it is committed; else it is rolled back, and nobody is told
   */
  void together(boolean keep, Runnable calls);

  /**
   * Runs an action once the calls before it count: at once, or when {@link #together} has ended.
   */
  void afterCommit(Runnable action);

  /** Removes a subscription with all that belongs to it: tables, origins, progress, statistics. */
  void drop(int subscriptionOid);
}
