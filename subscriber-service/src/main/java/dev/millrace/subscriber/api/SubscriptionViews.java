package dev.millrace.subscriber.api;

import dev.millrace.model.Lsn;
import dev.millrace.sql.SystemView;
import dev.millrace.sql.ViewColumns;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionError;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.launcher.WorkerView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The subscriber's pg_ views, with PostgreSQL 18's columns. */
final class SubscriptionViews {

  private static final int WORKER_COLUMNS = 11;

  private final SubscriptionCatalog catalog;
  private final NodeIdentity node;
  private final Launcher launcher;

  SubscriptionViews(SubscriptionCatalog catalog, NodeIdentity node, Launcher launcher) {
    this.catalog = catalog;
    this.node = node;
    this.launcher = launcher;
  }

  List<SystemView> all() {
    return List.of(
        new SystemView(
            "pg_subscription",
            ViewColumns.of(
                "oid oid, subdbid oid, subskiplsn pg_lsn, subname name, subowner oid,"
                    + " subenabled bool, subbinary bool, substream \"char\","
                    + " subtwophasestate \"char\", subdisableonerr bool, subpasswordrequired bool,"
                    + " subrunasowner bool, subfailover bool, subconninfo text, subslotname name,"
                    + " subsynccommit text, subpublications text, suborigin text"),
            this::subscriptions),
        new SystemView(
            "millrace_subscription_errors",
            ViewColumns.of("subid oid, subname name, message text, time timestamptz, lsn pg_lsn"),
            this::errors),
        new SystemView(
            "pg_subscription_rel",
            ViewColumns.of("srsubid oid, srrelid oid, srsubstate \"char\", srsublsn pg_lsn"),
            this::relations),
        new SystemView(
            "pg_stat_subscription",
            ViewColumns.of(
                "subid oid, subname name, worker_type text, pid int4, leader_pid int4, relid oid,"
                    + " received_lsn pg_lsn, last_msg_send_time timestamptz,"
                    + " last_msg_receipt_time timestamptz, latest_end_lsn pg_lsn,"
                    + " latest_end_time timestamptz"),
            this::workers),
        new SystemView(
            "pg_stat_subscription_stats",
            ViewColumns.of(
                "subid oid, subname name, apply_error_count int8, sync_error_count int8,"
                    + " confl_insert_exists int8, confl_update_origin_differs int8,"
                    + " confl_update_exists int8, confl_update_missing int8,"
                    + " confl_delete_origin_differs int8, confl_delete_missing int8,"
                    + " confl_multiple_unique_conflicts int8, stats_reset timestamptz"),
            this::statistics),
        new SystemView(
            "pg_replication_origin",
            ViewColumns.of("roident oid, roname text"),
            () ->
                catalog.origins().stream()
                    .map(origin -> new Object[] {(long) origin.number(), origin.name()})
                    .toList()),
        new SystemView(
            "pg_replication_origin_status",
            ViewColumns.of("local_id oid, external_id text, remote_lsn pg_lsn, local_lsn pg_lsn"),
            () ->
                catalog.origins().stream()
                    .map(
                        origin ->
                            new Object[] {
                              (long) origin.number(),
                              origin.name(),
                              Lsn.format(origin.remoteLsn()),
                              Lsn.format(0)
                            })
                    .toList()));
  }

  private List<Object[]> subscriptions() {
    return catalog.subscriptions().stream()
        .map(row -> SubscriptionBody.of(row, node.databaseOid(), null, List.of()).values())
        .toList();
  }

  /** Why disable_on_error has disabled subscriptions. */
  private List<Object[]> errors() {
    List<Object[]> rows = new ArrayList<>();
    for (Subscription subscription : catalog.subscriptions()) {
      SubscriptionError error = catalog.disableError(subscription.oid());
      if (error != null) {
        rows.add(
            new Object[] {
              Integer.toUnsignedLong(subscription.oid()),
              subscription.name(),
              error.message(),
              Times.utc(error.time()),
              error.lsn() == 0 ? null : Lsn.format(error.lsn())
            });
      }
    }
    return rows;
  }

  /** A subscription without a worker has a row, too, as in PostgreSQL. */
  private List<Object[]> workers() {
    List<Object[]> rows = new ArrayList<>();
    Set<Integer> working = new HashSet<>();
    for (WorkerView view : launcher.workers()) {
      working.add(view.subscriptionOid());
      rows.add(WorkerBody.of(view).values());
    }
    for (Subscription subscription : catalog.subscriptions()) {
      if (!working.contains(subscription.oid())) {
        Object[] row = new Object[WORKER_COLUMNS];
        row[0] = Integer.toUnsignedLong(subscription.oid());
        row[1] = subscription.name();
        rows.add(row);
      }
    }
    return rows;
  }

  private List<Object[]> relations() {
    List<Object[]> rows = new ArrayList<>();
    for (Subscription subscription : catalog.subscriptions()) {
      catalog
          .relations(subscription.oid())
          .forEach(row -> rows.add(SubscribedTableBody.of(row, launcher).values()));
    }
    return rows;
  }

  private List<Object[]> statistics() {
    return catalog.subscriptions().stream()
        .map(row -> SubscriptionStatisticsBody.of(row, catalog.statistics(row.oid())).values())
        .toList();
  }
}
