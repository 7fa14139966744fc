package dev.millrace.publisher.walsender;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.walsender.SlotCreation.NewSlot;
import dev.millrace.publisher.walsender.SlotCreation.SlotOptions;
import dev.millrace.replication.ReplicationCommand;
import dev.millrace.replication.ReplicationCommand.CreateReplicationSlot;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.StatementResult;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The replication commands that answer with one row or a tag. */
final class SlotCommands {

  private static final int TIMELINE = 1;

  private final long pid;
  private final SessionServices services;
  private final SessionQueries queries;
  private final BooleanSupplier keepWaiting;

  /**
   * @param keepWaiting false once the session ends: DROP .. WAIT gives up then
   */
  SlotCommands(
      long pid, SessionServices services, SessionQueries queries, BooleanSupplier keepWaiting) {
    this.pid = pid;
    this.services = services;
    this.queries = queries;
    this.keepWaiting = keepWaiting;
  }

  StatementResult run(ReplicationCommand command, Settings settings) {
    if (command instanceof ReplicationCommand.IdentifySystem) {
      return identifySystem();
    }
    if (command instanceof ReplicationCommand.Show show) {
      return row("SHOW", List.of(text(show.name())), settings.show(show.name()));
    }
    if (command instanceof ReplicationCommand.ReadReplicationSlot read) {
      return read(read.slot());
    }
    if (command instanceof CreateReplicationSlot create) {
      return create(create);
    }
    if (command instanceof ReplicationCommand.AlterReplicationSlot alter) {
      return alter(alter);
    }
    if (command instanceof ReplicationCommand.DropReplicationSlot drop) {
      services
          .slots()
          .drop(drop.slot(), pid, () -> drop.waitIfActive() && keepWaiting.getAsBoolean());
      return StatementResult.ofCommand("DROP_REPLICATION_SLOT");
    }
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED, "physical replication is not supported yet");
  }

  private StatementResult identifySystem() {
    return row(
        "IDENTIFY_SYSTEM",
        List.of(text("systemid"), int8("timeline"), text("xlogpos"), text("dbname")),
        services.node().systemIdentifier(),
        TIMELINE,
        Lsn.format(services.log().flushLsn()),
        services.node().databaseName());
  }

  /** Physical slots come later, so a row with values cannot be given yet. */
  private StatementResult read(String name) {
    ReplicationSlot slot = services.slots().find(name);
    if (slot != null && slot.logical()) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cannot use READ_REPLICATION_SLOT with a logical replication slot");
    }
    return row(
        "READ_REPLICATION_SLOT",
        List.of(text("slot_type"), text("restart_lsn"), int8("restart_tli")),
        null,
        null,
        null);
  }

  private StatementResult create(CreateReplicationSlot command) {
    if (command.plugin() == null) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "physical replication slots are not supported yet");
    }
    for (String option : command.options().keySet()) {
      if (!List.of("snapshot", "two_phase", "failover").contains(option)) {
        throw unrecognized(option);
      }
    }
    boolean twoPhase = flag(command.options(), "two_phase");
    boolean failover = flag(command.options(), "failover");
    SnapshotUse use = snapshotUse(command.options());
    if (queries.hasWritten()) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION,
          "cannot create logical replication slot in transaction that has performed writes");
    }
    NewSlot made =
        services
            .slotCreation()
            .create(
                command.slot(),
                command.plugin(),
                new SlotOptions(command.temporary(), twoPhase, failover),
                pid,
                use != SnapshotUse.NOTHING);
    String exported = null;
    if (use == SnapshotUse.USE) {
      queries.use(made.snapshot());
    } else if (use == SnapshotUse.EXPORT) {
      exported = queries.export(made.snapshot(), pid);
    }
    services.slots().release(made.slot());
    return row(
        "CREATE_REPLICATION_SLOT",
        List.of(
            text("slot_name"),
            text("consistent_point"),
            text("snapshot_name"),
            text("output_plugin")),
        command.slot(),
        Lsn.format(made.slot().confirmedFlushLsn()),
        exported,
        command.plugin());
  }

  /** What becomes of the snapshot at a new slot's consistent point. */
  private enum SnapshotUse {
    /** There is none. */
    NOTHING,
    /** The session's transaction reads it. */
    USE,
    /** It gets a name by which another session may read it. */
    EXPORT
  }

  /** What is asked for; checks that it can be had. */
  private SnapshotUse snapshotUse(Map<String, String> options) {
    String snapshot = options.getOrDefault("snapshot", "export");
    switch (snapshot) {
      case "nothing":
        return SnapshotUse.NOTHING;
      case "use":
        queries.requireUnusedSnapshotTransaction("CREATE_REPLICATION_SLOT ... (SNAPSHOT 'use')");
        return SnapshotUse.USE;
      case "export":
        if (queries.inTransaction()) {
          throw new PgException(
              SqlState.ACTIVE_SQL_TRANSACTION,
              "CREATE_REPLICATION_SLOT ... (SNAPSHOT 'export') must not be called inside a"
                  + " transaction");
        }
        return SnapshotUse.EXPORT;
      default:
        throw new PgException(
            SqlState.SYNTAX_ERROR,
            "unrecognized value for CREATE_REPLICATION_SLOT option \"snapshot\": \""
                + snapshot
                + "\"");
    }
  }

  private StatementResult alter(ReplicationCommand.AlterReplicationSlot command) {
    for (String option : command.options().keySet()) {
      if (!option.equals("two_phase") && !option.equals("failover")) {
        throw unrecognized(option);
      }
    }
    new SlotAlteration(services.slots(), services.log())
        .alter(
            command.slot(),
            given(command.options(), "two_phase"),
            given(command.options(), "failover"),
            pid);
    return StatementResult.ofCommand("ALTER_REPLICATION_SLOT");
  }

  /** Null when the option is not there. */
  private static Boolean given(Map<String, String> options, String name) {
    return options.containsKey(name) ? flag(options, name) : null;
  }

  private static boolean flag(Map<String, String> options, String name) {
    String value = options.get(name);
    if (value == null) {
      return false;
    }
    switch (value.toLowerCase(Locale.ROOT)) {
      case "", "true", "on", "1":
        return true;
      case "false", "off", "0":
        return false;
      default:
        throw new PgException(SqlState.SYNTAX_ERROR, name + " requires a Boolean value");
    }
  }

  private static PgException unrecognized(String option) {
    return new PgException(SqlState.SYNTAX_ERROR, "unrecognized option: " + option);
  }

  private static ResultColumn text(String name) {
    return new ResultColumn(name, "text");
  }

  private static ResultColumn int8(String name) {
    return new ResultColumn(name, "int8");
  }

  private static StatementResult row(String tag, List<ResultColumn> columns, Object... values) {
    return new StatementResult(tag, columns, List.of(Arrays.asList(values)));
  }
}
