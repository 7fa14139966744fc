package dev.millrace.publisher.database;

import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.settings.Settings;
import dev.millrace.sql.StatementRunner;
import java.util.function.Supplier;

/** A connection to H2 with what works on it: what the statements of one session share. */
record SessionParts(
    HeapSession heap,
    StatementRunner runner,
    RowCapture capture,
    TransactionTables tables,
    RelationLocks locks,
    TransactionLog log) {

  /** A row that needs more than this part of the heap is refused. */
  private static final int MAX_ROWS_IN_HEAP = 32;

  /**
   * @param transaction tells the transaction that captured rows belong to
   */
  static SessionParts open(
      NodeParts node, Settings settings, Supplier<NodeTransaction> transaction) {
    HeapSession heap = new HeapSession(node.database().openSession());
    StatementRunner runner =
        new StatementRunner(heap.connection(), settings.getInt("max_rows_per_answer"));
    TransactionTables tables = new TransactionTables(node.catalog(), node.shapes(), node.locks());
    RowCapture.Target target = new CaptureTarget(tables, node.transactions(), transaction);
    RowCapture capture = new RowCapture(target, node.databaseOid(), maxRowBytes(settings));
    return new SessionParts(heap, runner, capture, tables, node.locks(), node.transactions());
  }

  /** H2 and the log each hold a row several times over while they write it. */
  static long maxRowBytes(Settings settings) {
    return Math.min(
        settings.getBytes("replication_max_message_size"),
        Runtime.getRuntime().maxMemory() / MAX_ROWS_IN_HEAP);
  }

  /** Where captured rows belong. */
  private record CaptureTarget(
      TransactionTables tables, TransactionLog log, Supplier<NodeTransaction> transaction)
      implements RowCapture.Target {

    @Override
    public RowEncoder encoder(int relationOid, WalRecordType change) {
      return tables.encoder(relationOid, change);
    }

    @Override
    public TableShape shape(int relationOid) {
      return tables.shape(relationOid);
    }

    @Override
    public void append(WalBatch batch) {
      log.append(transaction.get(), batch);
    }
  }
}
