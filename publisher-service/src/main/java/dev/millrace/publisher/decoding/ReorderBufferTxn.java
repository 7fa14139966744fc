package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One top-level transaction in the buffer (PostgreSQL's ReorderBufferTXN) with all its
 * subtransactions.
 *
 * <p>Its changes form one list in log order: those in the spill files first, then those in the
 * arena. A position in that list is a count of entry bytes. Each time the writing (sub)transaction
 * changes, a <em>run</em> notes its xid, position and the number of changes before it; runs are
 * what an abort of a subtransaction cuts at, and what tells at commit whose changes are in the
 * list.
 *
 * <p>Streaming empties the list. The xids whose changes have been shown are kept then, because
 * their abort has to be told.
 *
 * <p>Written by the decoder's thread; the volatile fields are there for {@link #view}, which may
 * run on any thread.
 */
final class ReorderBufferTxn {

  private static final int RUN_BYTES = Integer.BYTES + 2 * Long.BYTES;

  private final int xid;
  private final long firstLsn;
  private final ChangeArena arena = new ChangeArena();
  private final SpillFiles spill;

  private volatile int[] runXids = new int[4];
  private long[] runPositions = new long[4];
  private long[] runChanges = new long[4];
  private volatile int runCount;

  private volatile long changes;
  private volatile long size;
  private volatile boolean serialized;
  private volatile Set<Integer> streamedXids;
  private boolean aborted;
  private final Set<Integer> abortedInside = new HashSet<>();
  private volatile DecodedTransaction finish;
  private volatile String gid;

  ReorderBufferTxn(int xid, long firstLsn, Path spillDirectory, long segmentSize) {
    this.xid = xid;
    this.firstLsn = firstLsn;
    this.spill = new SpillFiles(spillDirectory, xid, segmentSize);
    this.size = heapSize();
  }

  int xid() {
    return xid;
  }

  long firstLsn() {
    return firstLsn;
  }

  /** Heap bytes held: chunks and runs. */
  long size() {
    return size;
  }

  /** Bytes of all changes, serialized ones included. */
  long totalBytes() {
    return spill.length() + arena.length();
  }

  /** Bytes of changes in memory. */
  long heldBytes() {
    return arena.length();
  }

  boolean isSerialized() {
    return serialized;
  }

  /** Whether a part of it has been sent while it was open. */
  boolean isStreamed() {
    return streamedXids != null;
  }

  /** Whether something that xid did has been sent while the transaction was open. */
  boolean isStreamed(int changeXid) {
    Set<Integer> streamed = streamedXids;
    return streamed != null && (changeXid == xid || streamed.contains(changeXid));
  }

  boolean isEmpty() {
    return totalBytes() == 0;
  }

  /** It is prepared and stays until it ends. */
  void prepared(String preparedGid) {
    gid = preparedGid;
  }

  /** What the commit record says; set before the changes are replayed. */
  void finish(DecodedTransaction transaction) {
    finish = transaction;
  }

  void append(
      int changeXid,
      long lsn,
      byte type,
      int flags,
      int originId,
      byte[] buffer,
      int bodyOffset,
      int bodyLength) {
    if (runCount == 0 || runXids[runCount - 1] != changeXid) {
      addRun(changeXid);
    }
    arena.append(changeXid, lsn, type, flags, originId, buffer, bodyOffset, bodyLength);
    changes++;
    long heapSize = heapSize();
    if (heapSize != size) {
      size = heapSize;
    }
  }

  private void addRun(int changeXid) {
    int count = runCount;
    if (count == runPositions.length) {
      runXids = Arrays.copyOf(runXids, count * 2);
      runPositions = Arrays.copyOf(runPositions, count * 2);
      runChanges = Arrays.copyOf(runChanges, count * 2);
    }
    runXids[count] = changeXid;
    runPositions[count] = totalBytes();
    runChanges[count] = changes;
    runCount = count + 1;
  }

  private long heapSize() {
    return arena.allocated() + (long) runPositions.length * RUN_BYTES;
  }

  /**
   * Drops the changes of aborted subtransactions from the tail of the list. What lies further in
   * front (no session of ours makes that) stays and is left out when the list is replayed.
   */
  void cut(Set<Integer> abortedXids) {
    int keep = runCount;
    while (keep > 0 && abortedXids.contains(runXids[keep - 1])) {
      keep--;
    }
    for (int i = 0; i < keep; i++) {
      if (abortedXids.contains(runXids[i])) {
        abortedInside.add(runXids[i]);
      }
    }
    if (keep == runCount) {
      return;
    }
    long position = runPositions[keep];
    if (position >= spill.length()) {
      arena.cutTo(position - spill.length());
    } else {
      arena.clear();
      spill.cutTo(position);
    }
    runCount = keep;
    changes = runChanges[keep];
    size = heapSize();
  }

  /** Moves what is in memory to the spill files. */
  void serialize() {
    spill.append(arena);
    arena.clear();
    serialized = true;
    size = heapSize();
  }

  /** What was kept has been sent: the list is empty again. */
  void streamed() {
    Set<Integer> streamed = streamedXids == null ? ConcurrentHashMap.newKeySet() : streamedXids;
    streamed.addAll(runXids());
    streamedXids = streamed;
    empty();
  }

  /** Its abort is known though its record has not been met: nothing of it is needed any more. */
  void drop() {
    aborted = true;
    empty();
  }

  boolean isAborted() {
    return aborted;
  }

  private void empty() {
    arena.clear();
    spill.delete();
    runXids = new int[4];
    runPositions = new long[4];
    runChanges = new long[4];
    runCount = 0;
    abortedInside.clear();
    changes = 0;
    size = heapSize();
  }

  /** Aborted subtransactions whose changes are still in the list. */
  Set<Integer> abortedInside() {
    return abortedInside;
  }

  /** The xids that wrote changes and are not among those the commit record names. */
  Set<Integer> uncommittedXids(int[] committedSubxids) {
    if (runCount == 1 && runXids[0] == xid || runCount == 0) {
      return Set.of();
    }
    Set<Integer> left = runXids();
    left.remove(xid);
    for (int subxid : committedSubxids) {
      left.remove(subxid);
    }
    return left;
  }

  /** All changes in log order, as slices of whole entries. */
  void forEachSlice(SpillFiles.SliceReader reader) {
    spill.read(reader);
    for (int i = 0; i < arena.chunkCount(); i++) {
      reader.slice(arena.chunk(i), arena.used(i));
    }
  }

  /** Frees memory and files. */
  void discard() {
    arena.clear();
    spill.delete();
    size = 0;
  }

  ReorderBufferView.TransactionView view() {
    DecodedTransaction known = finish;
    return new ReorderBufferView.TransactionView(
        xid,
        gid,
        Lsn.format(firstLsn),
        known == null ? null : Lsn.format(known.finalLsn()),
        known == null ? null : Lsn.format(known.endLsn()),
        known == null ? 0 : known.originId(),
        known == null || known.originLsn() == 0 ? null : Lsn.format(known.originLsn()),
        changes,
        size,
        serialized,
        isStreamed(),
        subtransactions());
  }

  private List<Integer> subtransactions() {
    Set<Integer> streamed = streamedXids;
    Set<Integer> subxids = new TreeSet<>(streamed == null ? Set.of() : streamed);
    subxids.addAll(runXids());
    subxids.remove(xid);
    return new ArrayList<>(subxids);
  }

  /** Who made the changes kept, each once. */
  private Set<Integer> runXids() {
    int count = runCount;
    int[] xids = runXids;
    Set<Integer> distinct = new LinkedHashSet<>();
    for (int i = 0; i < Math.min(count, xids.length); i++) {
      distinct.add(xids[i]);
    }
    return distinct;
  }
}
