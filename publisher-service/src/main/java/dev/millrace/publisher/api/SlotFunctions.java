package dev.millrace.publisher.api;

import static dev.millrace.publisher.api.FunctionDefinition.function;
import static dev.millrace.publisher.api.FunctionDefinition.row;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges.Change;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.walsender.SlotCreation;
import dev.millrace.publisher.walsender.SlotCreation.SlotOptions;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SystemFunction;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The SQL functions on slots (C5). */
final class SlotFunctions {

  private final PublisherNode node;
  private final ReplicationSlots slots;
  private final SlotCreation creation;
  private final SlotAdvance advance;
  private final SlotReading reading;
  private final Clock clock;

  SlotFunctions(
      PublisherNode node,
      ReplicationSlots slots,
      SlotCreation creation,
      SlotAdvance advance,
      SlotReading reading,
      Clock clock) {
    this.node = node;
    this.slots = slots;
    this.creation = creation;
    this.advance = advance;
    this.reading = reading;
    this.clock = clock;
  }

  List<SystemFunction> all() {
    return List.of(
        function("pg_create_logical_replication_slot")
            .takes("slot_name", "name")
            .takes("plugin", "name")
            .takes("temporary", "bool", false)
            .takes("twophase", "bool", false)
            .takes("failover", "bool", false)
            .givesRows("slot_name name, lsn pg_lsn", this::create),
        copy("pg_copy_logical_replication_slot"),
        function("pg_drop_replication_slot").takes("slot_name", "name").gives("void", this::drop),
        function("pg_replication_slot_advance")
            .takes("slot_name", "name")
            .takes("upto_lsn", "pg_lsn")
            .givesRows("slot_name name, end_lsn pg_lsn", this::advance),
        changes("pg_logical_slot_get_changes", true, false),
        changes("pg_logical_slot_peek_changes", false, false),
        changes("pg_logical_slot_get_binary_changes", true, true),
        changes("pg_logical_slot_peek_binary_changes", false, true),
        function("pg_stat_reset_replication_slot")
            .takes("target", "text", null)
            .gives("void", this::resetStatistics));
  }

  private SystemFunction changes(String name, boolean consume, boolean binary) {
    return function(name)
        .takes("slot_name", "name")
        .takes("upto_lsn", "pg_lsn")
        .takes("upto_nchanges", "int4")
        .takesRest("options", "text")
        .givesRows(
            "lsn pg_lsn, xid xid, data " + (binary ? "bytea" : "text"),
            (caller, arguments) -> read(caller, arguments, consume, binary));
  }

  private List<Object[]> create(SqlSession caller, Object[] arguments) {
    String name = required(arguments, 0, "slot name");
    SlotOptions options =
        new SlotOptions(
            Boolean.TRUE.equals(arguments[2]),
            Boolean.TRUE.equals(arguments[3]),
            Boolean.TRUE.equals(arguments[4]));
    String plugin = required(arguments, 1, "plugin name");
    if (node.hasWritten(caller)) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION,
          "cannot create logical replication slot in transaction that has performed writes");
    }
    ReplicationSlot slot = creation.create(name, plugin, options, caller.pid(), false).slot();
    slots.release(slot);
    return row(slot.name(), Lsn.format(slot.confirmedFlushLsn()));
  }

  private SystemFunction copy(String name) {
    return function(name)
        .takes("src_slot_name", "name")
        .takes("dst_slot_name", "name")
        .takes("temporary", "bool", null)
        .takes("plugin", "name", null)
        .givesRows("slot_name name, lsn pg_lsn", this::copy);
  }

  private List<Object[]> copy(SqlSession caller, Object[] arguments) {
    ReplicationSlot slot =
        creation.copy(
            required(arguments, 0, "slot name"),
            required(arguments, 1, "slot name"),
            (Boolean) arguments[2],
            (String) arguments[3],
            caller.pid());
    slots.release(slot);
    return row(slot.name(), Lsn.format(slot.confirmedFlushLsn()));
  }

  private List<Object[]> drop(SqlSession caller, Object[] arguments) {
    slots.drop(required(arguments, 0, "slot name"), caller.pid());
    return row("");
  }

  private List<Object[]> advance(SqlSession caller, Object[] arguments) {
    String name = required(arguments, 0, "slot name");
    long end = advance.advance(name, lsn(arguments[1]), caller.pid());
    return row(name, Lsn.format(end));
  }

  private List<Object[]> read(
      SqlSession caller, Object[] arguments, boolean consume, boolean binary) {
    SlotReading.Range range =
        new SlotReading.Range(
            lsn(arguments[1]), arguments[2] == null ? 0 : ((Number) arguments[2]).intValue());
    List<Change> changes =
        reading.read(
            required(arguments, 0, "slot name"),
            caller.pid(),
            range,
            options((String[]) arguments[3]),
            consume,
            binary,
            caller.settings(),
            caller::notice);
    return changes.stream().map(change -> values(change, binary)).toList();
  }

  private static Object[] values(Change change, boolean binary) {
    return new Object[] {
      Lsn.format(change.lsn()),
      Integer.toUnsignedLong(change.xid()),
      binary ? change.data() : new String(change.data(), StandardCharsets.UTF_8)
    };
  }

  private List<Object[]> resetStatistics(SqlSession caller, Object[] arguments) {
    if (arguments[0] == null) {
      slots.all().forEach(this::reset);
      return row("");
    }
    ReplicationSlot slot = slots.find((String) arguments[0]);
    if (slot == null) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "replication slot \"" + arguments[0] + "\" does not exist");
    }
    reset(slot);
    return row("");
  }

  private void reset(ReplicationSlot slot) {
    slot.statistics().reset(clock.instant());
    slot.save();
  }

  /** Pairs of name and value. */
  private static Map<String, String> options(String[] words) {
    if (words.length % 2 != 0) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "array must have even number of elements");
    }
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i < words.length; i += 2) {
      if (words[i] == null || words[i + 1] == null) {
        throw new PgException(SqlState.INVALID_PARAMETER_VALUE, "array must not contain nulls");
      }
      if (options.put(words[i], words[i + 1]) != null) {
        throw new PgException(SqlState.SYNTAX_ERROR, "conflicting or redundant options");
      }
    }
    return options;
  }

  private static long lsn(Object argument) {
    return argument == null ? 0 : Lsn.parse(argument.toString()).value();
  }

  private static String required(Object[] arguments, int index, String what) {
    if (arguments[index] == null) {
      throw new PgException(SqlState.INVALID_PARAMETER_VALUE, what + " must not be null");
    }
    return (String) arguments[index];
  }
}
