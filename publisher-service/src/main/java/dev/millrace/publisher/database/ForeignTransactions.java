package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.recovery.RecoveryResult;
import dev.millrace.publisher.wal.FinishPreparedRecord;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.sql.ParsedStatement;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

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
  private final PreparedTransactions prepared;
  private final Clock clock;
  private final int databaseOid;
  private final Map<String, PreparedOrigin> origins = new HashMap<>();
  private volatile long sourceLsn;

  /** Where a prepared transaction came from: the message of its end does not tell. */
  record PreparedOrigin(int id, long lsn) {}

  ForeignTransactions(
      WriteAheadLog log,
      CatalogStore catalog,
      CommitGate gate,
      RunningTransactions running,
      PreparedTransactions prepared,
      Clock clock,
      int databaseOid,
      long sourceLsn) {
    this.log = log;
    this.catalog = catalog;
    this.gate = gate;
    this.running = running;
    this.prepared = prepared;
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

  /**
   * Appends a batch that ends with the record of a commit or the like; the position it carries
   * counts from that moment on, and so does what {@code appended} does with the record's end.
   */
  long appendEnding(WalBatch batch, long newSourceLsn, LongConsumer appended) {
    long stamp = gate.enterShared();
    try {
      long endLsn = log.append(batch);
      batch.clear();
      appended.accept(endLsn);
      sourceLsn = Lsn.max(sourceLsn, newSourceLsn);
      return endLsn;
    } finally {
      gate.leave(stamp);
    }
  }

  /** Appends a batch that ends with a message beside transactions; returns its end. */
  public long appendMessage(WalBatch batch, long newSourceLsn) {
    return appendEnding(batch, newSourceLsn, end -> {});
  }

  /** Takes up a transaction that a start found prepared in the log. */
  void resume(RecoveryResult.Prepared found) {
    NodeTransaction transaction = new NodeTransaction(running, null, found.xid());
    transaction.register(found.firstLsn());
    found.record().subxids().forEach(transaction.subtransactions()::addCommitted);
    origins.put(
        found.record().gid(), new PreparedOrigin(found.originId(), found.record().originLsn()));
    prepared.add(
        new PreparedTransaction(
            found.record().gid(),
            transaction,
            found.record().time(),
            found.lsn(),
            found.endLsn(),
            found.changed()));
  }

  /** Its prepare record was appended. */
  void prepared(PreparedTransaction transaction, PreparedOrigin origin) {
    origins.put(transaction.gid(), origin);
    prepared.add(transaction);
  }

  /**
   * Appends that the source has nothing before {@code newSourceLsn} that is not here, as a
   * transaction without changes; returns its end.
   */
  public long passed(long newSourceLsn) {
    long time = PgTime.fromInstant(clock.instant());
    return begin()
        .commit(new WalBatch(128), new ForeignTransaction.Ending(time, 0, 0, newSourceLsn));
  }

  /** Whether a transaction of that identifier is prepared. */
  public boolean isPrepared(String gid) {
    return prepared.all().stream().anyMatch(each -> each.gid().equals(gid));
  }

  /**
   * Appends {@code batch} with the end of a prepared transaction behind it, and empties it.
   *
   * @param time of the end, microseconds since 2000-01-01 UTC
   * @param endSourceLsn the position behind the end in the source's log
   * @return the end of that record
   * @throws PgException 42704 when no transaction of that identifier is prepared
   */
  public long finishPrepared(
      WalBatch batch, String gid, boolean commit, long time, long endSourceLsn) {
    PreparedTransaction found = prepared.take(gid);
    PreparedOrigin origin = origins.remove(gid);
    int xid = found.transaction().xid();
    int flags = WalFormat.WITH_SOURCE_LSN | (found.changed() ? PrepareRecord.CHANGED : 0);
    ByteBuilder out =
        batch.begin(
            commit ? WalRecordType.COMMIT_PREPARED : WalRecordType.ROLLBACK_PREPARED,
            flags,
            xid,
            xid,
            databaseOid,
            origin.id());
    new FinishPreparedRecord(
            time,
            origin.lsn(),
            found.transaction().subtransactions().committed(),
            found.prepareEndLsn(),
            found.prepareTime(),
            gid)
        .encode(out);
    out.putLong(endSourceLsn);
    batch.end();
    long endLsn = appendEnding(batch, endSourceLsn, end -> prepared.remove(gid));
    if (!commit) {
      aborted(xid);
    }
    found.transaction().end();
    return endLsn;
  }

  /** Appends the abort record of a transaction or, with another xid, a subtransaction of it. */
  void addAbort(WalBatch batch, int xid, int topXid, long time) {
    ByteBuilder out = batch.begin(WalRecordType.ABORT, 0, xid, topXid, databaseOid, 0);
    out.putLong(time == 0 ? PgTime.fromInstant(clock.instant()) : time).putInt(0);
    batch.end();
  }

  /** Nobody need keep what that transaction did. */
  void aborted(int xid) {
    log.abortedTransactions().add(xid);
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
      throw refused(command);
    }
  }

  static PgException refused(String command) {
    return new PgException(
            SqlState.READ_ONLY_SQL_TRANSACTION,
            "cannot execute " + command + " in a publisher that reads from a PostgreSQL server")
        .withHint("Run it on that server; its changes arrive here through the replication slot.");
  }
}
