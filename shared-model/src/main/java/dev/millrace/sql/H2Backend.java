package dev.millrace.sql;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ParsedStatement.Ddl;
import dev.millrace.sql.ParsedStatement.Dml;
import dev.millrace.sql.ParsedStatement.Query;
import dev.millrace.sql.ParsedStatement.Truncate;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.h2.engine.Constants;

/**
 * A session's transaction on a plain H2 database over JDBC: no log, no capture. To be extended by
 * backends that add statements of their own. One thread, except {@link #cancel}.
 *
 * <p>H2's own ROLLBACK TO keeps savepoints that were set later and forgets a whole transaction on a
 * deadlock without telling; so the savepoints are kept here, and after a deadlock there is no way
 * back to them.
 */
public class H2Backend implements TransactionBackend {

  private final Connection connection;
  private final StatementRunner runner;
  private final Settings settings;
  private final LockWait lockWait = new LockWait();
  private final List<Savepoint> savepoints = new ArrayList<>();
  private final List<String> atCommit = new ArrayList<>();
  private IsolationLevel inForce = IsolationLevel.READ_COMMITTED;
  private IsolationLevel isolation;
  private boolean readOnly;
  private boolean lost;
  private long turnInForceMs;

  /**
   * Takes over {@code connection}, which is closed with the session.
   *
   * @param settings the session's, for max_rows_per_answer, statement_timeout and lock_timeout
   */
  public H2Backend(Connection connection, Settings settings) {
    this.connection = connection;
    this.settings = settings;
    this.runner = new StatementRunner(connection, settings.getInt("max_rows_per_answer"));
    run(() -> connection.setAutoCommit(false));
  }

  /** The connection, for statements of subclasses inside the open transaction. */
  protected final Connection connection() {
    return connection;
  }

  protected final StatementRunner runner() {
    return runner;
  }

  @Override
  public void begin(IsolationLevel newIsolation, boolean newReadOnly) {
    isolation = newIsolation;
    readOnly = newReadOnly;
    lost = false;
    IsolationLevel wanted = newIsolation == null ? IsolationLevel.READ_COMMITTED : newIsolation;
    if (wanted != inForce) {
      run(() -> connection.setTransactionIsolation(jdbcLevel(wanted)));
      inForce = wanted;
    }
  }

  /** Only SNAPSHOT gives what PostgreSQL's REPEATABLE READ gives: the whole database, pinned. */
  private static int jdbcLevel(IsolationLevel level) {
    switch (level) {
      case REPEATABLE_READ:
        return Constants.TRANSACTION_SNAPSHOT;
      case SERIALIZABLE:
        return Connection.TRANSACTION_SERIALIZABLE;
      default:
        return Connection.TRANSACTION_READ_COMMITTED;
    }
  }

  @Override
  public void commit() {
    try {
      run(connection::commit);
      for (String statement : atCommit) {
        executeDirectly(statement);
      }
    } catch (PgException e) {
      rollback();
      throw e;
    } finally {
      forget();
    }
  }

  @Override
  public void rollback() {
    forget();
    run(connection::rollback);
  }

  private void forget() {
    savepoints.clear();
    atCommit.clear();
  }

  @Override
  public void savepoint(int level) {
    run(() -> savepoints.add(connection.setSavepoint()));
  }

  @Override
  public void rollbackToSavepoint(int level) {
    if (lost) {
      throw new PgException(
              SqlState.SERIALIZATION_FAILURE,
              "cannot roll back to a savepoint: the whole transaction was rolled back")
          .withHint("Use ROLLBACK and run the transaction again.");
    }
    run(() -> connection.rollback(savepoints.get(level - 1)));
    savepoints.subList(level, savepoints.size()).clear();
  }

  @Override
  public void releaseSavepoint(int level) {
    savepoints.subList(level - 1, savepoints.size()).clear();
  }

  @Override
  public StatementResult execute(ParsedStatement statement, StatementContext context) {
    try {
      return dispatch(statement, context);
    } catch (PgException e) {
      lost |= isWholeRollback(e);
      throw e;
    }
  }

  private <R> R waiting(Supplier<R> statement) {
    return waiting(statement, LockWait.TURN_MS);
  }

  /** Runs something that may wait for locks of other sessions, as long as the settings allow. */
  private <R> R waiting(Supplier<R> statement, long longestTurnMs) {
    long lockTimeoutMs = settings.getMillis("lock_timeout");
    long turnMs = lockTimeoutMs > 0 ? Math.min(lockTimeoutMs, longestTurnMs) : longestTurnMs;
    if (turnMs != turnInForceMs) {
      executeDirectly("SET LOCK_TIMEOUT " + turnMs);
      turnInForceMs = turnMs;
    }
    long statementTimeoutMs = settings.getMillis("statement_timeout");
    runner.setStatementTimeout(statementTimeoutMs);
    return lockWait.run(statement, lockTimeoutMs, statementTimeoutMs);
  }

  private static boolean isWholeRollback(PgException e) {
    return e.getCause() instanceof SQLException cause && "40001".equals(cause.getSQLState());
  }

  /**
   * Runs one statement.
   *
   * @throws PgException 0A000 for a statement of another kind; subclasses add theirs
   */
  protected StatementResult dispatch(ParsedStatement statement, StatementContext context) {
    if (statement instanceof Query query) {
      return waiting(() -> runner.query(query.h2Sql(), context.parameters()));
    }
    if (statement instanceof Dml dml) {
      refuseWhenReadOnly(dml.verb());
      // H2 may multiply the rows of an INSERT that waits for another's unique key.
      long turnMs = dml.mayInsertMany() ? LockWait.SHORTEST_TURN_MS : LockWait.TURN_MS;
      return ConflictRerun.run(
          dml,
          () ->
              waiting(
                  () -> writing(dml.target(), () -> runner.change(dml, context.parameters())),
                  turnMs));
    }
    if (statement instanceof Truncate truncate) {
      refuseWhenReadOnly("TRUNCATE TABLE");
      return truncate(truncate);
    }
    if (statement instanceof Ddl ddl) {
      refuseWhenReadOnly(ddl.tag());
      return define(ddl, context);
    }
    if (statement instanceof ParsedStatement.Maintenance maintenance) {
      return StatementResult.ofCommand(maintenance.tag());
    }
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED,
        "this statement is not supported here: " + statement.original());
  }

  /** Runs a statement that writes to a table; for subclasses that keep DDL away from it. */
  protected <R> R writing(QualifiedName table, Supplier<R> statement) {
    return statement.get();
  }

  private void refuseWhenReadOnly(String command) {
    if (readOnly) {
      throw new PgException(
          SqlState.READ_ONLY_SQL_TRANSACTION,
          "cannot execute " + command + " in a read-only transaction");
    }
  }

  /** Deletes in an order that foreign keys allow; sequences are restarted when it commits. */
  private StatementResult truncate(Truncate truncate) {
    truncate.tables().forEach(table -> ObjectKinds.requireTable(connection, table));
    TruncatePlan plan = TruncatePlan.of(connection, truncate);
    for (QualifiedName table : plan.tables()) {
      waiting(
          () ->
              writing(table, () -> runner.update("DELETE FROM " + DdlText.name(table), List.of())));
    }
    atCommit.addAll(plan.restarts());
    return StatementResult.ofCommand("TRUNCATE TABLE");
  }

  /** H2 commits DDL by itself: it ends the implicit transaction before it and begins the next. */
  private StatementResult define(Ddl ddl, StatementContext context) {
    if (context.explicitBlock()) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION, ddl.tag() + " cannot run inside a transaction block");
    }
    commit();
    ObjectKinds.check(connection, ddl);
    if (ddl.ifExists()) {
      DdlTargets.skipped(connection, ddl).forEach(context.notices());
    }
    List<Notice> cascades = CascadeNotices.of(connection, ddl);
    run(connection::rollback);
    try {
      runDefinition(ddl);
      run(connection::commit);
      cascades.forEach(context.notices());
    } finally {
      begin(isolation, readOnly);
    }
    return StatementResult.ofCommand(ddl.tag());
  }

  /** Runs the statements of a DDL statement outside any transaction. */
  protected void runDefinition(Ddl ddl) {
    if (AlterRehearsal.hasSeveralActions(ddl)) {
      AlterRehearsal.run(definitionConnection(), ddl);
    }
    for (String statement : ddl.h2Statements()) {
      executeDirectly(statement);
    }
  }

  /** Runs a statement that changes definitions or restarts a sequence, outside transactions. */
  private void executeDirectly(String h2Sql) {
    try (Statement statement = definitionConnection().createStatement()) {
      statement.execute(h2Sql);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /** The connection for {@link #executeDirectly}; one that may change definitions. */
  protected Connection definitionConnection() {
    return connection;
  }

  /** Something JDBC does, with its errors in PostgreSQL's words. */
  private interface JdbcAction {
    void run() throws SQLException;
  }

  private static void run(JdbcAction action) {
    try {
      action.run();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  @Override
  public void cancel() {
    lockWait.cancel();
    runner.cancel();
  }

  @Override
  public void close() {
    run(connection::close);
  }
}
