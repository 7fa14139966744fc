package dev.millrace.subscriber.command;

import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import java.util.Collection;

/**
 * Gives tables that are no longer subscribed their foreign keys back. Rows that are there already
 * are not checked, since they came checked by their publisher.
 */
final class ReleasedTables {

  private final CommandServices services;

  ReleasedTables(CommandServices services) {
    this.services = services;
  }

  /** After the tables have left their subscription; one that another still holds is left alone. */
  void release(Collection<SubscribedRelation> tables) {
    for (SubscribedRelation table : tables) {
      if (!isSubscribed(table.relationOid())) {
        services.target().setReferentialIntegrity(table.table(), true);
      }
    }
  }

  private boolean isSubscribed(int relationOid) {
    for (Subscription subscription : services.catalog().subscriptions()) {
      if (services.catalog().relation(subscription.oid(), relationOid) != null) {
        return true;
      }
    }
    return false;
  }
}
