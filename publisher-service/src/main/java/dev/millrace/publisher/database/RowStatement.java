package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.ConflictRerun;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.StatementResult;
import dev.millrace.sql.StatementRunner;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.h2.engine.SessionLocal;

/**
 * Runs one INSERT, UPDATE, DELETE or MERGE with its rows captured.
 *
 * <h2>Why a multi-row INSERT is guarded</h2>
 *
 * When a multi-row INSERT meets a unique key that another transaction has written and not
 * committed, H2 waits and then runs the statement again without undoing the rows it had inserted:
 * rows are multiplied, with no error. It may also report a duplicate that is its own first attempt.
 * So such a statement on a table with a unique index besides the primary key runs under a savepoint
 * with next to no lock time-out. When it meets a lock, or a duplicate while another transaction was
 * writing the table, or when the captured rows are not as many as the update count says, it is
 * undone, the other writers are waited for outside H2, and it runs again. After {@link
 * #SHARED_ATTEMPTS} of those it takes the table for itself: then nobody else can be met, and
 * whatever it reports is true. (Single-row statements, UPDATE and DELETE wait rightly inside H2.)
 *
 * <p>H2's own wait cannot be interrupted, so it is cut into slices: a statement that used one up is
 * undone by H2 and run again unless it was cancelled or its lock time-out is over.
 *
 * <p>One statement, one thread.
 */
final class RowStatement {

  private static final int SHARED_ATTEMPTS = 3;
  private static final int GUARDED_LOCK_TIMEOUT_MS = 1;
  private static final int WAIT_SLICE_MS = 2_000;
  private static final int LOCK_TIMEOUT_CODE = 50200;

  private final ParsedStatement.Dml statement;
  private final List<Object> parameters;
  private final NodeTransaction transaction;
  private final TransactionTables tables;
  private final RowCapture capture;
  private final StatementRunner runner;
  private final RelationLocks locks;
  private final RelationLocks.Patience patience;
  private final TransactionLog log;
  private RelationDefinition relation;

  RowStatement(
      ParsedStatement.Dml statement,
      List<Object> parameters,
      NodeTransaction transaction,
      SessionParts session,
      RelationLocks.Patience patience) {
    this.statement = statement;
    this.parameters = parameters;
    this.transaction = transaction;
    this.tables = session.tables();
    this.capture = session.capture();
    this.runner = session.runner();
    this.locks = session.locks();
    this.log = session.log();
    this.patience = patience;
  }

  /** Runs it. The captured records wait in the capture's batch. */
  StatementResult run() {
    relation = tables.lockForWriting(statement.target(), patience);
    if (statement.updates()) {
      tables.checkReplicaIdentity(relation, WalRecordType.UPDATE);
    }
    if (statement.deletes()) {
      tables.checkReplicaIdentity(relation, WalRecordType.DELETE);
    }
    boolean guarded = statement.mayInsertMany() && tables.shape(relation).hasSecondaryUnique();
    return ConflictRerun.run(statement, () -> guarded ? runGuarded() : runWaiting());
  }

  private StatementResult runWaiting() {
    long deadlineNs = System.nanoTime() + patience.lockTimeoutMs() * 1_000_000;
    while (true) {
      transaction.heap().lockTimeout(sliceMs(deadlineNs));
      try {
        return attempt(false);
      } catch (PgException e) {
        boolean timeLeft = patience.lockTimeoutMs() == 0 || System.nanoTime() < deadlineNs;
        if (!isLockTimeout(e) || !timeLeft) {
          throw e;
        }
        patience.cancellation().check();
      }
    }
  }

  private int sliceMs(long deadlineNs) {
    if (patience.lockTimeoutMs() == 0) {
      return WAIT_SLICE_MS;
    }
    long leftMs = Math.max(1, (deadlineNs - System.nanoTime()) / 1_000_000);
    return (int) Math.min(leftMs, WAIT_SLICE_MS);
  }

  private StatementResult runGuarded() {
    for (int attempt = 1; ; attempt++) {
      boolean alone = attempt > SHARED_ATTEMPTS;
      if (alone) {
        relation = tables.lockAlone(statement.target(), patience);
      }
      Set<NodeTransaction> others = new LinkedHashSet<>(tables.otherWriters(relation));
      SessionLocal.Savepoint before = transaction.heap().savepoint();
      transaction.heap().lockTimeout(GUARDED_LOCK_TIMEOUT_MS);
      try {
        StatementResult result = attempt(!alone && !statement.updates() && !statement.deletes());
        if (result != null) {
          return result;
        }
      } catch (PgException e) {
        others.addAll(tables.otherWriters(relation));
        boolean others23505 = e.sqlState().equals(SqlState.UNIQUE_VIOLATION) && !others.isEmpty();
        if (alone || !isLockTimeout(e) && !others23505) {
          throw e;
        }
      }
      transaction.heap().rollbackTo(before);
      others.addAll(tables.otherWriters(relation));
      locks.awaitEnd(transaction, relation.oid(), List.copyOf(others), patience);
    }
  }

  /**
   * Runs the statement once; on an error nothing of it is left in the capture.
   *
   * @param countRows answer null, with nothing left in the capture, when H2 inserted another number
   *     of rows than it says
   */
  private StatementResult attempt(boolean countRows) {
    capture.beginStatement(transaction, statement.updates() || statement.deletes());
    try {
      StatementResult result = runner.change(statement, parameters);
      if (countRows && capture.rows() != result.count()) {
        drop();
        return null;
      }
      capture.endStatement();
      return result;
    } catch (PgException e) {
      PgException refused = capture.failure();
      drop();
      throw refused == null ? e : refused;
    } catch (RuntimeException | Error e) {
      drop();
      throw e;
    }
  }

  /** Takes back what the statement captured, from the log too if it got there early. */
  private void drop() {
    int subxid = capture.dropStatement();
    if (subxid != NodeTransaction.NO_XID) {
      log.abortSubtransactions(transaction, List.of(subxid), capture.batch());
    }
  }

  private static boolean isLockTimeout(PgException e) {
    return e.getCause() instanceof SQLException cause && cause.getErrorCode() == LOCK_TIMEOUT_CODE;
  }
}
