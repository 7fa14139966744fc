package dev.millrace.subscriber.command;

import dev.millrace.model.BootstrapRole;
import dev.millrace.model.FaultPoint;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.CreateSubscription;
import dev.millrace.subscriber.catalog.SlotIntent;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * CREATE SUBSCRIPTION.
 *
 * <p>Everything that can be refused is looked at before the slot is made, so a refusal leaves
 * nothing behind. Then: a durable intent, the slot, and the subscription with its tables in one
 * durable transaction that also settles the intent. A crash in between leaves the intent, from
 * which {@link SlotReconciler} drops the slot.
 */
final class CreateSubscriptionCommand {

  private final CommandServices services;

  CreateSubscriptionCommand(CommandServices services) {
    this.services = services;
  }

  void run(CreateSubscription create, Consumer<Notice> notices) {
    CreateOptions options = CreateOptions.of(create.name(), create.options());
    refuseRepeated(create.publications());
    if (services.catalog().subscription(create.name()) != null) {
      throw new PgException(
          SqlState.DUPLICATE_OBJECT, "subscription \"" + create.name() + "\" already exists");
    }
    services.connector().check(create.connection());
    Subscription subscription = subscription(create, options);
    if (!options.connect()) {
      services.store().create(subscription, List.of(), null);
      notices.accept(
          new Notice(
              "WARNING",
              SqlState.WARNING,
              "subscription was created, but is not connected",
              null,
              "To initiate replication, you must manually create the replication slot, enable the"
                  + " subscription, and refresh the subscription."));
      return;
    }
    try (PublisherSession publisher = services.connect(subscription)) {
      publisher.checkPublications(subscription.publications(), notices);
      List<SubscribedRelation> relations = new ArrayList<>();
      for (QualifiedName table : publisher.tables(subscription.publications())) {
        relations.add(services.match(subscription.oid(), table, options.copyData()));
      }
      if (options.createSlot()) {
        services
            .reconciler()
            .withSlot(
                subscription.slotName(), () -> storeWithSlot(subscription, relations, publisher));
        notices.accept(
            Notice.notice(
                "created replication slot \"" + subscription.slotName() + "\" on publisher"));
      } else {
        services.store().create(subscription, relations, null);
      }
    }
  }

  private Subscription subscription(CreateSubscription create, CreateOptions options) {
    return new Subscription(
        services.node().nextOid(),
        create.name(),
        BootstrapRole.OID,
        options.enabled(),
        create.connection(),
        options.slotName(),
        create.publications(),
        false,
        'f',
        'd',
        options.disableOnError(),
        options.passwordRequired(),
        options.runAsOwner(),
        false,
        options.synchronousCommit(),
        "any",
        0);
  }

  private void storeWithSlot(
      Subscription subscription, List<SubscribedRelation> relations, PublisherSession publisher) {
    String slot = subscription.slotName();
    if (publisher.slotExists(slot)) {
      throw new PgException(
          SqlState.DUPLICATE_OBJECT,
          "could not create replication slot \""
              + slot
              + "\": replication slot \""
              + slot
              + "\" already exists");
    }
    SlotIntent intent =
        services
            .intents()
            .note(subscription.oid(), 0, slot, subscription.connection(), SlotIntent.Action.MAKE);
    try {
      publisher.createSlot(slot);
    } catch (PgException e) {
      settle(intent, e);
      throw couldNotCreate(slot, e);
    }
    FaultPoint.hit("subscription.after-slot");
    try {
      services.store().create(subscription, relations, intent);
    } catch (RuntimeException e) {
      services.reconciler().takeOver(intent);
      throw e;
    }
  }

  /** After a refusal there is no slot of ours; after a lost connection nobody knows. */
  private void settle(SlotIntent intent, PgException error) {
    if (error.sqlState().startsWith("08")) {
      services.reconciler().takeOver(intent);
    } else {
      services.intents().settle(intent);
    }
  }

  private static PgException couldNotCreate(String slot, PgException error) {
    return new PgException(
            error.sqlState(),
            "could not create replication slot \"" + slot + "\": " + error.getMessage(),
            error)
        .withDetail(error.detail())
        .withHint(error.hint());
  }

  static void refuseRepeated(List<String> publications) {
    Set<String> seen = new HashSet<>();
    for (String publication : publications) {
      if (!seen.add(publication)) {
        throw new PgException(
            SqlState.DUPLICATE_OBJECT,
            "publication name \"" + publication + "\" used more than once");
      }
    }
  }
}
