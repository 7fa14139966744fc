package dev.millrace.publisher.api;

import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.walsender.WalSenders;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.SystemView;
import java.util.ArrayList;
import java.util.List;

/** The views pg_replication_slots, pg_stat_replication and pg_stat_replication_slots. */
final class ReplicationViews {

  private ReplicationViews() {}

  static List<SystemView> all(
      PublisherNode node, SlotRows rows, ReplicationSlots slots, WalSenders walSenders) {
    return List.of(
        PreparedTransactions.view(node),
        new SystemView(
            "pg_replication_slots",
            columns(
                "slot_name name, plugin name, slot_type text, datoid oid, database name,"
                    + " temporary bool, active bool, active_pid int4, xmin xid, catalog_xmin xid,"
                    + " restart_lsn pg_lsn, confirmed_flush_lsn pg_lsn, wal_status text,"
                    + " safe_wal_size int8, two_phase bool, two_phase_at pg_lsn,"
                    + " inactive_since timestamptz, conflicting bool, invalidation_reason text,"
                    + " failover bool, synced bool"),
            () -> rows.all().stream().map(SlotRow::values).toList()),
        new SystemView(
            "pg_stat_replication",
            columns(
                "pid int4, usesysid oid, usename name, application_name text, client_addr text,"
                    + " client_hostname text, client_port int4, backend_start timestamptz,"
                    + " backend_xmin xid, state text, sent_lsn pg_lsn, write_lsn pg_lsn,"
                    + " flush_lsn pg_lsn, replay_lsn pg_lsn, write_lag text, flush_lag text,"
                    + " replay_lag text, sync_priority int4, sync_state text,"
                    + " reply_time timestamptz"),
            () -> walSenders.views().stream().map(view -> WalSenderRow.of(view).values()).toList()),
        new SystemView(
            "pg_stat_replication_slots",
            columns(
                "slot_name text, spill_txns int8, spill_count int8, spill_bytes int8,"
                    + " stream_txns int8, stream_count int8, stream_bytes int8, total_txns int8,"
                    + " total_bytes int8, stats_reset timestamptz"),
            () -> slots.all().stream().map(slot -> SlotStatisticsRow.of(slot).values()).toList()));
  }

  /** Columns written as {@code name type, ..}. */
  static List<ResultColumn> columns(String declaration) {
    List<ResultColumn> columns = new ArrayList<>();
    for (String column : declaration.split(", ?")) {
      int blank = column.indexOf(' ');
      columns.add(new ResultColumn(column.substring(0, blank), column.substring(blank + 1)));
    }
    return columns;
  }
}
