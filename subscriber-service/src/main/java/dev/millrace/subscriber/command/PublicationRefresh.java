package dev.millrace.subscriber.command;

import dev.millrace.model.Notice;
import dev.millrace.model.QualifiedName;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.SlotIntent;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.launcher.Launcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Brings the tables of a subscription in line with what its publications hold now: new ones start
 * at i (or r without copying), those that left lose their worker, state, origin and slot.
 */
final class PublicationRefresh {

  private final CommandServices services;

  PublicationRefresh(CommandServices services) {
    this.services = services;
  }

  /**
   * Stores {@code subscription} together with its new tables.
   *
   * @param toCheck publications whose absence is worth a warning
   */
  void run(
      Subscription subscription, boolean copyData, List<String> toCheck, Consumer<Notice> notices) {
    try (PublisherSession publisher = services.connect(subscription)) {
      if (!toCheck.isEmpty()) {
        publisher.checkPublications(toCheck, notices);
      }
      Set<QualifiedName> published = publisher.tables(subscription.publications());
      List<SubscribedRelation> known = services.catalog().relations(subscription.oid());
      List<SubscribedRelation> added = added(subscription, published, known, copyData);
      List<SubscribedRelation> removed =
          known.stream().filter(relation -> !published.contains(relation.table())).toList();
      try (Launcher.Suspension held = services.launcher().suspend(subscription.oid())) {
        removed.forEach(
            relation ->
                services.launcher().stopSyncWorker(subscription.oid(), relation.relationOid()));
        store(subscription, added, removed, publisher);
      }
    }
  }

  private List<SubscribedRelation> added(
      Subscription subscription,
      Set<QualifiedName> published,
      List<SubscribedRelation> known,
      boolean copyData) {
    List<QualifiedName> knownNames = known.stream().map(SubscribedRelation::table).toList();
    List<SubscribedRelation> added = new ArrayList<>();
    for (QualifiedName table : published) {
      if (!knownNames.contains(table)) {
        added.add(services.match(subscription.oid(), table, copyData));
      }
    }
    return added;
  }

  private void store(
      Subscription subscription,
      List<SubscribedRelation> added,
      List<SubscribedRelation> removed,
      PublisherSession publisher) {
    List<SlotIntent> drops = new ArrayList<>();
    for (SubscribedRelation relation : removed) {
      if (mayHaveSlot(relation)) {
        drops.add(
            services
                .intents()
                .note(
                    subscription.oid(),
                    relation.relationOid(),
                    subscription.syncSlotName(
                        relation.relationOid(), services.node().systemIdentifier()),
                    subscription.connection(),
                    SlotIntent.Action.DROP));
      }
    }
    services
        .store()
        .refresh(
            subscription, added, removed.stream().map(SubscribedRelation::relationOid).toList());
    for (SlotIntent drop : drops) {
      try {
        publisher.dropSlotIfExists(drop.slotName());
      } catch (RuntimeException e) {
        services.reconciler().takeOver(drop);
        throw e;
      }
      services.reconciler().settleAll(subscription.oid(), drop.relationOid());
    }
  }

  /** After s the slot is gone or its own intent says that it is going. */
  private static boolean mayHaveSlot(SubscribedRelation relation) {
    return relation.state() != RelationState.READY && relation.state() != RelationState.SYNC_DONE;
  }
}
