package dev.millrace.subscriber.command;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.DropSubscription;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.SlotIntent;
import dev.millrace.subscriber.catalog.SlotIntent.Action;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.launcher.Launcher;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * DROP SUBSCRIPTION: the workers stop, the slots go on the publisher, and only then everything goes
 * here, so that a refusal by the publisher keeps the subscription as it was. A crash in between
 * leaves intents, from which {@link SlotReconciler} finishes the drop.
 */
final class DropSubscriptionCommand {

  private final CommandServices services;

  DropSubscriptionCommand(CommandServices services) {
    this.services = services;
  }

  void run(DropSubscription drop, Consumer<Notice> notices) {
    Subscription subscription = services.catalog().subscription(drop.name());
    if (subscription == null && drop.ifExists()) {
      notices.accept(
          Notice.notice("subscription \"" + drop.name() + "\" does not exist, skipping"));
      return;
    }
    subscription = services.existing(drop.name());
    try (Launcher.Suspension held = services.launcher().suspend(subscription.oid())) {
      services.launcher().stopWorkers(subscription.oid());
      List<String> syncSlots = syncSlots(subscription);
      if (subscription.slotName() != null || !syncSlots.isEmpty()) {
        dropSlots(subscription, syncSlots, notices);
      }
      FaultPoint.hit("subscription.after-slot-drop");
      services.store().drop(subscription.oid());
    }
  }

  /** Slots that table synchronizations may have left; after s and r only by an open intent. */
  private List<String> syncSlots(Subscription subscription) {
    List<String> slots = new ArrayList<>();
    for (SubscribedRelation relation : services.catalog().relations(subscription.oid())) {
      if (relation.state() != RelationState.READY
          && relation.state() != RelationState.INIT
          && relation.state() != RelationState.SYNC_DONE) {
        slots.add(
            subscription.syncSlotName(relation.relationOid(), services.node().systemIdentifier()));
      }
    }
    for (SlotIntent intent : services.intents().open()) {
      if (intent.subscriptionOid() == subscription.oid()
          && intent.relationOid() != 0
          && !slots.contains(intent.slotName())) {
        slots.add(intent.slotName());
      }
    }
    return slots;
  }

  private void dropSlots(
      Subscription subscription, List<String> syncSlots, Consumer<Notice> notices) {
    PublisherSession publisher;
    try {
      publisher = services.connect(subscription);
    } catch (PgException e) {
      if (subscription.slotName() == null) {
        // Nobody can say whether there are any; PostgreSQL lets the drop pass, too.
        return;
      }
      throw unreachable(subscription, e);
    }
    try (publisher) {
      if (subscription.slotName() == null) {
        dropSyncSlots(publisher, syncSlots, notices);
        return;
      }
      SlotIntent intent =
          services
              .intents()
              .note(
                  subscription.oid(),
                  0,
                  subscription.slotName(),
                  subscription.connection(),
                  Action.DROP);
      try {
        dropSyncSlots(publisher, syncSlots, notices);
        dropMainSlot(publisher, subscription.slotName(), notices);
      } catch (RuntimeException e) {
        services.intents().settle(intent);
        throw e;
      }
    }
  }

  private static void dropSyncSlots(
      PublisherSession publisher, List<String> slots, Consumer<Notice> notices) {
    for (String slot : slots) {
      try {
        if (publisher.dropSlotIfExists(slot)) {
          notices.accept(dropped(slot));
        }
      } catch (PgException e) {
        throw couldNotDrop(slot, e);
      }
    }
  }

  private static void dropMainSlot(
      PublisherSession publisher, String slot, Consumer<Notice> notices) {
    try {
      publisher.dropSlot(slot);
    } catch (PgException e) {
      throw couldNotDrop(slot, e);
    }
    notices.accept(dropped(slot));
  }

  private static Notice dropped(String slot) {
    return Notice.notice("dropped replication slot \"" + slot + "\" on publisher");
  }

  private static PgException couldNotDrop(String slot, PgException error) {
    return new PgException(
        SqlState.CONNECTION_FAILURE,
        "could not drop replication slot \"" + slot + "\" on publisher: " + error.getMessage(),
        error);
  }

  private static PgException unreachable(Subscription subscription, PgException error) {
    Throwable reason = error.getCause() instanceof PgException cause ? cause : error;
    return new PgException(
            SqlState.CONNECTION_FAILURE,
            "could not connect to publisher when attempting to drop replication slot \""
                + subscription.slotName()
                + "\": "
                + reason.getMessage(),
            error)
        .withHint(
            "Use ALTER SUBSCRIPTION ... DISABLE to disable the subscription, and then use ALTER"
                + " SUBSCRIPTION ... SET (slot_name = NONE) to disassociate it from the slot.");
  }
}
