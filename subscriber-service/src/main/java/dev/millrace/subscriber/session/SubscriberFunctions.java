package dev.millrace.subscriber.session;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemFunction.Parameter;
import dev.millrace.subscriber.catalog.ReplicationOrigin;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import java.time.Clock;
import java.util.List;

/** The SQL functions on subscriptions and origins. */
final class SubscriberFunctions {

  private final SubscriptionCatalog catalog;
  private final Clock clock;

  SubscriberFunctions(SubscriptionCatalog catalog, Clock clock) {
    this.catalog = catalog;
    this.clock = clock;
  }

  List<SystemFunction> all() {
    return List.of(
        scalar(
            "pg_stat_reset_subscription_stats",
            "text",
            List.of(new Parameter("subid", "oid", false, null, false)),
            arguments -> resetStatistics((Number) arguments[0])),
        scalar(
            "pg_replication_origin_oid",
            "oid",
            List.of(new Parameter("node_name", "text", true, null, false)),
            arguments -> originNumber(arguments[0])),
        scalar(
            "pg_replication_origin_progress",
            "pg_lsn",
            List.of(
                new Parameter("node_name", "text", true, null, false),
                new Parameter("flush", "bool", true, null, false)),
            arguments -> progress(arguments[0])));
  }

  /** What a scalar function computes. */
  private interface Value {
    Object of(Object[] arguments);
  }

  private static SystemFunction scalar(
      String name, String type, List<Parameter> parameters, Value value) {
    return new SystemFunction(
        name,
        List.of(new ResultColumn(name, type)),
        true,
        parameters,
        (caller, arguments) -> List.<Object[]>of(new Object[] {value.of(arguments)}));
  }

  /** All subscriptions without an OID; void, which shows as an empty text. */
  private Object resetStatistics(Number subscriptionOid) {
    if (subscriptionOid == null) {
      for (Subscription subscription : catalog.subscriptions()) {
        catalog.statistics(subscription.oid()).reset(clock.instant());
      }
      return "";
    }
    Subscription subscription = catalog.subscription(subscriptionOid.intValue());
    if (subscription == null) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "invalid subscription OID " + subscriptionOid);
    }
    catalog.statistics(subscription.oid()).reset(clock.instant());
    return "";
  }

  private Object originNumber(Object name) {
    for (ReplicationOrigin origin : catalog.origins()) {
      if (origin.name().equals(name)) {
        return (long) origin.number();
      }
    }
    return null;
  }

  private Object progress(Object name) {
    for (ReplicationOrigin origin : catalog.origins()) {
      if (origin.name().equals(name)) {
        return origin.remoteLsn() == 0 ? null : Lsn.format(origin.remoteLsn());
      }
    }
    throw new PgException(
        SqlState.UNDEFINED_OBJECT, "replication origin \"" + name + "\" does not exist");
  }
}
