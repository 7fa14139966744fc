package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.slots.SlotStatistics;
import dev.millrace.publisher.wal.WalRecordType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/**
 * Puts the changes of interleaved transactions back together: they go in as the log has them and
 * come out whole, one transaction at a time, in commit order.
 *
 * <h2>Contract</h2>
 *
 * The reader of the log hands over every change that passed its gates ({@link #change}), every
 * abort and every commit, in log order. {@link #commit} replays the transaction's changes in LSN
 * order into a {@link Sink}, without those of subtransactions that the commit record does not name,
 * and forgets it. Nothing of a transaction leaves before its commit unless it is streamed. Decoding
 * and crash recovery use the same class; it knows bytes, not their meaning.
 *
 * <h2>How changes are kept</h2>
 *
 * A change is not an object: its log record's body is copied behind the others of its transaction
 * ({@link ChangeArena}), subtransactions included, since one session writes them all and its log
 * order is their merged order. A rolled-back subtransaction is therefore always the tail of the
 * list and its abort cuts the list there, in memory or in the files. PostgreSQL keeps a list per
 * subtransaction and merges at commit, because its lists are linked objects that cannot be cut;
 * here the merge would only give back the order the log had.
 *
 * <h2>Memory</h2>
 *
 * Size means heap bytes of chunks and runs, counted as they are allocated. When the sum reaches the
 * limit ({@code >=}), or all buffers together reach theirs, the largest transaction is serialized
 * to its spill files; that repeats until the sum is below. So a buffer holds at most the limit plus
 * one chunk, whatever a transaction's size. The largest is found by looking at all: open
 * transactions are as many as writing sessions, a heap would cost more on every change than it
 * saves here.
 *
 * <h2>Streaming</h2>
 *
 * With a {@link Streaming} the largest transaction is handed to it instead, while it is open: it
 * takes what is kept by {@link #stream}, which leaves the transaction with nothing but the memory
 * of which of its subtransactions have been shown. An abort tells which of those are to be taken
 * back. What cannot be streamed yet, because the log is read from before the start position, is
 * serialized, and streamed from its files later.
 *
 * <p>A transaction known to have aborted already is neither: what is kept of it goes at once.
 *
 * <p>Replay reads spill files back in slices of bounded size. Files go at commit, abort and {@link
 * #close}; what a killed process left goes when the next buffer opens on the directory.
 *
 * <h2>Threads</h2>
 *
 * One thread drives it. {@link #view} may be called from any.
 */
public final class ReorderBuffer implements AutoCloseable {

  /** Takes the changes of a committing transaction; the bytes are valid during the call. */
  @FunctionalInterface
  public interface Sink {
    void change(
        int xid,
        long lsn,
        WalRecordType type,
        int flags,
        int originId,
        byte[] buffer,
        int bodyOffset,
        int bodyLength);
  }

  /** Takes transactions out of the buffer while they are open. */
  interface Streaming {
    /** Whether the position reached allows it. */
    boolean isPossible();

    /** Sends what is kept of the transaction, by {@link ReorderBuffer#stream}. */
    void stream(ReorderBufferTxn txn);
  }

  private static final int[] NO_SUBXIDS = {};

  private final Path spillDirectory;
  private final long workMem;
  private final long segmentSize;
  private final SlotStatistics statistics;
  private final DecodingMemory shared;
  private final ConcurrentHashMap<Integer, ReorderBufferTxn> byXid = new ConcurrentHashMap<>();
  private ReorderBufferTxn lastUsed;
  private volatile long size;
  private Streaming streaming;
  private boolean immediate;
  private IntPredicate aborted = xid -> false;

  /** A buffer with no limit but its own, see the other constructor. */
  public ReorderBuffer(
      Path spillDirectory, long workMem, long segmentSize, SlotStatistics statistics) {
    this(spillDirectory, workMem, segmentSize, statistics, DecodingMemory.unlimited());
  }

  /**
   * @param spillDirectory made when something spills; spill files found in it are removed
   * @param workMem bytes from which on transactions are spilled (logical_decoding_work_mem)
   * @param segmentSize size of a log segment: a spill file covers one
   * @param statistics counts spills and totals; null = nowhere
   */
  public ReorderBuffer(
      Path spillDirectory,
      long workMem,
      long segmentSize,
      SlotStatistics statistics,
      DecodingMemory shared) {
    this.spillDirectory = spillDirectory;
    this.workMem = workMem;
    this.segmentSize = segmentSize;
    this.statistics = statistics == null ? new SlotStatistics() : statistics;
    this.shared = shared;
    SpillFiles.deleteAll(spillDirectory);
  }

  /**
   * Streams the largest transaction where it would be serialized.
   *
   * @param streaming null = never
   */
  void streamBy(Streaming streaming) {
    this.streaming = streaming;
  }

  /**
   * Drops a transaction that is known to have aborted where it would be serialized or streamed; its
   * ABORT record is still to come. Not when every change is given up at once, which is for tests of
   * just that.
   */
  void dropAborted(IntPredicate isAborted) {
    this.aborted = isAborted;
  }

  /** Gives every change up at once, whatever the limit (debug_logical_replication_streaming). */
  void giveUpImmediately() {
    immediate = true;
  }

  /**
   * Keeps one change until its transaction ends or is streamed.
   *
   * @param xid the (sub)transaction that made it
   * @param topXid its top transaction, equal to xid for a top-level one
   * @param buffer holds the log record's body, which is copied
   */
  public void change(
      int xid,
      int topXid,
      long lsn,
      WalRecordType type,
      int flags,
      int originId,
      byte[] buffer,
      int bodyOffset,
      int bodyLength) {
    ReorderBufferTxn txn = findOrAdd(topXid, lsn);
    if (txn.isAborted()) {
      return;
    }
    long before = txn.size();
    txn.append(xid, lsn, type.code(), flags, originId, buffer, bodyOffset, bodyLength);
    if (txn.size() != before) {
      resized(txn.size() - before);
      giveUpWhileLimitPassed();
    } else if (immediate) {
      giveUpWhileLimitPassed();
    }
  }

  private ReorderBufferTxn findOrAdd(int topXid, long lsn) {
    ReorderBufferTxn txn = lastUsed;
    if (txn != null && txn.xid() == topXid) {
      return txn;
    }
    txn = byXid.get(topXid);
    if (txn == null) {
      txn = new ReorderBufferTxn(topXid, lsn, spillDirectory, segmentSize);
      byXid.put(topXid, txn);
      resized(txn.size());
    }
    lastUsed = txn;
    return txn;
  }

  private void resized(long bytes) {
    size += bytes;
    shared.add(bytes);
  }

  private void giveUpWhileLimitPassed() {
    while (immediate || size >= workMem || shared.isPassed(size)) {
      ReorderBufferTxn largest = largest();
      if (largest == null) {
        return; // What is left are the transactions' own records; nothing can be written out.
      }
      if (!immediate && aborted.test(largest.xid())) {
        drop(largest);
      } else if (streaming != null && streaming.isPossible()) {
        streaming.stream(largest);
      } else {
        serialize(largest);
      }
    }
  }

  private ReorderBufferTxn largest() {
    ReorderBufferTxn largest = null;
    for (ReorderBufferTxn txn : byXid.values()) {
      if (txn.heldBytes() > 0 && (largest == null || txn.size() > largest.size())) {
        largest = txn;
      }
    }
    return largest;
  }

  /**
   * Replays what is kept of an open transaction and forgets these changes, also when the sink
   * throws; the transaction is marked streamed.
   */
  void stream(ReorderBufferTxn txn, Sink sink) {
    stream(txn, txn.abortedInside(), sink);
  }

  /** As {@link #stream(ReorderBufferTxn, Sink)}, at the commit of a streamed transaction. */
  void streamRest(ReorderBufferTxn txn, int[] committedSubxids, Sink sink) {
    stream(txn, txn.uncommittedXids(committedSubxids), sink);
  }

  private void stream(ReorderBufferTxn txn, Set<Integer> leaveOut, Sink sink) {
    boolean first = !txn.isStreamed();
    long bytes = txn.totalBytes();
    long before = txn.size();
    try {
      replay(txn, leaveOut, sink);
    } finally {
      txn.streamed();
      resized(txn.size() - before);
    }
    statistics.streamCount.increment();
    statistics.streamBytes.add(bytes);
    statistics.totalBytes.add(bytes);
    if (first) {
      statistics.streamTxns.increment();
      statistics.totalTxns.increment();
    }
  }

  private void drop(ReorderBufferTxn txn) {
    long before = txn.size();
    txn.drop();
    resized(txn.size() - before);
  }

  private void serialize(ReorderBufferTxn txn) {
    long bytes = txn.heldBytes();
    boolean first = !txn.isSerialized();
    long before = txn.size();
    txn.serialize();
    resized(txn.size() - before);
    statistics.spillCount.increment();
    statistics.spillBytes.add(bytes);
    if (first) {
      statistics.spillTxns.increment();
    }
  }

  /** Forgets a transaction, or of a subtransaction ({@code xid != topXid}) its changes. */
  public void abort(int xid, int topXid) {
    abort(xid, topXid, NO_SUBXIDS);
  }

  /**
   * As {@link #abort(int, int)}.
   *
   * @param subxids the subtransactions that end with it
   */
  public void abort(int xid, int topXid, int[] subxids) {
    ReorderBufferTxn txn = byXid.get(topXid);
    if (txn == null) {
      return;
    }
    if (xid == topXid) {
      forget(txn);
      return;
    }
    Set<Integer> aborted = new HashSet<>();
    aborted.add(xid);
    for (int subxid : subxids) {
      aborted.add(subxid);
    }
    long before = txn.size();
    txn.cut(aborted);
    resized(txn.size() - before);
  }

  /**
   * Replays a transaction and forgets it, also when the sink throws.
   *
   * @param committedSubxids the subtransactions that the commit record names
   * @return false when nothing of it had been kept
   */
  public boolean commit(int xid, int[] committedSubxids, Sink sink) {
    ReorderBufferTxn txn = byXid.get(xid);
    if (txn == null) {
      return false;
    }
    try {
      replay(txn, txn.uncommittedXids(committedSubxids), sink);
      statistics.totalTxns.increment();
      statistics.totalBytes.add(txn.totalBytes());
      return true;
    } finally {
      forget(txn);
    }
  }

  private static void replay(ReorderBufferTxn txn, Set<Integer> leaveOut, Sink sink) {
    txn.forEachSlice(
        (slice, length) -> {
          int at = 0;
          while (at < length) {
            int entryLength = ChangeEntry.length(slice, at);
            if (leaveOut.isEmpty() || !leaveOut.contains(ChangeEntry.xid(slice, at))) {
              sink.change(
                  ChangeEntry.xid(slice, at),
                  ChangeEntry.lsn(slice, at),
                  WalRecordType.of(slice[at + ChangeEntry.TYPE]),
                  slice[at + ChangeEntry.FLAGS] & 0xFF,
                  ChangeEntry.originId(slice, at),
                  slice,
                  at + ChangeEntry.BODY,
                  entryLength - ChangeEntry.BODY);
            }
            at += entryLength;
          }
        });
  }

  private void forget(ReorderBufferTxn txn) {
    byXid.remove(txn.xid());
    if (lastUsed == txn) {
      lastUsed = null;
    }
    resized(-txn.size());
    txn.discard();
  }

  /** The transaction of that top-level xid, or null when nothing of it is kept. */
  ReorderBufferTxn find(int xid) {
    return byXid.get(xid);
  }

  /** The smallest first LSN of all transactions kept, or {@code Long.MAX_VALUE} without any. */
  public long oldestFirstLsn() {
    long oldestLsn = Long.MAX_VALUE;
    for (ReorderBufferTxn txn : byXid.values()) {
      oldestLsn = Lsn.min(oldestLsn, txn.firstLsn());
    }
    return oldestLsn;
  }

  /** Top-level xids of the transactions kept, for recovery: these did not end in the log. */
  public List<Integer> unfinishedXids() {
    return new ArrayList<>(byXid.keySet());
  }

  /** Heap bytes held. */
  public long size() {
    return size;
  }

  /** The state now, oldest transaction first. Any thread. */
  public ReorderBufferView view() {
    List<ReorderBufferTxn> transactions = new ArrayList<>(byXid.values());
    transactions.sort(Comparator.comparingLong(txn -> txn.firstLsn() + Long.MIN_VALUE));
    return new ReorderBufferView(
        true, size, workMem, transactions.stream().map(ReorderBufferTxn::view).toList());
  }

  /** Frees everything and removes the spill files. */
  @Override
  public void close() {
    for (ReorderBufferTxn txn : new ArrayList<>(byXid.values())) {
      forget(txn);
    }
  }
}
