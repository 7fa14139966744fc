package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.sql.ParsedStatement;
import java.time.Clock;
import java.util.function.Consumer;

/**
 * The way into the log for transactions that another server ran: they get xids of this node, are
 * known as running until they end, and carry the position behind them in that server's log.
 *
 * <p>Positions come from commit records only, so the position found after a crash is exactly that
 * of the last transaction that is on disk. One thread writes; the rest is safe for any.
 */
public final class ForeignTransactions {

  private final WriteAheadLog log;
  private final CatalogStore catalog;
  private final CommitGate gate;
  private final RunningTransactions running;
  private final Clock clock;
  private final int databaseOid;
  private volatile long sourceLsn;

  ForeignTransactions(
      WriteAheadLog log,
      CatalogStore catalog,
      CommitGate gate,
      RunningTransactions running,
      Clock clock,
      int databaseOid,
      long sourceLsn) {
    this.log = log;
    this.catalog = catalog;
    this.gate = gate;
    this.running = running;
    this.clock = clock;
    this.databaseOid = databaseOid;
    this.sourceLsn = sourceLsn;
  }

  /** The OID that the records carry. */
  public int databaseOid() {
    return databaseOid;
  }

  /**
   * Everything of the source's log before it is in this node's log; 0 before the first transaction.
   */
  public long sourceLsn() {
    return sourceLsn;
  }

  /** The present end of the log, with what decoding from there must have read before. */
  public PublisherNode.ConsistentPoint position() {
    long lsn = log.insertLsn();
    long restartLsn = Lsn.min(lsn, running.oldestFirstLsn());
    return new PublisherNode.ConsistentPoint(lsn, restartLsn, running.nextXid(), null);
  }

  /** Begins a transaction; it is running from the log's present end on. */
  public ForeignTransaction begin() {
    NodeTransaction transaction = new NodeTransaction(running, null, running.assign());
    transaction.register(log.insertLsn());
    return new ForeignTransaction(this, transaction, running::assign);
  }

  /** Appends and empties a batch of records of running transactions; returns its end. */
  public long append(WalBatch batch) {
    long endLsn = log.append(batch);
    batch.clear();
    return endLsn;
  }

  /** Appends a batch that ends with a commit record; its position counts from that moment on. */
  long appendCommit(WalBatch batch, long newSourceLsn) {
    long stamp = gate.enterShared();
    try {
      long endLsn = log.append(batch);
      batch.clear();
      sourceLsn = Lsn.max(sourceLsn, newSourceLsn);
      return endLsn;
    } finally {
      gate.leave(stamp);
    }
  }

  /** Appends the abort record of a transaction or, with another xid, a subtransaction of it. */
  void addAbort(WalBatch batch, int xid, int topXid, long time) {
    ByteBuilder out = batch.begin(WalRecordType.ABORT, 0, xid, topXid, databaseOid, 0);
    out.putLong(time == 0 ? PgTime.fromInstant(clock.instant()) : time).putInt(0);
    batch.end();
  }

  /** Changes the catalogue in a transaction of its own, current from its commit record on. */
  public void define(Consumer<CatalogTransaction> changes) {
    CatalogTransaction definitions = catalog.begin();
    changes.accept(definitions);
    if (definitions.isEmpty()) {
      definitions.rollbackTo(0);
      return;
    }
    ForeignTransaction transaction = begin();
    WalBatch batch = new WalBatch(1024);
    int xid = transaction.xid();
    definitions.encode(batch, xid, xid, databaseOid);
    ByteBuilder out = batch.begin(WalRecordType.COMMIT, 0, xid, xid, databaseOid, 0);
    out.putLong(PgTime.fromInstant(clock.instant())).putLong(0).putInt(0);
    batch.end();
    long stamp = gate.enterShared();
    try {
      log.append(batch, (start, end) -> definitions.committed(end));
    } finally {
      gate.leave(stamp);
      transaction.end();
    }
  }

  /**
   * Refuses what would change rows or tables, which are the source's.
   *
   * @throws PgException 25006 naming the command
   */
  static void refuseToChangeRows(ParsedStatement statement) {
    String command = null;
    if (statement instanceof ParsedStatement.Dml dml) {
      command = dml.verb();
    } else if (statement instanceof ParsedStatement.Truncate) {
      command = "TRUNCATE TABLE";
    } else if (statement instanceof ParsedStatement.Ddl ddl) {
      command = ddl.tag();
    } else if (statement instanceof ParsedStatement.AlterReplicaIdentity) {
      command = "ALTER TABLE";
    }
    if (command != null) {
      throw new PgException(
              SqlState.READ_ONLY_SQL_TRANSACTION,
              "cannot execute " + command + " in a publisher that reads from a PostgreSQL server")
          .withHint("Run it on that server; its changes arrive here through the replication slot.");
    }
  }
}
