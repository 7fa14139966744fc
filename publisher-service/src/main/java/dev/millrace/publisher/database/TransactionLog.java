package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgTime;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.publisher.wal.FinishPreparedRecord;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.time.Clock;
import java.util.List;
import org.h2.schema.Sequence;

/**
 * How transactions end, in the log first and in H2 after it.
 *
 * <p>A commit goes: marker row in the H2 transaction, commit record appended (the catalogue's
 * changes become current at that moment), log flushed, H2 committed - all under the shared side of
 * the {@link CommitGate}. A kill before the flush leaves nothing; after it, redo finds the record
 * and, by the marker, whether H2 has the rows. If H2 fails to commit what the log says is
 * committed, the process stops and redo does it.
 *
 * <p>Safe for any thread.
 */
final class TransactionLog {

  private final WriteAheadLog log;
  private final CommitGate gate;
  private final RelationLocks locks;
  private final SequenceBounds sequences;
  private final NodeFailure failure;
  private final ReplicationOrigins origins;
  private final Clock clock;
  private final int databaseOid;
  private final Object commitOrder = new Object();
  private long lastCommitTime;

  TransactionLog(
      WriteAheadLog log,
      CommitGate gate,
      RelationLocks locks,
      SequenceBounds sequences,
      NodeFailure failure,
      ReplicationOrigins origins,
      Clock clock,
      int databaseOid,
      long lastCommitTime) {
    this.log = log;
    this.gate = gate;
    this.locks = locks;
    this.sequences = sequences;
    this.failure = failure;
    this.origins = origins;
    this.clock = clock;
    this.databaseOid = databaseOid;
    this.lastCommitTime = lastCommitTime;
  }

  /** The time now, or the last commit's if that is later: commit times never go back. */
  long commitTime() {
    synchronized (commitOrder) {
      lastCommitTime = Math.max(lastCommitTime, PgTime.fromInstant(clock.instant()));
      return lastCommitTime;
    }
  }

  /** Appends and empties a batch of the transaction's records. */
  void append(NodeTransaction transaction, WalBatch batch) {
    if (!batch.isEmpty()) {
      transaction.register(log.insertLsn());
      log.append(batch);
      batch.clear();
    }
  }

  /**
   * Appends a logical message.
   *
   * @param transactional as a change of the transaction, else beside it
   * @return the position after its record
   */
  long appendMessage(
      NodeTransaction transaction, boolean transactional, String prefix, byte[] content) {
    int xid = transactional ? transaction.currentXid() : 0;
    int topXid = transactional ? transaction.xid() : 0;
    WalBatch batch = new WalBatch(64 + content.length);
    int flags = transactional ? 1 : 0;
    int originId = transaction.origin().id();
    batch
        .begin(WalRecordType.MESSAGE, flags, xid, topXid, databaseOid, originId)
        .putName(prefix)
        .putBytes(content, 0, content.length);
    batch.end();
    if (transactional) {
      transaction.register(log.insertLsn());
    }
    return log.append(batch);
  }

  /**
   * Commits a transaction and ends it. On an error before its record was appended it is still open.
   *
   * @param batch records of it not yet appended; empty afterwards
   * @param durable wait until the log is on disk and H2 has committed
   * @return null, or with {@code durable} false what is left to do
   */
  PendingCommit commit(NodeTransaction transaction, WalBatch batch, boolean durable) {
    if (!transaction.hasXid() && !sequences.isAnyPassed()) {
      if (transaction.catalog() != null) {
        transaction.catalog().rollbackTo(0);
      }
      transaction.heap().commit();
      locks.end(transaction);
      return null;
    }
    long stamp = gate.enterShared();
    long endLsn;
    try {
      if (transaction.hasXid()) {
        transaction.heap().insertMarker(transaction.xid());
      }
      endLsn = appendCommit(transaction, batch);
    } catch (RuntimeException | Error e) {
      gate.leave(stamp);
      throw e;
    }
    if (!durable) {
      return new PendingCommit(this, transaction, endLsn, stamp);
    }
    finishCommit(transaction, endLsn, stamp);
    return null;
  }

  /** Appends the commit record of a DDL statement, whose work H2 has committed by itself. */
  long appendDdlCommit(NodeTransaction transaction, WalBatch batch) {
    return appendCommit(transaction, batch);
  }

  private long appendCommit(NodeTransaction transaction, WalBatch batch) {
    synchronized (commitOrder) {
      sequences.addPassed(batch);
      if (!transaction.hasXid()) {
        long endLsn = log.append(batch);
        batch.clear();
        return endLsn;
      }
      SessionOrigin origin = transaction.origin();
      long commitTime = origin.commitTime(commitTime());
      addRestarts(transaction, batch);
      List<Integer> subxids = transaction.subtransactions().committed();
      int xid = transaction.xid();
      ByteBuilder out = batch.begin(WalRecordType.COMMIT, 0, xid, xid, databaseOid, origin.id());
      out.putLong(commitTime).putLong(origin.remoteLsn()).putInt(subxids.size());
      for (int i = 0; i < subxids.size(); i++) {
        out.putInt(subxids.get(i));
      }
      batch.end();
      transaction.register(log.insertLsn());
      transaction.noteReplayed();
      long endLsn = appendCommitted(transaction, batch);
      FaultPoint.hit("commit.appended");
      return endLsn;
    }
  }

  private void addRestarts(NodeTransaction transaction, WalBatch batch) {
    sequences.addRestarts(batch, transaction.restarts(), transaction.xid());
  }

  /**
   * Lets sequences begin anew at once, for the transaction that has their table alone; durable
   * first is where they go on if it does not commit.
   */
  void restart(NodeTransaction transaction, List<Sequence> restarted) {
    if (restarted.isEmpty()) {
      return;
    }
    WalBatch batch = new WalBatch(256);
    long endLsn;
    synchronized (commitOrder) {
      sequences.addBounds(batch, restarted);
      endLsn = batch.isEmpty() ? 0 : log.append(batch);
    }
    log.flush(endLsn);
    restarted.forEach(each -> transaction.restarts().add(sequences.restart(each)));
  }

  /** Undoes the restarts of sequences beyond the first {@code kept}. */
  void undoRestarts(NodeTransaction transaction, int kept) {
    List<SequenceBounds.Restart> restarts = transaction.restarts();
    while (restarts.size() > kept) {
      sequences.undo(restarts.remove(restarts.size() - 1));
    }
  }

  private long appendCommitted(NodeTransaction transaction, WalBatch batch) {
    long endLsn =
        transaction.catalog() == null
            ? log.append(batch)
            : log.append(batch, (start, end) -> transaction.catalog().committed(end));
    batch.clear();
    return endLsn;
  }

  /** Appends a transaction's PREPARE record behind what else of it is in the batch. */
  PreparedTransaction appendPrepare(String gid, NodeTransaction transaction, WalBatch batch) {
    synchronized (commitOrder) {
      List<Integer> subxids = transaction.subtransactions().committed();
      boolean changed = transaction.isLogged() || !batch.isEmpty();
      int xid = transaction.currentXid();
      sequences.addPassed(batch);
      SessionOrigin origin = transaction.origin();
      PrepareRecord prepare =
          new PrepareRecord(
              origin.commitTime(commitTime()),
              origin.remoteLsn(),
              subxids,
              gid,
              transaction.heldLocks(),
              sequences.prepared(transaction.restarts()));
      int at = batch.size();
      int flags = changed ? PrepareRecord.CHANGED : 0;
      prepare.encode(batch.begin(WalRecordType.PREPARE, flags, xid, xid, databaseOid, origin.id()));
      batch.end();
      transaction.noteReplayed();
      int length = batch.size() - at;
      transaction.register(log.insertLsn());
      long endLsn = log.append(batch);
      batch.clear();
      return new PreparedTransaction(
          gid, transaction, prepare.time(), endLsn - length, endLsn, changed);
    }
  }

  /** Appends the commit record of a prepared transaction; its catalogue changes become current. */
  long appendCommitPrepared(PreparedTransaction ending, WalBatch batch) {
    synchronized (commitOrder) {
      addRestarts(ending.transaction(), batch);
      addFinish(WalRecordType.COMMIT_PREPARED, ending, batch);
      return appendCommitted(ending.transaction(), batch);
    }
  }

  /** Appends the rollback record of a prepared transaction. */
  long appendRollbackPrepared(PreparedTransaction ending, WalBatch batch) {
    synchronized (commitOrder) {
      addFinish(WalRecordType.ROLLBACK_PREPARED, ending, batch);
      long endLsn = log.append(batch);
      log.abortedTransactions().add(ending.transaction().xid());
      batch.clear();
      return endLsn;
    }
  }

  private void addFinish(WalRecordType type, PreparedTransaction ending, WalBatch batch) {
    NodeTransaction transaction = ending.transaction();
    int xid = transaction.xid();
    int flags = ending.changed() ? PrepareRecord.CHANGED : 0;
    SessionOrigin origin = transaction.origin();
    new FinishPreparedRecord(
            origin.commitTime(commitTime()),
            origin.remoteLsn(),
            transaction.subtransactions().committed(),
            ending.prepareEndLsn(),
            ending.prepareTime(),
            ending.gid())
        .encode(batch.begin(type, flags, xid, xid, databaseOid, origin.id()));
    batch.end();
    transaction.noteReplayed();
  }

  /** The second half of a commit; gives the gate back. */
  void finishCommit(NodeTransaction transaction, long endLsn, long gateStamp) {
    try {
      log.flush(endLsn);
      FaultPoint.hit("commit.flushed");
      replayed(transaction, endLsn);
      sequences.committed(transaction.restarts());
      transaction.heap().commit();
      FaultPoint.hit("commit.done");
    } catch (RuntimeException | Error e) {
      throw failure.stop(
          "could not commit transaction " + transaction.xid() + " after its commit record", e);
    } finally {
      gate.leave(gateStamp);
      locks.end(transaction);
    }
  }

  /** What it replayed of its origin is on disk now. */
  void replayed(NodeTransaction transaction, long endLsn) {
    if (transaction.replayedOriginId() != 0) {
      origins.replayed(transaction.replayedOriginId(), transaction.replayedRemoteLsn(), endLsn);
    }
  }

  /** Rolls back in H2 and ends the transaction; its abort goes to the log if anything of it did. */
  void rollback(NodeTransaction transaction, WalBatch batch) {
    batch.clear();
    try {
      if (transaction.catalog() != null) {
        transaction.catalog().rollbackTo(0);
      }
      undoRestarts(transaction, 0);
      transaction.heap().rollback();
      if (transaction.isLogged()) {
        appendAbort(transaction, batch);
      }
    } finally {
      batch.clear();
      locks.end(transaction);
    }
  }

  /** Appends the abort record of a transaction. */
  void appendAbort(NodeTransaction transaction, WalBatch batch) {
    int xid = transaction.xid();
    int originId = transaction.origin().id();
    ByteBuilder out = batch.begin(WalRecordType.ABORT, 0, xid, xid, databaseOid, originId);
    List<Integer> subxids = transaction.subtransactions().aborted();
    out.putLong(PgTime.fromInstant(clock.instant())).putInt(subxids.size());
    subxids.forEach(out::putInt);
    batch.end();
    log.append(batch);
    log.abortedTransactions().add(xid);
    batch.clear();
  }

  /** Appends the abort of subtransactions of which records may be in the log or the batch. */
  void abortSubtransactions(NodeTransaction transaction, List<Integer> subxids, WalBatch batch) {
    ByteBuilder out =
        batch.begin(
            WalRecordType.ABORT,
            0,
            subxids.get(0),
            transaction.xid(),
            databaseOid,
            transaction.origin().id());
    out.putLong(PgTime.fromInstant(clock.instant())).putInt(subxids.size() - 1);
    subxids.subList(1, subxids.size()).forEach(out::putInt);
    batch.end();
    append(transaction, batch);
  }
}
