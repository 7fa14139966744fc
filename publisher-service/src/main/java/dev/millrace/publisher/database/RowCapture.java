package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.HashMap;
import java.util.Map;

/**
 * Collects the rows one session changes, as log records ready to be appended.
 *
 * <p>H2's row trigger calls {@link #row} on the session's thread while a statement runs. The
 * records stay here until the statement has succeeded: H2 fires the trigger for rows of a statement
 * that fails later, and a statement may have to run again (storage.md 2). What exceeds {@link
 * #EARLY_APPEND_BYTES} goes to the log early under a subtransaction of the statement's own, so that
 * it can still be taken back.
 *
 * <p>One thread.
 */
final class RowCapture {

  /** What a transaction must provide to capture: where records go and which tables there are. */
  interface Target {

    /** The table's encoder; checks that the row may change in that way (N9). */
    RowEncoder encoder(int relationOid, WalRecordType change);

    TableShape shape(int relationOid);

    /** Appends and empties the batch. */
    void append(WalBatch batch);
  }

  /** A statement's records beyond this size do not wait for its end. */
  static final int EARLY_APPEND_BYTES = 1 << 20;

  private static final ThreadLocal<RowCapture> CURRENT = new ThreadLocal<>();

  /** A batch that a large row has blown up is replaced, so that idle sessions hold little. */
  private static final int KEPT_BATCH_BYTES = 2 * EARLY_APPEND_BYTES;

  private static final int NEW_BATCH_BYTES = 8 * 1024;
  private WalBatch batch = new WalBatch(NEW_BATCH_BYTES);
  private final Target target;
  private final int databaseOid;
  private final long maxRowBytes;

  private NodeTransaction transaction;
  private int statementStart;
  private int statementXid;
  private int rowXid;
  private boolean off;
  private boolean ordersKeys;
  private long rows;
  private PgException failure;
  private int encoderOid;
  private WalRecordType encoderChange;
  private RowEncoder encoder;
  private final Map<Integer, KeyOrder> keyOrders = new HashMap<>();

  RowCapture(Target target, int databaseOid, long maxRowBytes) {
    this.target = target;
    this.databaseOid = databaseOid;
    this.maxRowBytes = maxRowBytes;
  }

  /** The capture of the session whose statement runs on this thread. */
  static RowCapture current() {
    RowCapture capture = CURRENT.get();
    if (capture == null) {
      throw new IllegalStateException("a row changed outside of any session");
    }
    return capture;
  }

  /** Records appended so far or waiting to be, of the transaction that is open. */
  WalBatch batch() {
    return batch;
  }

  /**
   * A statement begins on this thread.
   *
   * @param inTransaction the transaction its rows belong to
   * @param mayMoveKeys it changes or removes rows, so the order of keys matters
   */
  void beginStatement(NodeTransaction inTransaction, boolean mayMoveKeys) {
    if (batch.isEmpty() && batch.array().length > KEPT_BATCH_BYTES) {
      batch = new WalBatch(NEW_BATCH_BYTES);
    }
    transaction = inTransaction;
    statementStart = batch.size();
    statementXid = NodeTransaction.NO_XID;
    rowXid = NodeTransaction.NO_XID;
    ordersKeys = mayMoveKeys;
    rows = 0;
    failure = null;
    encoder = null;
    CURRENT.set(this);
  }

  /** Rows are changed but not logged until the statement ends (TRUNCATE). */
  void turnOff() {
    off = true;
  }

  /** The statement has succeeded; its records may be appended. */
  void endStatement() {
    leave();
    if (statementXid != NodeTransaction.NO_XID) {
      transaction.subtransactions().addCommitted(statementXid);
    }
  }

  /**
   * The statement has failed or will run again: its records are gone.
   *
   * @return the subtransaction under which some had been appended, whose abort must follow; else
   *     {@link NodeTransaction#NO_XID}
   */
  int dropStatement() {
    leave();
    batch.truncate(statementStart);
    return statementXid;
  }

  private void leave() {
    CURRENT.remove();
    off = false;
    if (!keyOrders.isEmpty()) {
      keyOrders.clear();
    }
  }

  /** How many rows the statement has changed, cascades included. */
  long rows() {
    return rows;
  }

  /** Why a row was refused, or null: H2 wraps what a trigger throws. */
  PgException failure() {
    return failure;
  }

  /** Called by the trigger for every changed row; either side is null for INSERT and DELETE. */
  void row(int relationOid, Object[] oldRow, Object[] newRow) {
    if (off) {
      return;
    }
    try {
      record(relationOid, oldRow, newRow);
    } catch (PgException e) {
      failure = e;
      throw e;
    }
  }

  private void record(int relationOid, Object[] oldRow, Object[] newRow) {
    WalRecordType change =
        oldRow == null
            ? WalRecordType.INSERT
            : newRow == null ? WalRecordType.DELETE : WalRecordType.UPDATE;
    if (encoder == null || encoderOid != relationOid || encoderChange != change) {
      encoder = target.encoder(relationOid, change);
      encoderOid = relationOid;
      encoderChange = change;
    }
    if (rowXid == NodeTransaction.NO_XID) {
      rowXid = transaction.currentXid();
    }
    if (ordersKeys) {
      keyOrders
          .computeIfAbsent(relationOid, oid -> new KeyOrder(target.shape(oid)))
          .row(oldRow, newRow);
    }
    if (textLength(oldRow) + textLength(newRow) > maxRowBytes) {
      throw tooLarge();
    }
    int start = batch.size();
    ByteBuilder out =
        batch.begin(change, 0, rowXid, transaction.xid(), databaseOid, transaction.origin().id());
    switch (change) {
      case INSERT -> encoder.insert(out, newRow);
      case UPDATE -> encoder.update(out, oldRow, newRow);
      default -> encoder.delete(out, oldRow);
    }
    if (out.size() - start > maxRowBytes) {
      batch.truncate(start);
      throw tooLarge();
    }
    batch.end();
    rows++;
    if (batch.size() - statementStart > EARLY_APPEND_BYTES) {
      appendEarly();
    }
  }

  /** What alone can make a row large, known before any of it is copied. */
  private static long textLength(Object[] row) {
    long length = 0;
    if (row != null) {
      for (Object value : row) {
        if (value instanceof String text) {
          length += text.length();
        } else if (value instanceof byte[] bytes) {
          length += bytes.length;
        }
      }
    }
    return length;
  }

  private PgException tooLarge() {
    return new PgException(
            SqlState.PROGRAM_LIMIT_EXCEEDED, "row is too big to be replicated in one message")
        .withDetail("The limit is " + maxRowBytes + " bytes.")
        .withHint(
            "The limit is set by \"replication_max_message_size\", and is a thirty-second part of"
                + " the heap at most.");
  }

  /** From here on the statement's rows carry its own xid; those collected so far are changed. */
  private void appendEarly() {
    if (statementXid == NodeTransaction.NO_XID) {
      statementXid = transaction.assignStatementXid();
      rowXid = statementXid;
      batch.changeXid(statementStart, statementXid);
    }
    target.append(batch);
    statementStart = 0;
  }

  /** Empties the batch: its transaction has ended without needing what is left. */
  void clear() {
    batch.clear();
  }
}
