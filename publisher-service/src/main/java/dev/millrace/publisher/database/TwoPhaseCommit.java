package dev.millrace.publisher.database;

import dev.millrace.model.FaultPoint;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.publisher.wal.PreparedFiles;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WriteAheadLog;
import org.h2.engine.SessionLocal;

/**
 * PREPARE TRANSACTION and its two ends, on the log instead of H2's own two-phase commit, which
 * loses and revives transactions.
 *
 * <pre>
 *  PREPARE            record with gid, subxids and table locks --> log flushed --> registry
 *                     (the H2 transaction stays open on its connection; the session gets another)
 *  COMMIT PREPARED    marker in the H2 transaction --> record --> log flushed --> H2 commit
 *  ROLLBACK PREPARED  record --> log flushed --> H2 rollback
 * </pre>
 *
 * <p>A kill before the flush of PREPARE leaves an unfinished transaction, which the next start
 * aborts. After it the start applies the transaction's changes, from the log or from its file
 * ({@link PreparedFiles}), into an open H2 transaction and takes its locks again, before any
 * session can come. A kill after the flush of the end finds the end in the log: the start redoes
 * the commit where H2 lacks its marker, or leaves the changes out. Rolling back waits for its flush
 * too, because others must not build on rows whose going a crash would take back.
 *
 * <p>All three hold the shared side of the gate over their steps, so a checkpoint sees a
 * transaction either before or after each of them. Safe for any thread.
 */
final class TwoPhaseCommit {

  private final WriteAheadLog log;
  private final CommitGate gate;
  private final RelationLocks locks;
  private final SequenceBounds sequences;
  private final TransactionLog transactions;
  private final PreparedTransactions prepared;
  private final PreparedFiles files;
  private final NodeFailure failure;

  TwoPhaseCommit(
      WriteAheadLog log,
      CommitGate gate,
      RelationLocks locks,
      SequenceBounds sequences,
      TransactionLog transactions,
      PreparedTransactions prepared,
      PreparedFiles files,
      NodeFailure failure) {
    this.log = log;
    this.gate = gate;
    this.locks = locks;
    this.sequences = sequences;
    this.transactions = transactions;
    this.prepared = prepared;
    this.files = files;
    this.failure = failure;
  }

  /**
   * Prepares a transaction; its connection to H2 is the registry's afterwards. On an error the
   * transaction is still its session's.
   *
   * @param batch records of it not yet appended; empty afterwards
   * @param limit max_prepared_transactions
   */
  void prepare(String gid, NodeTransaction transaction, WalBatch batch, int limit) {
    prepared.reserve(gid, limit);
    long stamp = gate.enterShared();
    try {
      PreparedTransaction ready;
      try {
        ready = transactions.appendPrepare(gid, transaction, batch);
      } catch (RuntimeException | Error e) {
        prepared.remove(gid);
        throw e;
      }
      flush(ready.prepareEndLsn(), gid, "prepare");
      transactions.replayed(transaction, ready.prepareEndLsn());
      prepared.add(ready);
      FaultPoint.hit("prepare.done");
    } finally {
      gate.leave(stamp);
    }
  }

  private void flush(long endLsn, String gid, String step) {
    try {
      FaultPoint.hit(step + ".appended");
      log.flush(endLsn);
      FaultPoint.hit(step + ".flushed");
    } catch (RuntimeException | Error e) {
      throw failure.stop("could not write the log for prepared transaction \"" + gid + "\"", e);
    }
  }

  /**
   * Ends a prepared transaction.
   *
   * @param origin what the session that ends it replays
   * @throws dev.millrace.model.PgException 42704 unknown, 55000 busy; it is still prepared then
   */
  void finish(String gid, boolean commit, SessionOrigin origin) {
    PreparedTransaction ending = prepared.take(gid);
    ending.transaction().origin(origin);
    long stamp = gate.enterShared();
    long endLsn;
    try {
      endLsn = appendEnd(ending, commit);
    } catch (RuntimeException | Error e) {
      gate.leave(stamp);
      prepared.giveBack(ending);
      throw e;
    }
    try {
      flush(endLsn, gid, commit ? "commit-prepared" : "rollback-prepared");
      transactions.replayed(ending.transaction(), endLsn);
      endInHeap(ending, commit);
    } finally {
      prepared.remove(gid); // Under the gate, or a checkpoint would list it behind its end.
      gate.leave(stamp);
      locks.end(ending.transaction());
    }
    ending.transaction().heap().close();
  }

  private long appendEnd(PreparedTransaction ending, boolean commit) {
    NodeTransaction transaction = ending.transaction();
    WalBatch batch = new WalBatch(256);
    if (!commit) {
      return transactions.appendRollbackPrepared(ending, batch);
    }
    SessionLocal.Savepoint before = transaction.heap().savepoint();
    try {
      transaction.heap().insertMarker(transaction.xid());
      return transactions.appendCommitPrepared(ending, batch);
    } catch (RuntimeException | Error e) {
      transaction.heap().rollbackTo(before);
      throw e;
    }
  }

  private void endInHeap(PreparedTransaction ending, boolean commit) {
    NodeTransaction transaction = ending.transaction();
    try {
      if (commit) {
        sequences.committed(transaction.restarts());
        transaction.heap().commit();
        FaultPoint.hit("commit-prepared.done");
      } else {
        if (transaction.catalog() != null) {
          transaction.catalog().rollbackTo(0);
        }
        transactions.undoRestarts(transaction, 0);
        transaction.heap().rollback();
        FaultPoint.hit("rollback-prepared.done");
      }
    } catch (RuntimeException | Error e) {
      throw failure.stop(
          "could not end prepared transaction \"" + ending.gid() + "\" as the log says", e);
    }
  }

  /** Where checkpoints keep what redo needs of prepared transactions. */
  PreparedFiles files() {
    return files;
  }

  /** The prepared transactions, the oldest first. */
  PreparedTransactions prepared() {
    return prepared;
  }

  /**
   * Takes a transaction up that a start found prepared in the log; its rows are in its connection.
   */
  void resume(PreparedTransaction transaction) {
    prepared.add(transaction);
  }

  /** Lets go of the connections; the log still has the transactions, and H2 must not keep them. */
  void close() {
    for (PreparedTransaction open : prepared.all()) {
      if (open.transaction().heap() != null) {
        open.transaction().heap().close();
      }
    }
  }
}
