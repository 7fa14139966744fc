package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.recovery.Recovery;
import dev.millrace.publisher.recovery.RecoveryResult;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotLimits;
import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.ControlState;
import dev.millrace.publisher.wal.PreparedFiles;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.SqlOptions;
import dev.millrace.sql.SqlParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Starts the node: opens H2, redoes what it lacks, ends what did not end, puts capture on every
 * table, and makes a checkpoint. Only then are sessions taken.
 *
 * <pre>
 *   drop triggers -> redo -> prepared transactions open again -> aborts of unfinished transactions -> the open DDL statement, if any
 *   -> $rid and triggers on every table -> sequences behind their logged bounds -> checkpoint
 * </pre>
 *
 * Each step can be repeated, so a kill during a start is met by the next one.
 */
final class NodeStart {

  private final Path dataDirectory;
  private final WriteAheadLog log;
  private final ControlFile control;
  private final CatalogStore catalog;
  private final Settings settings;
  private final Clock clock;
  private final Supplier<ReplicationSlots> slots;
  private final ReplicationOrigins origins;
  private final NodeFailure failure;
  private boolean foreign;

  /**
   * @param slots see {@link LogRetention}
   * @param stopProcess ends the process when the log and H2 part
   */
  NodeStart(
      Path dataDirectory,
      WriteAheadLog log,
      ControlFile control,
      CatalogStore catalog,
      Settings settings,
      Clock clock,
      Supplier<ReplicationSlots> slots,
      ReplicationOrigins origins,
      Consumer<Throwable> stopProcess) {
    this.dataDirectory = dataDirectory;
    this.log = log;
    this.control = control;
    this.catalog = catalog;
    this.settings = settings;
    this.clock = clock;
    this.slots = slots;
    this.origins = origins;
    this.failure = new NodeFailure(stopProcess);
  }

  /** The rows come from a source: no row is redone into H2, and no statement may change one. */
  NodeStart ofForeignRows() {
    foreign = true;
    return this;
  }

  /**
   * Returns the running node.
   *
   * @throws PgException XX001 when log and H2 do not fit together
   */
  EmbeddedNode start() {
    Path base = dataDirectory.resolve("base");
    refuseOtherKindOfRows(base);
    if (foreign) {
      return start(EmbeddedDatabase.openInMemory());
    }
    try {
      Files.createDirectories(base);
    } catch (IOException e) {
      throw new UncheckedIOException("could not create " + base, e);
    }
    return start(EmbeddedDatabase.open(base, control.state().databaseName()));
  }

  /** A log of the one kind cannot be continued as one of the other. */
  private void refuseOtherKindOfRows(Path base) {
    boolean hasRows = Files.exists(base.resolve(control.state().databaseName() + ".mv.db"));
    boolean hasSource = Files.exists(dataDirectory.resolve("global").resolve("pg_source"));
    if (foreign ? hasRows : hasSource) {
      throw new PgException(
              SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
              foreign
                  ? "the data directory holds an embedded database and cannot follow a source"
                  : "the data directory follows a PostgreSQL server and holds no database")
          .withHint(
              foreign
                  ? "Begin with a new data directory, or unset millrace.source.url."
                  : "Set millrace.source.url, or begin with a new data directory.");
    }
  }

  private EmbeddedNode start(EmbeddedDatabase database) {
    try {
      return foreign ? startWithoutRows(database) : startWithRows(database);
    } catch (RuntimeException | Error e) {
      database.close();
      throw e;
    }
  }

  private EmbeddedNode startWithoutRows(EmbeddedDatabase database) {
    RecoveryResult recovered = recover(database);
    abortUnfinished(recovered);
    NodeParts parts = parts(database, recovered);
    recovered.prepared().forEach(parts.foreign()::resume);
    return begin(parts, new DdlExecutor(parts));
  }

  private EmbeddedNode startWithRows(EmbeddedDatabase database) {
    CaptureTriggers triggers = new CaptureTriggers(database);
    triggers.dropAll();
    RecoveryResult recovered = recover(database);
    abortUnfinished(recovered);
    repairInterruptedAlter(database);
    NodeParts parts = parts(database, recovered);
    DdlExecutor ddlExecutor = new DdlExecutor(parts);
    resumePrepared(recovered.prepared(), parts);
    finishOpenDdl(recovered.openDdl(), parts, ddlExecutor);
    prepareTables(parts, triggers);
    parts.sequences().redo(recovered.sequenceBounds());
    resumeRestarts(recovered.prepared(), parts);
    return begin(parts, ddlExecutor);
  }

  private EmbeddedNode begin(NodeParts parts, DdlExecutor ddlExecutor) {
    LogRetention retention =
        new LogRetention(
            log,
            catalog,
            settings,
            slots,
            new SlotLimits(settings, clock, control.state().segmentSize()));
    Checkpointer checkpointer = new Checkpointer(parts, control, retention);
    FaultPoint.hit("start.redone");
    checkpointer.checkpoint();
    checkpointer.start();
    return new EmbeddedNode(parts, control, ddlExecutor, checkpointer);
  }

  private void repairInterruptedAlter(EmbeddedDatabase database) {
    synchronized (database.adminConnection()) {
      new InterruptedAlter(database.adminConnection()).repair(catalog.current());
    }
  }

  private RecoveryResult recover(EmbeddedDatabase database) {
    ControlState state = control.state();
    try (Connection connection = database.openAdmin()) {
      return new Recovery(
              log,
              catalog,
              connection,
              dataDirectory.resolve("base").resolve("redo"),
              state.segmentSize(),
              new PreparedFiles(dataDirectory),
              database::openSession,
              !foreign)
          .reportOriginsTo(origins::replayed)
          .run(state.redoLsn(), state.nextXid());
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private void abortUnfinished(RecoveryResult recovered) {
    WalBatch batch = new WalBatch(256);
    for (int xid : recovered.unfinishedXids()) {
      addAbort(batch, xid);
    }
    log.append(batch);
    log.flush(log.insertLsn());
  }

  private void addAbort(WalBatch batch, int xid) {
    ByteBuilder out =
        batch.begin(WalRecordType.ABORT, 0, xid, xid, control.state().databaseOid(), 0);
    out.putLong(PgTime.fromInstant(clock.instant())).putInt(0);
    batch.end();
  }

  private NodeParts parts(EmbeddedDatabase database, RecoveryResult recovered) {
    int databaseOid = control.state().databaseOid();
    CommitGate gate = new CommitGate();
    RelationLocks locks = new RelationLocks();
    TableShapes shapes = new TableShapes(database);
    SequenceBounds sequences = new SequenceBounds(databaseOid);
    sequences.refresh(shapes.layout().sequences());
    TransactionLog transactions =
        new TransactionLog(
            log,
            gate,
            locks,
            sequences,
            failure,
            origins,
            clock,
            databaseOid,
            Math.max(recovered.lastCommitTime(), control.state().checkpointTime()));
    RunningTransactions running = new RunningTransactions(recovered.nextXid());
    PreparedTransactions prepared = new PreparedTransactions();
    return new NodeParts(
        database,
        log,
        catalog,
        settings,
        clock,
        databaseOid,
        gate,
        running,
        locks,
        shapes,
        sequences,
        transactions,
        new TwoPhaseCommit(
            log,
            gate,
            locks,
            sequences,
            transactions,
            prepared,
            new PreparedFiles(dataDirectory),
            failure),
        new AsyncCommits(settings),
        new OpenSnapshots(),
        origins,
        failure,
        foreign
            ? new ForeignTransactions(
                log, catalog, gate, running, prepared, clock, databaseOid, recovered.sourceLsn())
            : null);
  }

  /** Their rows are in H2 and invisible; what is left are their locks and their names. */
  private static void resumePrepared(List<RecoveryResult.Prepared> prepared, NodeParts parts) {
    for (RecoveryResult.Prepared each : prepared) {
      NodeTransaction transaction =
          new NodeTransaction(parts.running(), new HeapSession(each.connection()), each.xid());
      transaction.register(each.firstLsn());
      transaction.catalog(each.catalog());
      each.record().subxids().forEach(transaction.subtransactions()::addCommitted);
      parts.locks().resume(transaction, each.record().locks());
      parts
          .twoPhase()
          .resume(
              new PreparedTransaction(
                  each.record().gid(),
                  transaction,
                  each.record().time(),
                  each.lsn(),
                  each.endLsn(),
                  each.changed()));
    }
  }

  /**
   * From where they go on if their transaction is rolled back, after redo, to where it left them.
   */
  private static void resumeRestarts(List<RecoveryResult.Prepared> found, NodeParts parts) {
    for (PreparedTransaction prepared : parts.twoPhase().prepared().all()) {
      found.stream()
          .filter(each -> each.xid() == prepared.transaction().xid())
          .flatMap(each -> each.record().restarts().stream())
          .map(parts.sequences()::resume)
          .filter(Objects::nonNull)
          .forEach(prepared.transaction().restarts()::add);
    }
  }

  /** H2 has done the statement or not: its tables tell, and the log learns it. */
  private void finishOpenDdl(
      RecoveryResult.OpenDdl open, NodeParts parts, DdlExecutor ddlExecutor) {
    if (open == null) {
      return;
    }
    SqlOptions options =
        SqlOptions.PLAIN
            .withRowIdColumn()
            .withRelations(catalog.current()::relation)
            .withTypes(catalog.current().types()::get);
    ParsedStatement.Ddl ddl = ddl(DdlIntent.decode(open.body()).statement(), options);
    Set<QualifiedName> all = new LinkedHashSet<>(parts.shapes().layout().tables());
    ddlExecutor.finishType(ddl);
    CatalogTransaction changes = ddlExecutor.complete(ddl, all);
    WalBatch batch = new WalBatch(256);
    if (changes.isEmpty()) {
      changes.rollbackTo(0);
      addAbort(batch, open.xid());
      log.append(batch);
      log.flush(log.insertLsn());
    } else {
      ddlExecutor.commit(
          ddl, new NodeTransaction(parts.running(), null, open.xid()), changes, batch);
    }
  }

  private static ParsedStatement.Ddl ddl(String statement, SqlOptions options) {
    ParsedStatement parsed = SqlParser.parse(statement, options).get(0);
    return parsed instanceof ParsedStatement.CreateTableAs as
        ? as.create()
        : (ParsedStatement.Ddl) parsed;
  }

  private void prepareTables(NodeParts parts, CaptureTriggers triggers) {
    for (RelationDefinition relation : catalog.current().relations().values()) {
      List<String> columns = parts.shapes().layout().columns(relation.name());
      if (columns == null) {
        throw new PgException(
            SqlState.DATA_CORRUPTED,
            "table \"" + relation.name() + "\" of the catalogue is not in the database");
      }
      triggers.addRowIdentifier(relation, columns);
      triggers.renew(relation);
    }
    parts.shapes().refresh();
    parts.sequences().refresh(parts.shapes().layout().sequences());
  }
}
