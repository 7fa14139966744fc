package dev.millrace.subscriber.command;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.receiver.PublisherConnector;
import dev.millrace.subscriber.target.TargetDatabase;

/** What the SUBSCRIPTION commands work with. */
record CommandServices(
    SubscriptionCatalog catalog,
    SubscriptionStore store,
    SlotIntents intents,
    LocalRelations relations,
    NodeIdentity node,
    TargetDatabase target,
    PublisherConnector connector,
    Launcher launcher,
    SlotReconciler reconciler) {

  /** Connects for a command on that subscription. */
  PublisherSession connect(Subscription subscription) {
    try {
      return new PublisherSession(
          connector.connect(subscription.connection(), subscription.name()));
    } catch (PgException e) {
      if (!e.sqlState().startsWith("08")) {
        throw e;
      }
      throw new PgException(
          SqlState.CONNECTION_FAILURE,
          "subscription \""
              + subscription.name()
              + "\" could not connect to the publisher: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * @throws PgException 42704 when there is none of that name
   */
  Subscription existing(String name) {
    Subscription subscription = catalog.subscription(name);
    if (subscription == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "subscription \"" + name + "\" does not exist");
    }
    return subscription;
  }

  /**
   * The local table for a published one, by schema and name.
   *
   * @throws PgException 42P01 when there is none
   */
  SubscribedRelation match(int subscriptionOid, QualifiedName table, boolean copyData) {
    if (target.relation(table) == null) {
      throw new PgException(SqlState.UNDEFINED_TABLE, "relation \"" + table + "\" does not exist");
    }
    return new SubscribedRelation(
        subscriptionOid,
        relations.of(table).oid(),
        table,
        copyData ? RelationState.INIT : RelationState.READY,
        0);
  }
}
