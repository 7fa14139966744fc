package dev.millrace.publisher.database;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeDefinition;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.settings.Settings;
import dev.millrace.sql.CascadeNotices;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.StatementResult;
import dev.millrace.sql.StatementRunner;
import dev.millrace.sql.TransactionBackend;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/**
 * One session on the embedded database: its transaction, its captured rows, and the statements that
 * run in it.
 *
 * <p>The records of a statement go to the log when it has succeeded, so that concurrent
 * transactions interleave there; those of a statement that is a whole transaction go together with
 * its commit record. One thread, except {@link #cancel}.
 */
final class NodeBackend implements TransactionBackend {

  private final NodeParts node;
  private final DdlExecutor ddlExecutor;
  private final Checkpointer checkpointer;
  private final ExportedSnapshots exportedSnapshots;
  private final Settings settings;
  private final StatementClock statementClock;
  private volatile SessionParts session;
  private CatalogStatements catalogStatements;
  private final Savepoints savepoints = new Savepoints();
  private NodeTransaction transaction;
  private PendingCommit pending;
  private IsolationLevel isolation;
  private boolean readOnly;
  private final SessionOrigin origin;
  private boolean heapRolledBack;
  private PublisherNode.PinnedSnapshot imported;

  NodeBackend(
      NodeParts node,
      DdlExecutor ddlExecutor,
      Checkpointer checkpointer,
      ExportedSnapshots exportedSnapshots,
      Settings settings) {
    this.exportedSnapshots = exportedSnapshots;
    this.node = node;
    this.ddlExecutor = ddlExecutor;
    this.checkpointer = checkpointer;
    this.settings = settings;
    this.origin = new SessionOrigin(node.origins());
    use(newSession());
    this.statementClock = new StatementClock(() -> session.runner().cancel());
  }

  private SessionParts newSession() {
    return SessionParts.open(node, settings, () -> transaction);
  }

  private void use(SessionParts parts) {
    session = parts;
    catalogStatements = new CatalogStatements(node, parts);
  }

  @Override
  public void begin(IsolationLevel wanted, boolean wantReadOnly) {
    completePending();
    isolation = wanted;
    readOnly = wantReadOnly;
    heapRolledBack = false;
    session.heap().isolation(isolation);
    transaction = new NodeTransaction(node.running(), session.heap());
    transaction.origin(origin);
    node.locks().begin(transaction);
    session.tables().begin(transaction);
  }

  /** The catalogue with the open transaction's own changes. */
  CatalogSnapshot catalogView() {
    return session.tables().view();
  }

  /** Whether the open transaction has got an xid, which it gets with its first change. */
  boolean hasWritten() {
    return transaction != null && transaction.hasXid();
  }

  /** What the session replays. */
  SessionOrigin origin() {
    return origin;
  }

  /** The open transaction's xid; assigns one if it has none. */
  int assignXid() {
    transaction.currentXid();
    return transaction.xid();
  }

  /** See {@link PublisherNode#emitMessage}. */
  long emitMessage(boolean transactional, String prefix, byte[] content, boolean flush) {
    long limit = SessionParts.maxRowBytes(settings);
    if (content.length > limit) {
      throw new PgException(SqlState.PROGRAM_LIMIT_EXCEEDED, "message is too big to be replicated")
          .withDetail("The limit is " + limit + " bytes.");
    }
    long endLsn = node.transactions().appendMessage(transaction, transactional, prefix, content);
    if (flush && !transactional) {
      node.log().flush(endLsn);
    }
    return endLsn;
  }

  @Override
  public void commit() {
    NodeTransaction ending = transaction;
    try {
      refuseAfterFailure();
      boolean durable = !settings.get("synchronous_commit").equals("off");
      pending = node.transactions().commit(ending, batch(), durable);
      if (pending != null) {
        node.asyncCommits().add(pending);
      }
    } catch (RuntimeException | Error e) {
      if (!ending.hasEnded()) {
        node.transactions().rollback(ending, batch());
      }
      throw e;
    } finally {
      forgetTransaction();
    }
  }

  @Override
  public void rollback() {
    if (transaction == null) {
      return;
    }
    try {
      node.transactions().rollback(transaction, batch());
    } finally {
      forgetTransaction();
    }
  }

  /** The prepared transaction keeps the connection to H2; the session goes on with another. */
  @Override
  public void prepare(String gid) {
    NodeTransaction ending = transaction;
    SessionParts next = null;
    try {
      refuseAfterFailure();
      refuseWhenForeign("PREPARE TRANSACTION");
      next = newSession();
      int limit = settings.getInt("max_prepared_transactions");
      node.twoPhase().prepare(gid, ending, batch(), limit);
      use(next);
    } catch (RuntimeException | Error e) {
      if (next != null) {
        next.heap().close();
      }
      if (node.failure().reason() == null) { // Else the log may hold it as prepared.
        node.transactions().rollback(ending, batch());
      }
      throw e;
    } finally {
      forgetTransaction();
    }
  }

  @Override
  public void finishPrepared(String gid, boolean commit) {
    completePending();
    refuseAfterFailure();
    refuseWhenForeign(commit ? "COMMIT PREPARED" : "ROLLBACK PREPARED");
    node.twoPhase().finish(gid, commit, origin);
  }

  private void refuseWhenForeign(String command) {
    if (node.isForeign()) {
      throw ForeignTransactions.refused(command);
    }
  }

  private void forgetTransaction() {
    transaction = null;
    session.tables().begin(null);
    savepoints.clear();
    if (imported != null) {
      PublisherNode.PinnedSnapshot ended = imported;
      imported = null;
      ended.close();
    }
  }

  private void completePending() {
    PendingCommit last = pending;
    if (last != null) {
      pending = null;
      last.complete();
    }
  }

  @Override
  public void importSnapshot(String name) {
    imported = exportedSnapshots.take(name, false);
    imported.describe("a session that imported it");
  }

  private void refuseOnImported(String command) {
    if (imported != null) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          command + " in a transaction on an imported snapshot is not supported");
    }
  }

  @Override
  public void savepoint(int level) {
    savepoints.set(transaction, session.heap());
  }

  @Override
  public void rollbackToSavepoint(int level) {
    if (heapRolledBack) {
      throw new PgException(
              SqlState.SERIALIZATION_FAILURE, "cannot roll back to a savepoint after a deadlock")
          .withHint("The whole transaction was rolled back; use ROLLBACK.");
    }
    savepoints.rollbackTo(level, transaction, session.heap(), node.transactions());
    for (List<Integer> ended : transaction.subtransactions().rollbackTo(level)) {
      node.transactions().abortSubtransactions(transaction, ended, batch());
    }
  }

  @Override
  public void releaseSavepoint(int level) {
    savepoints.release(level, transaction);
  }

  private WalBatch batch() {
    return session.capture().batch();
  }

  @Override
  public StatementResult execute(ParsedStatement statement, StatementContext context) {
    refuseAfterFailure();
    statementClock.start(settings.getMillis("statement_timeout"));
    try {
      return dispatch(statement, context);
    } catch (PgException e) {
      node.stopIfDatabaseLost(e);
      heapRolledBack |= isHeapRollback(e);
      throw statementClock.explain(e);
    } catch (RuntimeException | Error e) {
      node.stopIfDatabaseLost(e);
      throw e;
    } finally {
      statementClock.stop();
    }
  }

  private void refuseAfterFailure() {
    if (node.failure().reason() != null) {
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "the database system has stopped");
    }
  }

  /** H2 answers a deadlock of row locks by rolling back the whole transaction. */
  private static boolean isHeapRollback(PgException e) {
    return e.getCause() instanceof SQLException cause && "40001".equals(cause.getSQLState());
  }

  private StatementResult dispatch(ParsedStatement statement, StatementContext context) {
    if (node.isForeign()) {
      ForeignTransactions.refuseToChangeRows(statement);
    }
    if (statement instanceof ParsedStatement.Query query) {
      return query(query, context);
    } else if (statement instanceof ParsedStatement.Dml dml) {
      return change(dml, context);
    } else if (statement instanceof ParsedStatement.Truncate truncate) {
      return truncate(truncate, context);
    } else if (CatalogStatements.runs(statement)) {
      refuseWhenReadOnly(statement.original());
      StatementResult result =
          catalogStatements.run(statement, transaction, patience(), context.notices());
      statementDone(context);
      return result;
    } else if (statement instanceof ParsedStatement.Ddl ddl) {
      return define(ddl, context);
    } else if (statement instanceof ParsedStatement.Maintenance maintenance) {
      return maintain(maintenance);
    }
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED,
        "statement is not supported by the publisher: " + statement.original());
  }

  private StatementResult query(ParsedStatement.Query query, StatementContext context) {
    if (imported != null) {
      return new StatementRunner(imported.connection(), settings.getInt("max_rows_per_answer"))
          .query(query.h2Sql(), context.parameters());
    }
    session.capture().beginStatement(transaction, false);
    try {
      StatementResult result = session.runner().query(query.h2Sql(), context.parameters());
      if (session.capture().rows() > 0) {
        throw new PgException(SqlState.FEATURE_NOT_SUPPORTED, "a query cannot change rows");
      }
      session.capture().endStatement();
      return result;
    } catch (RuntimeException | Error e) {
      session.capture().dropStatement();
      throw e;
    }
  }

  private StatementResult change(ParsedStatement.Dml dml, StatementContext context) {
    refuseWhenReadOnly(dml.tag().equals("INSERT 0") ? "INSERT" : dml.tag());
    StatementResult result =
        new RowStatement(dml, context.parameters(), transaction, session, patience()).run();
    statementDone(context);
    return result;
  }

  private StatementResult truncate(ParsedStatement.Truncate truncate, StatementContext context) {
    refuseWhenReadOnly("TRUNCATE TABLE");
    new TruncateStatement(
            truncate, transaction, session, node.shapes(), node.databaseOid(), patience())
        .run();
    statementDone(context);
    return StatementResult.ofCommand("TRUNCATE TABLE");
  }

  /**
   * DDL is a transaction of its own: it ends the implicit transaction before it, and is refused in
   * a block, since ROLLBACK could not undo it.
   */
  private StatementResult define(ParsedStatement.Ddl ddl, StatementContext context) {
    if (context.explicitBlock()) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION, ddl.tag() + " cannot run inside a transaction block");
    }
    refuseWhenReadOnly(ddl.tag());
    if (ddl.target() != null && !HeapLayout.isUserSchema(ddl.target().schema())) {
      throw new PgException(
          SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + ddl.target().schema());
    }
    commit();
    completePending();
    List<Notice> cascades = CascadeNotices.of(session.heap().connection(), ddl);
    session.heap().rollback();
    try {
      NodeTransaction own = new NodeTransaction(node.running(), session.heap());
      node.locks().begin(own);
      boolean changed = ddlExecutor.run(ddl, own, patience());
      if (ddl.ifExists() && !changed) {
        context.notices().accept(skipped(ddl));
      }
      cascades.forEach(context.notices());
    } finally {
      begin(isolation, readOnly);
    }
    return StatementResult.ofCommand(ddl.tag());
  }

  /** H2 needs neither VACUUM nor ANALYZE. */
  private StatementResult maintain(ParsedStatement.Maintenance maintenance) {
    if (maintenance.tag().equals("CHECKPOINT")) {
      checkpointer.checkpoint();
    }
    return StatementResult.ofCommand(maintenance.tag());
  }

  /** The catalogue as the open transaction sees it. */
  RelationDefinition relation(QualifiedName name) {
    return session.tables().find(name);
  }

  /** An enum or domain as the open transaction sees it, or null. */
  TypeDefinition type(QualifiedName name) {
    return session.tables().view().types().get(name);
  }

  private static Notice skipped(ParsedStatement.Ddl ddl) {
    String[] words = ddl.tag().toLowerCase(Locale.ROOT).split(" ");
    String kind = words[words.length - 1];
    boolean create = words[0].equals("create");
    String noun = create && !kind.equals("schema") ? "relation" : kind;
    return Notice.notice(
        noun
            + " \""
            + ddl.target().name()
            + (create ? "\" already exists, skipping" : "\" does not exist, skipping"));
  }

  private void refuseWhenReadOnly(String command) {
    refuseOnImported(command);
    if (readOnly) {
      throw new PgException(
          SqlState.READ_ONLY_SQL_TRANSACTION,
          "cannot execute " + command + " in a read-only transaction");
    }
  }

  /** Puts the statement's records into the log, unless its commit record follows at once. */
  private void statementDone(StatementContext context) {
    if (context.explicitBlock() || !context.alone()) {
      node.transactions().append(transaction, batch());
    }
  }

  private RelationLocks.Patience patience() {
    return new RelationLocks.Patience(
        settings.getMillis("lock_timeout"),
        settings.getMillis("deadlock_timeout"),
        statementClock::check);
  }

  @Override
  public void cancel() {
    statementClock.cancel();
  }

  @Override
  public void close() {
    try {
      rollback();
      completePending();
    } finally {
      origin.close();
      session.heap().close();
    }
  }
}
