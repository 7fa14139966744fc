package dev.millrace.publisher.decoding;

import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;

/**
 * Sends open transactions in blocks: what the ReorderBuffer gives up goes to the plugin at once,
 * and what becomes of it later, its abort or commit, is told between blocks.
 *
 * <pre>
 *  change, change, ..   limit passed   S change change E        of the largest transaction
 *  abort of a part      A              for each part that was in a block
 *  commit               S rest E c     the rest first, if there is any
 *  prepare              S rest E p
 * </pre>
 *
 * A transaction can be streamed once the log is read from the start position on: only then its
 * commit, wherever it comes, is one that has to be sent. One thread, the decoder's.
 */
final class StreamBlocks implements ReorderBuffer.Streaming {

  private final ReorderBuffer buffer;
  private final PluginCalls plugin;
  private final DecodedRecord change;
  private final CatalogOverlays overlays;
  private final DecodingProgress progress;
  private final OriginNames origins;
  private boolean possible;

  StreamBlocks(
      ReorderBuffer buffer,
      PluginCalls plugin,
      DecodedRecord change,
      CatalogOverlays overlays,
      DecodingProgress progress,
      OriginNames origins) {
    this.buffer = buffer;
    this.plugin = plugin;
    this.change = change;
    this.overlays = overlays;
    this.progress = progress;
    this.origins = origins;
  }

  /** The log is read from the start position on. */
  void startReached() {
    possible = true;
  }

  @Override
  public boolean isPossible() {
    return possible;
  }

  @Override
  public void stream(ReorderBufferTxn txn) {
    Block block = new Block(txn);
    buffer.stream(txn, block);
    block.end();
  }

  /** Sends what is left and the commit of a streamed transaction, and forgets it. */
  void commit(ReorderBufferTxn txn, DecodedTransaction transaction, int[] committedSubxids) {
    finish(txn, committedSubxids, () -> plugin.streamCommit(transaction));
  }

  /** Sends what is left and the PREPARE of a streamed transaction, and forgets it. */
  void prepare(
      ReorderBufferTxn txn, DecodedTransaction transaction, int[] committedSubxids, String gid) {
    finish(txn, committedSubxids, () -> plugin.streamPrepare(transaction, gid));
  }

  private void finish(ReorderBufferTxn txn, int[] committedSubxids, Runnable end) {
    try {
      Block block = new Block(txn);
      buffer.streamRest(txn, committedSubxids, block);
      block.end();
      end.run();
    } finally {
      buffer.abort(txn.xid(), txn.xid());
    }
  }

  /** Takes back what was streamed of what the current ABORT record ends; the inner parts first. */
  void abort(ReorderBufferTxn txn, WalReader record, EndRecord end) {
    for (int subxid : end.subxids()) {
      abort(txn, subxid, record, end);
    }
    abort(txn, record.xid(), record, end);
  }

  private void abort(ReorderBufferTxn txn, int xid, WalReader record, EndRecord end) {
    if (txn.isStreamed(xid)) {
      plugin.streamAbort(
          new StreamingOutputPlugin.StreamedAbort(txn.xid(), xid, record.endLsn(), end.time()));
    }
  }

  /** One block; begun by the first change that is in it. */
  private final class Block implements ReorderBuffer.Sink {
    private final ReorderBufferTxn txn;
    private final boolean firstSegment;
    private DecodedTransaction transaction;
    private long lastLsn;

    Block(ReorderBufferTxn txn) {
      this.txn = txn;
      this.firstSegment = !txn.isStreamed();
    }

    @Override
    public void change(
        int xid,
        long lsn,
        WalRecordType type,
        int flags,
        int originId,
        byte[] bytes,
        int offset,
        int length) {
      if (transaction == null) {
        transaction =
            new DecodedTransaction(txn.xid(), lsn, 0, 0, 0, originId, 0, origins.nameOf(originId));
        change.beginTransaction(overlays.changesOf(txn.xid()));
        plugin.streamStart(transaction, firstSegment);
      }
      change.wrap(xid, lsn, type, flags, bytes, offset, length);
      plugin.streamChange(transaction, change);
      lastLsn = lsn;
      progress.sent(lsn);
    }

    void end() {
      if (transaction != null) {
        plugin.streamStop(transaction, lastLsn);
      }
    }
  }
}
