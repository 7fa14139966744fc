package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.database.PublisherNode.PinnedSnapshot;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.ParsedStatement.TransactionControl;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.StatementResult;
import dev.millrace.sql.StatementRunner;
import dev.millrace.sql.TransactionBackend.IsolationLevel;
import java.sql.Connection;
import java.util.List;
import java.util.function.Function;

/**
 * The SQL of a walsender session: plain statements on an own session, and the read-only REPEATABLE
 * READ transaction of a table synchronization on a pinned snapshot.
 *
 * <p>The snapshot is pinned by CREATE_REPLICATION_SLOT .. (SNAPSHOT 'use') or, without one, by the
 * first statement that reads. The session's thread alone uses it.
 */
final class SessionQueries implements AutoCloseable {

  /** The state of the snapshot transaction; other transactions live in the own session. */
  private enum Transaction {
    /** No snapshot transaction. */
    NONE,
    /** BEGIN was given, nothing read yet: a slot may still give its snapshot. */
    BEGUN,
    /** Statements see the snapshot. */
    PINNED,
    /** A statement failed; only COMMIT and ROLLBACK are taken. */
    FAILED
  }

  private final PublisherNode node;
  private final String holder;
  private final int maxRows;
  private Transaction transaction = Transaction.NONE;
  private PinnedSnapshot snapshot;
  private SqlSession session;
  private String exportedName;

  /**
   * @param holder how errors of DDL that waits for the snapshot name it
   */
  SessionQueries(PublisherNode node, String holder, int maxRows) {
    this.node = node;
    this.holder = holder;
    this.maxRows = maxRows;
  }

  /** Runs one statement that is no replication command. */
  SqlResponse run(ParsedStatement statement) {
    if (statement instanceof TransactionControl control) {
      StatementResult result = control(control);
      return result == null ? ownSession(statement) : response(result);
    }
    if (transaction == Transaction.NONE) {
      return ownSession(statement);
    }
    requireNotFailed();
    if (!(statement instanceof ParsedStatement.Query query)) {
      if (statement instanceof ParsedStatement.Show
          || statement instanceof ParsedStatement.SetParameter) {
        return ownSession(statement);
      }
      throw new PgException(
          SqlState.READ_ONLY_SQL_TRANSACTION,
          "cannot execute this statement in a transaction on a snapshot");
    }
    Connection connection = pinned();
    return snapshot.isForeign()
        ? onSource(query, connection)
        : response(new StatementRunner(connection, maxRows).query(query.h2Sql(), List.of()));
  }

  /** Views are this node's; a table that is not one of them is the source's. */
  private SqlResponse onSource(ParsedStatement.Query query, Connection connection) {
    try {
      return ownSession(query);
    } catch (PgException e) {
      if (!e.sqlState().equals(SqlState.UNDEFINED_TABLE)
          && !e.sqlState().equals(SqlState.INVALID_SCHEMA_NAME)) {
        throw e;
      }
      return response(new SourceQuery(connection, maxRows).run(query.original()));
    }
  }

  /** Null when the statement is none of the snapshot transaction's. */
  private StatementResult control(TransactionControl control) {
    boolean open = transaction != Transaction.NONE;
    switch (control.kind()) {
      case BEGIN:
        if (open) {
          throw new PgException(
              SqlState.ACTIVE_SQL_TRANSACTION, "there is already a transaction in progress");
        }
        if (control.isolation() != IsolationLevel.REPEATABLE_READ) {
          return null;
        }
        transaction = Transaction.BEGUN;
        return StatementResult.ofCommand("BEGIN");
      case COMMIT:
        return open ? end(transaction == Transaction.FAILED ? "ROLLBACK" : "COMMIT") : null;
      case ROLLBACK:
        return open ? end("ROLLBACK") : null;
      case SET_TRANSACTION_SNAPSHOT:
        return open ? importSnapshot(control.name()) : null;
      default:
        if (!open) {
          return null;
        }
        throw new PgException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "savepoints and prepared transactions are not supported in a transaction on a snapshot");
    }
  }

  private StatementResult end(String tag) {
    transaction = Transaction.NONE;
    releaseSnapshot();
    return StatementResult.ofCommand(tag);
  }

  private SqlResponse ownSession(ParsedStatement statement) {
    if (session == null) {
      session = node.open();
      // It lives as long as the connection, whose end tells of a lost peer.
      session.execute("SET idle_session_timeout = 0", List.of());
    }
    return session.execute(statement.original(), List.of());
  }

  private SqlResponse response(StatementResult result) {
    return new SqlResponse(List.of(result), List.of(), null);
  }

  /** Checks that CREATE_REPLICATION_SLOT .. (SNAPSHOT 'use') may be run now. */
  void requireUnusedSnapshotTransaction(String command) {
    if (transaction == Transaction.NONE && (session == null || !inOwnTransaction())) {
      throw new PgException(
          SqlState.NO_ACTIVE_SQL_TRANSACTION, command + " must be called inside a transaction");
    }
    if (transaction == Transaction.NONE) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION,
          command + " must be called in REPEATABLE READ isolation mode transaction");
    }
    requireNotFailed();
    if (transaction == Transaction.PINNED) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION, command + " must be called before any query");
    }
  }

  boolean inTransaction() {
    return transaction != Transaction.NONE || session != null && inOwnTransaction();
  }

  /** Whether a transaction of this session has changed anything. */
  boolean hasWritten() {
    return session != null && node.hasWritten(session);
  }

  private boolean inOwnTransaction() {
    return session.status() != dev.millrace.sql.TransactionStatus.IDLE;
  }

  /** The transaction reads a new slot's snapshot from now on. */
  void use(PinnedSnapshot slotSnapshot) {
    slotSnapshot.describe(holder);
    snapshot = slotSnapshot;
    transaction = Transaction.PINNED;
  }

  private StatementResult importSnapshot(String name) {
    requireNotFailed();
    if (transaction == Transaction.PINNED) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION,
          "SET TRANSACTION SNAPSHOT must be called before any query");
    }
    use(node.exportedSnapshots().take(name, true));
    return StatementResult.ofCommand("SET");
  }

  /** Gives a new slot's snapshot a name; it is good until {@link #endExport}. */
  String export(PinnedSnapshot slotSnapshot, long pid) {
    slotSnapshot.describe(holder);
    exportedName = node.exportedSnapshots().export(slotSnapshot, pid);
    return exportedName;
  }

  /** The session's next command has come: the name of its exported snapshot is good no more. */
  void endExport() {
    if (exportedName != null) {
      String ended = exportedName;
      exportedName = null;
      node.exportedSnapshots().end(ended);
    }
  }

  /** Runs a copy on the transaction's snapshot, or on one of its own outside a transaction. */
  <T> T onSnapshot(Function<PinnedSnapshot, T> copy) {
    requireNotFailed();
    if (transaction != Transaction.NONE) {
      pinned();
      return copy.apply(snapshot);
    }
    try (PinnedSnapshot own = node.createConsistentPoint(true).snapshot()) {
      own.describe(holder);
      return copy.apply(own);
    }
  }

  private Connection pinned() {
    if (transaction == Transaction.BEGUN) {
      use(node.createConsistentPoint(true).snapshot());
    }
    return snapshot.connection();
  }

  private void requireNotFailed() {
    if (transaction == Transaction.FAILED) {
      throw new PgException(
          SqlState.IN_FAILED_SQL_TRANSACTION,
          "current transaction is aborted, commands ignored until end of transaction block");
    }
  }

  /** A command failed: the snapshot goes, and the transaction takes nothing but its end. */
  void fail() {
    if (transaction != Transaction.NONE) {
      transaction = Transaction.FAILED;
      releaseSnapshot();
    }
  }

  /** Stops a running statement; from any thread. */
  void cancel() {
    SqlSession running = session;
    if (running != null) {
      running.cancel();
    }
  }

  private void releaseSnapshot() {
    if (snapshot != null) {
      PinnedSnapshot ended = snapshot;
      snapshot = null;
      ended.close();
    }
  }

  @Override
  public void close() {
    transaction = Transaction.NONE;
    endExport();
    releaseSnapshot();
    if (session != null) {
      session.close();
    }
  }
}
