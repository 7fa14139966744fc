package dev.millrace.settings;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.SettingDefinition.Context;
import dev.millrace.settings.SettingDefinition.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Every setting of a node, for both services: PostgreSQL's, with its defaults unless a comment says
 * otherwise, and Millrace's own limits at the end.
 */
public final class SettingTable {

  /** Settings of features that come later: their default is the only value they take until then. */
  private static final Set<String> LATER =
      Set.of(
          "synchronous_standby_names",
          "synchronized_standby_slots",
          "primary_conninfo",
          "primary_slot_name",
          "sync_replication_slots",
          "hot_standby_feedback",
          "recovery_min_apply_delay",
          "wal_receiver_create_temp_slot",
          "track_commit_timestamp");

  /** Names without a schema mean public, so a search path may say that or nothing. */
  private static final Pattern PUBLIC_ONLY =
      Pattern.compile("\\s*|(\\s*(\"\\$user\"|\"?public\"?|pg_catalog|\"\")\\s*(,|$))+");

  private static final long MAX_INT = Integer.MAX_VALUE;

  private final List<SettingDefinition> definitions = new ArrayList<>();

  private SettingTable() {}

  /** The definitions, in no particular order. */
  public static List<SettingDefinition> definitions() {
    SettingTable table = new SettingTable();
    table.server();
    table.sessions();
    table.writeAheadLog();
    table.sending();
    table.receiving();
    table.standby();
    table.limits();
    return List.copyOf(table.definitions);
  }

  /** Refuses a value that would ask for something not built yet, rather than ignore it. */
  static void refuseLater(SettingDefinition definition, SettingValue value) {
    if (LATER.contains(definition.name()) && !value.text().equals(definition.defaultValue())) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "setting \"" + definition.name() + "\" is not supported yet");
    }
    if (definition.name().equals("search_path") && !PUBLIC_ONLY.matcher(value.text()).matches()) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "search_path with other schemas than \"public\" is not supported");
    }
  }

  private void server() {
    internal("server_version", "18.4", "Shows the server version.");
    internal("server_version_num", "180004", "Shows the server version as an integer.");
    internal("server_encoding", "UTF8", "Shows the server (database) character set encoding.");
    internal("integer_datetimes", "on", "Shows whether datetimes are integer based.");
    internal("in_hot_standby", "off", "Shows whether hot standby is currently active.");
    internal("data_directory_mode", "0700", "Shows the mode of the data directory.");
    internal("wal_block_size", "8192", "Shows the block size in the write ahead log.");
    internal("max_identifier_length", "63", "Shows the maximum identifier length.");
    internal("transaction_isolation", "read committed", "Shows the transaction's isolation level.");
    internal("transaction_read_only", "off", "Shows whether the transaction is read-only.");
  }

  private void sessions() {
    integer("max_connections", 100, null, Context.POSTMASTER, 1, 262143)
        .says("Sets the maximum number of concurrent sessions.");
    time("statement_timeout", 0, "ms", Context.USER, 0)
        .says("Sets the maximum allowed duration of any statement.");
    time("lock_timeout", 0, "ms", Context.USER, 0)
        .says("Sets the maximum allowed duration of any wait for a lock.");
    time("deadlock_timeout", 1000, "ms", Context.USER, 1)
        .says("Sets the time to wait on a lock before checking for deadlock.");
    time("idle_in_transaction_session_timeout", 0, "ms", Context.USER, 0)
        .says("Sets the maximum allowed idle time between queries, when in a transaction.");
    // PostgreSQL: 0. Sessions over HTTP have no connection whose end would tell of a lost client.
    time("idle_session_timeout", 600_000, "ms", Context.USER, 0)
        .says("Sets the maximum allowed idle time between queries, when not in a transaction.");
    choice(
            "synchronous_commit",
            "on",
            Context.USER,
            "local",
            "remote_write",
            "remote_apply",
            "on",
            "off")
        .says("Sets the current transaction's synchronization level.");
    choice("session_replication_role", "origin", Context.USER, "origin", "replica", "local")
        .says("Sets the session's behavior for triggers and rewrite rules.");
    choice(
            "client_min_messages",
            "notice",
            Context.USER,
            "debug5",
            "debug4",
            "debug3",
            "debug2",
            "debug1",
            "log",
            "notice",
            "warning",
            "error")
        .says("Sets the message levels that are sent to the client.");
    text("application_name", "", Context.USER)
        .says("Sets the application name to be reported in statistics and logs.");
    text("search_path", "\"$user\", public", Context.USER)
        .says("Sets the schema search order for names that are not schema-qualified.");
    // Text output has one form only, so these take no other value.
    choice("client_encoding", "UTF8", Context.USER, "UTF8", "UTF-8", "UNICODE")
        .says("Sets the client's character set encoding.");
    choice("DateStyle", "ISO, MDY", Context.USER, "ISO, MDY", "ISO")
        .says("Sets the display format for date and time values.");
    choice("IntervalStyle", "postgres", Context.USER, "postgres")
        .says("Sets the display format for interval values.");
    choice("TimeZone", "UTC", Context.USER, "UTC", "GMT", "Etc/UTC", "+00:00", "0")
        .says("Sets the time zone for displaying and interpreting time stamps.");
    choice("bytea_output", "hex", Context.USER, "hex").says("Sets the output format for bytea.");
    choice("standard_conforming_strings", "on", Context.USER, "on")
        .says("Causes '...' strings to treat backslashes literally.");
    integer("extra_float_digits", 1, null, Context.USER, 1, 3)
        .says("Sets the number of digits displayed for floating-point values.");
    choice("default_transaction_isolation", "read committed", Context.USER, "read committed")
        .says("Sets the transaction isolation level of each new transaction.");
  }

  private void writeAheadLog() {
    // PostgreSQL: replica. A node without logical decoding would miss the point here.
    choice("wal_level", "logical", Context.POSTMASTER, "minimal", "replica", "logical")
        .says("Sets the level of information written to the WAL.");
    // PostgreSQL fixes it at initdb; here it is fixed when the data directory is made.
    memory("wal_segment_size", 16L << 20, "B", Context.POSTMASTER, 1L << 20, 1L << 30)
        .says("Sets the size of write ahead log segments.");
    // PostgreSQL: 200 ms.
    time("wal_writer_delay", 10, "ms", Context.SIGHUP, 1)
        .says("Time between WAL flushes performed in the WAL writer.");
    memory("max_wal_size", 1024, "MB", Context.SIGHUP, 2, MAX_INT)
        .says("Sets the WAL size that triggers a checkpoint.");
    memory("min_wal_size", 80, "MB", Context.SIGHUP, 2, MAX_INT)
        .says("Sets the minimum size to shrink the WAL to.");
    memory("wal_keep_size", 0, "MB", Context.SIGHUP, 0, MAX_INT)
        .says("Sets the size of WAL files held for standby servers.");
    integer("checkpoint_timeout", 300, "s", Context.SIGHUP, 30, 86400)
        .says("Sets the maximum time between automatic WAL checkpoints.");
    integer("max_prepared_transactions", 0, null, Context.POSTMASTER, 0, 262143)
        .says("Sets the maximum number of simultaneously prepared transactions.");
    bool("track_commit_timestamp", false, Context.POSTMASTER)
        .says("Collects transaction commit time.");
  }

  private void sending() {
    integer("max_replication_slots", 10, null, Context.POSTMASTER, 0, 262143)
        .says("Sets the maximum number of simultaneously defined replication slots.");
    integer("max_wal_senders", 10, null, Context.POSTMASTER, 0, 262143)
        .says("Sets the maximum number of simultaneously running WAL sender processes.");
    memory("max_slot_wal_keep_size", -1, "MB", Context.SIGHUP, -1, MAX_INT)
        .says("Sets the maximum WAL size that can be reserved by replication slots.");
    time("idle_replication_slot_timeout", 0, "s", Context.SIGHUP, 0)
        .says("Sets the duration a replication slot can remain idle before it is invalidated.");
    time("wal_sender_timeout", 60_000, "ms", Context.USER, 0)
        .says("Sets the maximum time to wait for WAL replication.");
    // PostgreSQL 19: -1, wait without limit.
    integer("wal_sender_shutdown_timeout", 10_000, "ms", Context.USER, -1, MAX_INT)
        .says("Sets the maximum time to wait at shutdown for consumers to confirm all WAL.");
    memory("logical_decoding_work_mem", 65536, "kB", Context.USER, 64, MAX_INT)
        .says("Sets the maximum memory to be used for logical decoding.");
    choice("debug_logical_replication_streaming", "buffered", Context.USER, "buffered", "immediate")
        .says("Forces immediate streaming or serialization of changes in large transactions.");
    text("synchronous_standby_names", "", Context.SIGHUP)
        .says("Number of synchronous standbys and list of names of potential synchronous ones.");
    text("synchronized_standby_slots", "", Context.SIGHUP)
        .says("Lists replication slots that logical WAL senders wait for.");
    bool("log_replication_commands", false, Context.USER).says("Logs each replication command.");
  }

  private void receiving() {
    integer("max_worker_processes", 8, null, Context.POSTMASTER, 0, 262143)
        .says("Maximum number of concurrent worker processes.");
    integer("max_logical_replication_workers", 4, null, Context.POSTMASTER, 0, 262143)
        .says("Maximum number of logical replication worker processes.");
    integer("max_sync_workers_per_subscription", 2, null, Context.SIGHUP, 0, 262143)
        .says("Maximum number of table synchronization workers per subscription.");
    integer("max_parallel_apply_workers_per_subscription", 2, null, Context.SIGHUP, 0, 1024)
        .says("Maximum number of parallel apply workers per subscription.");
    integer("max_active_replication_origins", 10, null, Context.POSTMASTER, 0, 262143)
        .says("Sets the maximum number of active replication origins.");
    time("wal_receiver_timeout", 60_000, "ms", Context.SIGHUP, 0)
        .says("Sets the maximum wait time to receive data from the sending server.");
    integer("wal_receiver_status_interval", 10, "s", Context.SIGHUP, 0, MAX_INT / 1000)
        .says("Sets the maximum interval between WAL receiver status reports.");
    time("wal_retrieve_retry_interval", 5000, "ms", Context.SIGHUP, 1)
        .says("Sets the time to wait before retrying to retrieve WAL after a failed attempt.");
  }

  private void standby() {
    bool("hot_standby", true, Context.POSTMASTER)
        .says("Allows connections and queries during recovery.");
    bool("hot_standby_feedback", false, Context.SIGHUP)
        .says("Allows feedback from a hot standby to the primary.");
    bool("sync_replication_slots", false, Context.SIGHUP)
        .says("Enables a physical standby to synchronize logical failover slots.");
    bool("wal_receiver_create_temp_slot", false, Context.SIGHUP)
        .says("Sets whether a WAL receiver should create a temporary slot if none is named.");
    text("primary_conninfo", "", Context.SIGHUP)
        .says("Sets the connection string to be used to connect to the sending server.");
    text("primary_slot_name", "", Context.SIGHUP)
        .says("Sets the name of the replication slot to use on the sending server.");
    time("recovery_min_apply_delay", 0, "ms", Context.SIGHUP, 0)
        .says("Sets the minimum delay for applying changes during recovery.");
  }

  /** What bounds memory and answers here; PostgreSQL has no such settings. */
  private void limits() {
    long quarterOfHeapKb = Math.max(64, Runtime.getRuntime().maxMemory() / 4 / 1024);
    memory("decoding_memory_limit", quarterOfHeapKb, "kB", Context.SIGHUP, 64, MAX_INT)
        .says("Sets the memory all walsenders together may use for decoding.");
    memory("replication_max_message_size", 65536, "kB", Context.POSTMASTER, 64, 1L << 20)
        .says("Sets the largest replication message, and so the largest row.");
    memory("receiver_queue_size", 16384, "kB", Context.POSTMASTER, 64, 1L << 20)
        .says("Sets the size of the queue between receiving and applying.");
    memory("max_request_body_size", 16384, "kB", Context.POSTMASTER, 1, 1L << 20)
        .says("Sets the largest HTTP request body.");
    integer("max_rows_per_answer", 100_000, null, Context.USER, 1, MAX_INT)
        .says("Sets the largest number of rows of one result.");
    integer("max_slot_snapshots", 10, null, Context.SIGHUP, 1, 262143)
        .says("Sets the maximum number of snapshots open for table copies.");
  }

  /** Ends a definition with its description. */
  private interface Described {
    void says(String description);
  }

  private void internal(String name, String value, String description) {
    add(name, Type.STRING, null, value, Context.INTERNAL, null, null, null).says(description);
  }

  private Described bool(String name, boolean on, Context context) {
    return add(name, Type.BOOL, null, on ? "on" : "off", context, null, null, null);
  }

  private Described text(String name, String value, Context context) {
    return add(name, Type.STRING, null, value, context, null, null, null);
  }

  private Described choice(String name, String value, Context context, String... values) {
    return add(name, Type.ENUM, null, value, context, null, null, List.of(values));
  }

  private Described time(String name, long value, String unit, Context context, long min) {
    return integer(name, value, unit, context, min, MAX_INT);
  }

  private Described memory(
      String name, long value, String unit, Context context, long min, long max) {
    return integer(name, value, unit, context, min, max);
  }

  private Described integer(
      String name, long value, String unit, Context context, long min, long max) {
    return add(name, Type.INTEGER, unit, Long.toString(value), context, min, max, null);
  }

  private Described add(
      String name,
      Type type,
      String unit,
      String value,
      Context context,
      Long min,
      Long max,
      List<String> values) {
    return description ->
        definitions.add(
            new SettingDefinition(name, type, unit, value, context, description, min, max, values));
  }
}
