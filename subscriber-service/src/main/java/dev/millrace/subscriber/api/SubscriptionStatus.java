package dev.millrace.subscriber.api;

import dev.millrace.api.StatusContributor;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionError;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.target.TargetDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What {@code /status} says of subscriptions: how many, and which of them fail now and why. */
final class SubscriptionStatus implements StatusContributor {

  private final SubscriptionCatalog catalog;
  private final Launcher launcher;
  private final TargetDatabase target;

  SubscriptionStatus(SubscriptionCatalog catalog, Launcher launcher, TargetDatabase target) {
    this.catalog = catalog;
    this.launcher = launcher;
    this.target = target;
  }

  @Override
  public Map<String, Number> counts() {
    return Map.of(
        "subscriptions", catalog.subscriptions().size(), "workers", launcher.workers().size());
  }

  @Override
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    PgException refusal = target.refusal();
    if (refusal != null) {
      problems.add(refusal.getMessage());
    }
    for (Subscription subscription : catalog.subscriptions()) {
      String start = "subscription \"" + subscription.name() + "\"";
      if (!subscription.enabled()) {
        problems.add(start + disabled(catalog.disableError(subscription.oid())));
        continue;
      }
      add(problems, start, launcher.lastError(subscription.oid(), 0));
      for (SubscribedRelation relation : catalog.relations(subscription.oid())) {
        add(
            problems,
            start + ", table \"" + relation.table() + "\"",
            launcher.lastError(subscription.oid(), relation.relationOid()));
      }
    }
    return problems;
  }

  private static String disabled(SubscriptionError error) {
    return error == null
        ? " is disabled"
        : " was disabled at "
            + Times.micros(error.time())
            + (error.lsn() == 0 ? "" : " in the transaction finished at " + Lsn.format(error.lsn()))
            + " because of an error: "
            + error.message();
  }

  private static void add(List<String> problems, String start, String error) {
    if (error != null) {
      problems.add(start + ": " + error);
    }
  }
}
