package dev.millrace.subscriber.tablesync;

import dev.millrace.model.Identifiers;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.catalog.SlotIntent;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.receiver.PublisherConnection;
import java.util.List;

/**
 * The replication slot of one table synchronization. Each command that changes it on the publisher
 * is preceded by a durable intent here, so that whatever a crash leaves behind is known to the next
 * start.
 */
final class SyncSlot {

  private final SlotIntents intents;
  private final Subscription subscription;
  private final SubscribedRelation table;
  private final String name;

  SyncSlot(
      SlotIntents intents,
      Subscription subscription,
      SubscribedRelation table,
      String systemIdentifier) {
    this.intents = intents;
    this.subscription = subscription;
    this.table = table;
    this.name = subscription.syncSlotName(table.relationOid(), systemIdentifier);
  }

  String name() {
    return name;
  }

  /**
   * Makes the slot inside the publisher's open transaction, which then sees exactly the rows at the
   * consistent point.
   *
   * @return the consistent point
   */
  long create(PublisherConnection connection) {
    intents.note(
        subscription.oid(),
        table.relationOid(),
        name,
        subscription.connection(),
        SlotIntent.Action.MAKE);
    PublisherConnection.QueryResult result =
        connection.execute(
            "CREATE_REPLICATION_SLOT "
                + Identifiers.alwaysQuote(name)
                + " LOGICAL pgoutput (SNAPSHOT 'use')");
    int column = result.columns().indexOf("consistent_point");
    if (column < 0 || result.rows().size() != 1) {
      throw new PgException(
          SqlState.PROTOCOL_VIOLATION,
          "could not create replication slot \"" + name + "\": unexpected answer");
    }
    return Lsn.parse(String.valueOf(result.rows().get(0).get(column))).value();
  }

  /** Notes that the slot is to go; durable when it returns. */
  void intendToDrop() {
    intents.note(
        subscription.oid(),
        table.relationOid(),
        name,
        subscription.connection(),
        SlotIntent.Action.DROP);
  }

  /** Drops the slot; that it is not there is fine. */
  void drop(PublisherConnection connection) {
    try {
      connection.execute("DROP_REPLICATION_SLOT " + Identifiers.alwaysQuote(name) + " WAIT");
    } catch (PgException error) {
      if (!SqlState.UNDEFINED_OBJECT.equals(error.sqlState())) {
        throw error;
      }
    }
  }

  /** The slot's fate is stored: the table's state says the same as its intents. */
  void settle() {
    for (SlotIntent intent : openIntents(intents, subscription.oid(), table.relationOid())) {
      intents.settle(intent);
    }
  }

  static List<SlotIntent> openIntents(SlotIntents intents, int subscriptionOid, int relationOid) {
    return intents.open().stream()
        .filter(
            intent ->
                intent.subscriptionOid() == subscriptionOid && intent.relationOid() == relationOid)
        .toList();
  }
}
