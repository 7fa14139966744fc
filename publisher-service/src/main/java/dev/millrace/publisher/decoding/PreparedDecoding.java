package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.wal.FinishPreparedRecord;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decodes transactions at their PREPARE, where slot and plugin want that.
 *
 * <pre>
 *  PREPARE            b changes P          or, of a streamed one: the rest in a block, p
 *  COMMIT PREPARED    K                    behind b changes P, if it was prepared before two_phase_at
 *  ROLLBACK PREPARED  r
 * </pre>
 *
 * <p>A PREPARE record is judged once: whether it is decoded there at all (the plugin may hold it
 * back), whether anything of it is sent, and whether that waits for COMMIT PREPARED because it lies
 * before two_phase_at. The end follows that verdict: none is sent of a transaction of which nothing
 * was. Since a slot's restart_lsn never passes the first record of a transaction that has not
 * ended, whoever meets an end has met its PREPARE.
 *
 * <p>One thread, the decoder's.
 */
final class PreparedDecoding {

  /**
   * A transaction that is decoded at its PREPARE.
   *
   * @param wanted whether anything of it is sent: it changed something, here, by an origin that
   *     passes
   * @param deferred it lies before two_phase_at, so it is sent at COMMIT PREPARED
   */
  private record Verdict(
      PrepareRecord record,
      long firstLsn,
      long lsn,
      long endLsn,
      int originId,
      boolean wanted,
      boolean deferred) {}

  private final ReorderBuffer buffer;
  private final PluginCalls plugin;
  private final DecodedRecord change;
  private final CatalogOverlays overlays;
  private final StreamBlocks blocks;
  private final DecodingProgress progress;
  private final OriginNames origins;
  private final boolean enabled;
  private final long twoPhaseAt;
  private final Map<Integer, Verdict> byXid = new HashMap<>();

  /**
   * @param enabled whether the slot decodes at PREPARE and the plugin can take it
   */
  PreparedDecoding(
      ReorderBuffer buffer,
      PluginCalls plugin,
      DecodedRecord change,
      CatalogOverlays overlays,
      StreamBlocks blocks,
      DecodingProgress progress,
      OriginNames origins,
      boolean enabled,
      long twoPhaseAt) {
    this.buffer = buffer;
    this.plugin = plugin;
    this.change = change;
    this.overlays = overlays;
    this.blocks = blocks;
    this.progress = progress;
    this.origins = origins;
    this.enabled = enabled;
    this.twoPhaseAt = twoPhaseAt;
  }

  /**
   * Takes a PREPARE record. One that is not decoded here is passed over: the transaction comes at
   * its end like any other.
   *
   * @param firstLsn the transaction's first record
   * @param inRange whether the record lies at or after the start position
   */
  void prepare(WalReader reader, Gates gates, long firstLsn, boolean inRange) {
    int xid = reader.xid();
    PrepareRecord record =
        PrepareRecord.decode(reader.buffer(), reader.bodyOffset(), reader.bodyLength());
    ReorderBufferTxn txn = buffer.find(xid);
    if (txn != null) {
      txn.prepared(record.gid());
    }
    if (!enabled || plugin.filterPrepare(xid, record.gid(), reader.lsn())) {
      return;
    }
    boolean wanted =
        (reader.flags() & PrepareRecord.CHANGED) != 0
            && gates.databasePasses(reader)
            && gates.originPasses(reader);
    Verdict verdict =
        new Verdict(
            record,
            firstLsn,
            reader.lsn(),
            reader.endLsn(),
            reader.originId(),
            wanted,
            Lsn.isBefore(reader.lsn(), twoPhaseAt));
    byXid.put(xid, verdict);
    if (wanted && verdict.deferred) {
      return;
    }
    if (wanted && inRange) {
      send(xid, verdict);
    } else {
      takeBack(reader);
    }
    buffer.abort(xid, xid); // Sent, sent before, or never to be sent.
  }

  /** Blocks of it may have gone out before its origin was known to be unwanted. */
  private void takeBack(WalReader reader) {
    ReorderBufferTxn txn = buffer.find(reader.xid());
    if (txn != null && txn.isStreamed()) {
      blocks.abort(txn, reader, EndRecord.ofCommit(reader));
    }
  }

  /**
   * Takes the record that ends a prepared transaction.
   *
   * @param inRange as for {@link #prepare}
   * @return false when the transaction is to be dealt with as an ordinary one
   */
  boolean finish(WalReader reader, boolean inRange) {
    int xid = reader.xid();
    Verdict verdict = byXid.remove(xid);
    if (verdict == null) {
      return false;
    }
    if (verdict.wanted && inRange) {
      boolean commit = reader.type() == WalRecordType.COMMIT_PREPARED;
      if (commit && verdict.deferred) {
        send(xid, verdict);
      }
      sendEnd(reader, verdict, commit);
    }
    takeBack(reader); // Blocks of one whose PREPARE was never sent.
    buffer.abort(xid, xid);
    return true;
  }

  private void send(int xid, Verdict verdict) {
    PrepareRecord record = verdict.record;
    ReorderBufferTxn txn = buffer.find(xid);
    DecodedTransaction transaction =
        new DecodedTransaction(
            xid,
            txn == null ? verdict.firstLsn : txn.firstLsn(),
            verdict.lsn,
            verdict.endLsn,
            record.time(),
            verdict.originId,
            record.originLsn(),
            origins.nameOf(verdict.originId));
    int[] subxids = array(record.subxids());
    if (txn != null) {
      txn.finish(transaction);
      if (txn.isStreamed()) {
        blocks.prepare(txn, transaction, subxids, record.gid());
        return;
      }
    }
    change.beginTransaction(overlays.changesOf(xid));
    plugin.beginPrepare(transaction, record.gid());
    buffer.commit(
        xid,
        subxids,
        (changeXid, lsn, type, flags, originId, bytes, offset, length) -> {
          change.wrap(changeXid, lsn, type, flags, bytes, offset, length);
          plugin.change(transaction, change);
          progress.sent(lsn);
        });
    plugin.prepare(transaction, record.gid());
  }

  private void sendEnd(WalReader reader, Verdict verdict, boolean commit) {
    FinishPreparedRecord end =
        FinishPreparedRecord.decode(reader.buffer(), reader.bodyOffset(), reader.bodyLength());
    DecodedTransaction transaction =
        DecodedTransaction.endedBy(reader, verdict.firstLsn, end.time(), end.originLsn(), origins);
    if (commit) {
      plugin.commitPrepared(transaction, end.gid());
    } else {
      plugin.rollbackPrepared(transaction, end.gid(), end.prepareEndLsn(), end.prepareTime());
    }
  }

  private static int[] array(List<Integer> xids) {
    return xids.stream().mapToInt(Integer::intValue).toArray();
  }
}
