package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.Collection;
import java.util.List;
import java.util.function.IntSupplier;

/** One transaction of another server on its way into the log. One thread. */
public final class ForeignTransaction {

  private final ForeignTransactions transactions;
  private final NodeTransaction transaction;
  private final IntSupplier xids;

  ForeignTransaction(
      ForeignTransactions transactions, NodeTransaction transaction, IntSupplier xids) {
    this.transactions = transactions;
    this.transaction = transaction;
    this.xids = xids;
  }

  /** Its xid in this node. */
  public int xid() {
    return transaction.xid();
  }

  /** An xid for a subtransaction of it. */
  public int assignSubxid() {
    return xids.getAsInt();
  }

  /**
   * How it ended over there.
   *
   * @param time microseconds since 2000-01-01 UTC
   * @param originId 0 = the source's own
   * @param sourceLsn the position behind it in the source's log
   */
  public record Ending(long time, int originId, long originLsn, long sourceLsn) {}

  /**
   * Appends {@code batch} with the commit record behind it, empties it and ends the transaction.
   *
   * @return the end of the commit record
   */
  public long commit(WalBatch batch, Ending ending, Collection<Integer> subxids) {
    int xid = xid();
    ByteBuilder out =
        batch.begin(
            WalRecordType.COMMIT,
            WalFormat.WITH_SOURCE_LSN,
            xid,
            xid,
            transactions.databaseOid(),
            ending.originId());
    out.putLong(ending.time()).putLong(ending.originLsn()).putInt(subxids.size());
    subxids.forEach(out::putInt);
    out.putLong(ending.sourceLsn());
    batch.end();
    long endLsn = transactions.appendEnding(batch, ending.sourceLsn(), end -> {});
    end();
    return endLsn;
  }

  /**
   * Appends {@code batch} with the prepare record behind it and empties it. The transaction stays
   * until {@link ForeignTransactions#finishPrepared}.
   *
   * @return the end of the prepare record
   */
  public long prepare(WalBatch batch, String gid, Ending ending, Collection<Integer> subxids) {
    int before = batch.size();
    int flags = WalFormat.WITH_SOURCE_LSN | PrepareRecord.CHANGED;
    ByteBuilder out =
        batch.begin(
            WalRecordType.PREPARE,
            flags,
            xid(),
            xid(),
            transactions.databaseOid(),
            ending.originId());
    new PrepareRecord(
            ending.time(), ending.originLsn(), List.copyOf(subxids), gid, List.of(), List.of())
        .encode(out);
    out.putLong(ending.sourceLsn());
    batch.end();
    int length = batch.size() - before;
    subxids.forEach(transaction.subtransactions()::addCommitted);
    return transactions.appendEnding(
        batch,
        ending.sourceLsn(),
        end ->
            transactions.prepared(
                new PreparedTransaction(gid, transaction, ending.time(), end - length, end, true),
                new ForeignTransactions.PreparedOrigin(ending.originId(), ending.originLsn())));
  }

  /** As {@link #commit(WalBatch, Ending, Collection)}, without subtransactions. */
  public long commit(WalBatch batch, Ending ending) {
    return commit(batch, ending, List.of());
  }

  /**
   * Puts the abort of a subtransaction into the batch.
   *
   * @param time 0 = now
   */
  public void abortSubtransaction(WalBatch batch, int subxid, long time) {
    transactions.addAbort(batch, subxid, xid(), time);
  }

  /**
   * Appends {@code batch} with the abort record behind it and ends the transaction.
   *
   * @param time 0 = now
   */
  public void abort(WalBatch batch, long time) {
    transactions.addAbort(batch, xid(), xid(), time);
    transactions.append(batch);
    transactions.aborted(xid());
    end();
  }

  /** Its records are all in the log; it is not running any more. */
  void end() {
    transaction.end();
  }
}
