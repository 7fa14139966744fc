package dev.millrace.subscriber.command;

import dev.millrace.model.BootstrapRole;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.AlterSubscription;
import dev.millrace.subscriber.catalog.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** ALTER SUBSCRIPTION in all its forms. */
final class AlterSubscriptionCommand {

  private static final Set<String> SETTABLE =
      Set.of(
          "slot_name",
          "synchronous_commit",
          "binary",
          "streaming",
          "disable_on_error",
          "password_required",
          "run_as_owner",
          "failover",
          "two_phase",
          "origin");

  private final CommandServices services;
  private final PublicationRefresh refresh;

  AlterSubscriptionCommand(CommandServices services) {
    this.services = services;
    this.refresh = new PublicationRefresh(services);
  }

  void run(AlterSubscription alter, Consumer<Notice> notices) {
    Subscription subscription = services.existing(alter.name());
    switch (alter.action()) {
      case CONNECTION -> {
        services.connector().check(alter.connection());
        services.store().alter(subscription.withConnection(alter.connection()));
      }
      case SET_PUBLICATION, ADD_PUBLICATION, DROP_PUBLICATION ->
          publications(subscription, alter, notices);
      case REFRESH_PUBLICATION -> refresh(subscription, alter.options(), notices);
      case ENABLE -> enable(subscription);
      case DISABLE -> services.store().update(subscription.withEnabled(false));
      case SET_OPTIONS -> services.store().alter(withOptions(subscription, alter.options()));
      case SKIP -> skip(alter.options());
      case RENAME -> services.store().alter(subscription.withName(alter.newName()));
      case OWNER ->
          services.store().alter(subscription.withOwner(BootstrapRole.resolve(alter.newName())));
    }
    if (alter.action() == AlterSubscription.Action.DISABLE) {
      // The answer means what it says: nothing is applied after it.
      services.store().afterCommit(() -> services.launcher().stopWorkers(subscription.oid()));
    }
  }

  private void enable(Subscription subscription) {
    if (subscription.slotName() == null) {
      throw state("cannot enable subscription that does not have a slot name");
    }
    services.store().update(subscription.withEnabled(true));
  }

  private static Subscription withOptions(Subscription subscription, Map<String, String> raw) {
    OptionValues values = new OptionValues(raw, SETTABLE);
    String slotName = subscription.slotName();
    if (values.has("slot_name")) {
      slotName = values.slotName(null);
      if (slotName == null && subscription.enabled()) {
        throw state("cannot set slot_name = NONE for enabled subscription");
      }
    }
    for (String whileDisabled : List.of("two_phase", "failover")) {
      if (values.has(whileDisabled) && subscription.enabled()) {
        throw state("cannot set option \"" + whileDisabled + "\" for enabled subscription");
      }
    }
    return subscription
        .withSlotName(slotName)
        .withSynchronousCommit(values.synchronousCommit(subscription.synchronousCommit()))
        .withDisableOnError(values.flag("disable_on_error", subscription.disableOnError()))
        .withPasswordRequired(values.flag("password_required", subscription.passwordRequired()))
        .withRunAsOwner(values.flag("run_as_owner", subscription.runAsOwner()));
  }

  private void publications(
      Subscription subscription, AlterSubscription alter, Consumer<Notice> notices) {
    boolean drop = alter.action() == AlterSubscription.Action.DROP_PUBLICATION;
    OptionValues values =
        new OptionValues(
            alter.options(), drop ? Set.of("refresh") : Set.of("refresh", "copy_data"));
    CreateSubscriptionCommand.refuseRepeated(alter.publications());
    Subscription changed = subscription.withPublications(combined(subscription, alter));
    if (!values.flag("refresh", true)) {
      services.store().alter(changed);
      return;
    }
    if (!subscription.enabled()) {
      throw state("ALTER SUBSCRIPTION with refresh is not allowed for disabled subscriptions")
          .withHint(
              "Use "
                  + form(alter.action())
                  + " WITH (refresh = false)"
                  + (alter.action() == AlterSubscription.Action.SET_PUBLICATION
                      ? "."
                      : " instead."));
    }
    refresh.run(
        changed, values.flag("copy_data", true), drop ? List.of() : alter.publications(), notices);
  }

  private static String form(AlterSubscription.Action action) {
    return "ALTER SUBSCRIPTION ... " + action.name().replace('_', ' ') + " ...";
  }

  private static List<String> combined(Subscription subscription, AlterSubscription alter) {
    List<String> result = new ArrayList<>(subscription.publications());
    switch (alter.action()) {
      case ADD_PUBLICATION -> {
        for (String publication : alter.publications()) {
          if (result.contains(publication)) {
            throw new PgException(
                SqlState.DUPLICATE_OBJECT,
                "publication \""
                    + publication
                    + "\" is already in subscription \""
                    + subscription.name()
                    + "\"");
          }
          result.add(publication);
        }
      }
      case DROP_PUBLICATION -> {
        for (String publication : alter.publications()) {
          if (!result.remove(publication)) {
            throw new PgException(
                SqlState.UNDEFINED_OBJECT,
                "publication \""
                    + publication
                    + "\" is not in subscription \""
                    + subscription.name()
                    + "\"");
          }
        }
        if (result.isEmpty()) {
          throw new PgException(
              SqlState.INVALID_PARAMETER_VALUE,
              "cannot drop all the publications from a subscription");
        }
      }
      default -> {
        result.clear();
        result.addAll(alter.publications());
      }
    }
    return result;
  }

  private void refresh(
      Subscription subscription, Map<String, String> raw, Consumer<Notice> notices) {
    OptionValues values = new OptionValues(raw, Set.of("copy_data"));
    if (!subscription.enabled()) {
      throw state("ALTER SUBSCRIPTION ... REFRESH is not allowed for disabled subscriptions");
    }
    refresh.run(subscription, values.flag("copy_data", true), List.of(), notices);
  }

  private static void skip(Map<String, String> raw) {
    new OptionValues(raw, Set.of("lsn"));
    if (raw.get("lsn") != null) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "ALTER SUBSCRIPTION ... SKIP is not supported yet");
    }
  }

  private static PgException state(String message) {
    return new PgException(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, message);
  }
}
