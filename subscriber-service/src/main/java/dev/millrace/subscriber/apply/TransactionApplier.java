package dev.millrace.subscriber.apply;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.MessageType;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.pgoutput.Update;
import dev.millrace.sql.H2Errors;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.conflict.ConflictLog;
import dev.millrace.subscriber.target.FirstWrites;
import dev.millrace.subscriber.target.TargetDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns the messages of a logical replication stream into local transactions, one for each remote
 * one. It is the heart of the apply worker and of the catch-up of a table synchronization.
 *
 * <h2>Contract</h2>
 *
 * It is handed the messages in stream order, one at a time, on one thread, and owns the connection
 * it writes with. Nothing here waits for anything but the database; sockets, threads and feedback
 * are its caller's. When {@link #apply} throws, the local transaction is in an unknown state: call
 * {@link #rollback} and begin again with a new stream.
 *
 * <h2>Nothing lost, nothing twice</h2>
 *
 * The position reached (the commit's end_lsn) is inserted by the same local transaction as the
 * rows. So after any crash the origin says exactly what the database holds, and the stream that
 * begins anew at that position may repeat transactions, which are skipped here:
 *
 * <pre>
 *   remote log    ..|commit 1|..rows of 2..|commit 2|..
 *                   ^        ^             ^        ^
 *                   C1       E1            C2       E2      stored after 1: remote_lsn = E1
 *
 *   a transaction is applied iff its commit_lsn (C) >= remote_lsn.  1: C1 &lt; E1, skipped.  2: applied,
 *   also when its commit record begins exactly where the previous one ended (C2 = E1).
 * </pre>
 *
 * LSNs of single changes are never compared: several changes can share one.
 *
 * <h2>Timeline of one transaction</h2>
 *
 * <pre>
 *   B     remember commit LSN, xid, time
 *   R     relation map; the local table is opened at its first change, anew after local DDL
 *   I I I one batch      U      another (the I's are written first)        T   after everything before it
 *   C     write the last batch, restart identities, insert progress, commit
 * </pre>
 *
 * A transaction without change messages opens no local transaction and stores no progress. One
 * whose changes all belong to another worker writes no rows but stores its progress: once it is
 * confirmed the publisher will not send it again, and after a restart the position stored must tell
 * table synchronizations that the stream goes on behind it.
 *
 * <h2>Rejected</h2>
 *
 * Several remote transactions in one local one would be faster still for single-row transactions,
 * but the subscriber would show states the publisher never had apart. Sorting changes by table to
 * make larger batches changes what unique constraints see.
 *
 * <h2>Known to be naive</h2>
 *
 * A transaction is written as it arrives and keeps its locks until its commit arrives. A workload
 * that alternates between tables row by row gets batches of one.
 */
public final class TransactionApplier implements AutoCloseable {

  private final Connection connection;
  private final TargetDatabase target;
  private final SubscriptionCatalog catalog;
  private final ApplyOrigin origin;
  private final ErrorContext context;
  private final RelationMap relations;
  private final FirstWrites firstWrites;
  private final ChangeBatch batch;
  private final TruncateWriter truncates;
  private final PgOutputReader reader = new PgOutputReader(false);

  private long remoteLsn;
  private long endLsn;
  private Begin transaction;
  private boolean skipped;
  private boolean hasChanges;

  /** Where a message leaves the stream. */
  public enum Outcome {
    /** The transaction goes on, or none is open. */
    NONE,
    /** A transaction began. */
    BEGUN,
    /** A transaction ended that left nothing in the database. */
    ENDED_EMPTY,
    /** A transaction was committed. */
    COMMITTED
  }

  /**
   * @param connection auto-commit off; closed by {@link #close}
   */
  public TransactionApplier(
      Connection connection,
      TargetDatabase target,
      SubscriptionCatalog catalog,
      ConflictLog conflicts,
      int subscriptionOid,
      ApplyOrigin origin,
      ChangeGate gate,
      Clock clock) {
    this.connection = connection;
    this.target = target;
    this.catalog = catalog;
    this.origin = origin;
    this.remoteLsn = origin.remoteLsn();
    this.context = new ErrorContext(origin.name());
    this.relations = new RelationMap(connection, target, gate);
    this.firstWrites = target.firstWrites();
    this.truncates = new TruncateWriter(connection, target, firstWrites);
    ConflictReporter reporter =
        new ConflictReporter(
            connection,
            subscriptionOid,
            catalog.statistics(subscriptionOid),
            conflicts,
            context,
            clock);
    try {
      this.batch = new ChangeBatch(connection, context, reporter, firstWrites);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /**
   * Applies one message.
   *
   * @throws PgException 08P01 for what the protocol does not allow here, else the database's or a
   *     table's error; with the context line
   */
  public Outcome apply(byte[] buffer, int offset, int length) {
    try {
      PgOutputMessage message = reader.read(buffer, offset, length);
      return apply(message);
    } catch (SQLException error) {
      throw context.addTo(H2Errors.translate(error));
    } catch (PgException error) {
      throw context.addTo(error);
    }
  }

  private Outcome apply(PgOutputMessage message) throws SQLException {
    switch (message.type()) {
      case INSERT:
        Insert insert = (Insert) message;
        RelationMap.OpenRelation inserted = changed(MessageType.INSERT, insert.relationOid());
        if (inserted != null) {
          insert(inserted, insert.newTuple());
        }
        return Outcome.NONE;
      case UPDATE:
        Update update = (Update) message;
        RelationMap.OpenRelation updated = changed(MessageType.UPDATE, update.relationOid());
        if (updated != null) {
          update(updated, update);
        }
        return Outcome.NONE;
      case DELETE:
        Delete delete = (Delete) message;
        RelationMap.OpenRelation deleted = changed(MessageType.DELETE, delete.relationOid());
        if (deleted != null) {
          delete(deleted, delete);
        }
        return Outcome.NONE;
      default:
        context.message(message.type());
        Outcome outcome = applyControl(message);
        context.message(null);
        return outcome;
    }
  }

  private Outcome applyControl(PgOutputMessage message) throws SQLException {
    switch (message.type()) {
      case BEGIN:
        begin((Begin) message);
        return Outcome.BEGUN;
      case COMMIT:
        return commit((Commit) message);
      case RELATION:
        // Batched rows still refer to the definition before.
        flush();
        context.message(MessageType.RELATION);
        relations.put((Relation) message);
        return Outcome.NONE;
      case TRUNCATE:
        truncate((Truncate) message);
        return Outcome.NONE;
      case ORIGIN:
        if (transaction == null || hasChanges) {
          throw violation("ORIGIN message sent out of order");
        }
        return Outcome.NONE;
      case TYPE, MESSAGE:
        return Outcome.NONE;
      case STREAM_STOP:
        throw violation("STREAM STOP message without STREAM START");
      default:
        throw violation(
            message.type().title().toUpperCase(java.util.Locale.ROOT)
                + " message sent although it was not asked for");
    }
  }

  private void begin(Begin begin) throws SQLException {
    if (transaction != null) {
      throw violation("BEGIN message inside a transaction");
    }
    transaction = begin;
    hasChanges = false;
    skipped = Lsn.isBefore(begin.finalLsn(), remoteLsn);
    context.transaction(begin.xid(), begin.finalLsn());
  }

  private Outcome commit(Commit commit) throws SQLException {
    requireTransaction(MessageType.COMMIT);
    if (commit.commitLsn() != transaction.finalLsn()) {
      throw violation(
          "incorrect commit LSN "
              + Lsn.format(commit.commitLsn())
              + " in commit message (expected "
              + Lsn.format(transaction.finalLsn())
              + ")");
    }
    boolean wrote = hasChanges && !skipped;
    if (wrote) {
      flush();
      context.message(MessageType.COMMIT);
      truncates.restartIdentities();
      catalog.storeProgress(connection, origin.number(), commit.endLsn(), commit.commitTime());
      FaultPoint.hit("apply.before-commit");
      connection.commit();
      firstWrites.clear();
      FaultPoint.hit("apply.after-commit");
      remoteLsn = commit.endLsn();
    }
    endLsn = commit.endLsn();
    transaction = null;
    context.transaction(0, 0);
    return wrote ? Outcome.COMMITTED : Outcome.ENDED_EMPTY;
  }

  /** The open table of a change, or null when this worker does not apply the change. */
  private RelationMap.OpenRelation changed(MessageType type, int relationOid) {
    if (transaction == null) {
      requireTransaction(type);
    }
    hasChanges = true;
    if (skipped) {
      return null;
    }
    try {
      return relations.find(relationOid, transaction.finalLsn());
    } catch (PgException unfit) {
      context.message(type);
      throw unfit;
    }
  }

  private void insert(RelationMap.OpenRelation relation, TupleData row) throws SQLException {
    requireColumns(relation, MessageType.INSERT, row);
    batch.add(relation.statements().insert(), null, row);
  }

  private void update(RelationMap.OpenRelation relation, Update update) throws SQLException {
    requireUpdatable(relation, MessageType.UPDATE);
    requireColumns(relation, MessageType.UPDATE, update.newTuple());
    if (update.oldTuple() != null) {
      requireColumns(relation, MessageType.UPDATE, update.oldTuple());
    }
    batch.add(
        relation.statements().update(update.oldTuple(), update.newTuple()),
        update.oldTuple(),
        update.newTuple());
  }

  private void delete(RelationMap.OpenRelation relation, Delete delete) throws SQLException {
    requireUpdatable(relation, MessageType.DELETE);
    requireColumns(relation, MessageType.DELETE, delete.oldTuple());
    batch.add(relation.statements().delete(), delete.oldTuple(), null);
  }

  private void requireUpdatable(RelationMap.OpenRelation relation, MessageType type) {
    try {
      relation.target().requireUpdatable();
    } catch (PgException unfit) {
      context.change(type, relation.target().name());
      throw unfit;
    }
  }

  private void requireColumns(RelationMap.OpenRelation relation, MessageType type, TupleData row) {
    if (row.columns() != relation.target().columnCount()) {
      context.change(type, relation.target().name());
      throw violation(
          "tuple has "
              + row.columns()
              + " columns where its relation has "
              + relation.target().columnCount());
    }
  }

  private void truncate(Truncate truncate) throws SQLException {
    requireTransaction(MessageType.TRUNCATE);
    hasChanges = true;
    if (skipped) {
      return;
    }
    flush();
    context.message(MessageType.TRUNCATE);
    List<TargetRelation> truncated = new ArrayList<>();
    for (int oid : truncate.relationOids()) {
      RelationMap.OpenRelation relation = relations.find(oid, transaction.finalLsn());
      if (relation != null) {
        truncated.add(relation.target());
      }
    }
    if (!truncated.isEmpty()) {
      truncates.truncate(truncated, truncate.restartIdentity());
    }
  }

  private void flush() {
    batch.flush();
  }

  private void requireTransaction(MessageType type) {
    if (transaction == null) {
      context.message(type);
      throw violation(
          type.title().toUpperCase(java.util.Locale.ROOT) + " message outside a transaction");
    }
  }

  private static PgException violation(String message) {
    return new PgException(SqlState.PROTOCOL_VIOLATION, message);
  }

  /** Whether a remote transaction has begun and not ended. */
  public boolean inTransaction() {
    return transaction != null;
  }

  /** The commit LSN of the open remote transaction, 0 when there is none. */
  public long openCommitLsn() {
    return transaction == null ? 0 : transaction.finalLsn();
  }

  /** The end_lsn of the transaction that ended last. */
  public long endLsn() {
    return endLsn;
  }

  /** Undoes the open local transaction, if there is one. */
  public void rollback() {
    try {
      batch.clear();
      truncates.clear();
      transaction = null;
      connection.rollback();
      firstWrites.clear();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /** Rolls back and frees statements and connection. */
  @Override
  public void close() {
    try (connection;
        relations;
        batch) {
      rollback();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
