package dev.millrace.publisher.wal;

import dev.millrace.model.DurableFiles;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The log in segment files.
 *
 * <p>Handed records by sessions, it promises: positions in append order without gaps; {@link
 * #flush} returns only when the bytes are on disk; readers never see a byte that is not. Four
 * positions tell how far each step has come, and never cross:
 *
 * <pre>
 *   flushed  <=  written  <=  copied  <=  insert  <=  reserved
 *   forced       in the       in the      given       segment files
 *   to disk      files        ring        out         that exist
 * </pre>
 *
 * Appending takes one short lock: give out positions, call the hook, copy into the ring. The {@link
 * WalFlusher} alone writes and forces; everyone who waits for a position shares the force that
 * covers it. The lock is held longer in two cases only, both meaning that the disk is behind: the
 * ring is full, or the next segment, made ahead by a thread of its own, is not there yet.
 *
 * <p>Room on the disk is taken before positions are given out, so a full disk refuses one append
 * and harms nothing else. A failed write or force is another matter: the kernel may have dropped
 * the dirty pages, and a second force would succeed without them. Then the log stops for good.
 *
 * <p>The flushed position moves from the end of one append to the end of a later one, never into a
 * record. The first append after a flush puts a FLUSH_MARK before its records, which is how a start
 * tells damage from a torn tail (see {@link WalRecovery}).
 */
public final class SegmentedLog implements WriteAheadLog {

  private final AbortedTransactions aborted = new AbortedTransactions();
  private final WalSegments segments;
  private final WalRing ring;
  private final WalFlusher flusher;
  private final SegmentSupply supply;
  private final ReentrantLock appendLock = new ReentrantLock();
  private final WalBatch mark = new WalBatch(WalFormat.FLUSH_MARK_SIZE);
  private volatile long insertLsn;
  private long markedLsn;

  private SegmentedLog(
      WalSegments segments, WalOptions options, long endLsn, Consumer<Throwable> onFailure)
      throws IOException {
    this.segments = segments;
    insertLsn = endLsn;
    markedLsn = endLsn;
    ring = new WalRing(options.bufferSize());
    supply = new SegmentSupply(segments);
    flusher = new WalFlusher(segments, ring, endLsn, options.writerDelayMs(), onFailure);
  }

  /**
   * Opens the log of a data directory, or makes it when there is none.
   *
   * @param directory {@code <data-dir>/pg_wal}
   * @param startLsn the start of a record from which on all records must be there: the redo
   *     position
   * @param flushedLsn a position that is known to have been flushed
   * @param onFailure told once why the log stopped; must end the process
   * @throws PgException XX001 naming the LSN of a damaged record, 58P01 for a missing segment
   */
  public static SegmentedLog open(
      Path directory,
      WalOptions options,
      long startLsn,
      long flushedLsn,
      Consumer<Throwable> onFailure) {
    try {
      DurableFiles.createDirectories(directory);
      WalSegments segments = new WalSegments(directory, options);
      segments.removeLeftovers();
      makeFirstSegment(segments, startLsn, flushedLsn);
      long endLsn = new WalRecovery(segments).findEnd(startLsn, flushedLsn);
      return new SegmentedLog(segments, options, endLsn, onFailure);
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not open the write-ahead log: " + e.getMessage(), e);
    }
  }

  /** A new log has no segment yet, nor has one that was closed exactly at a segment's end. */
  private static void makeFirstSegment(WalSegments segments, long startLsn, long flushedLsn)
      throws IOException {
    List<Long> numbers = segments.list();
    long first = segments.number(startLsn);
    boolean fresh = numbers.isEmpty() && startLsn == WalFormat.FIRST_LSN;
    boolean atBoundary = numbers.contains(first - 1) && segments.offset(startLsn) == 0;
    if (startLsn == flushedLsn && !numbers.contains(first) && (fresh || atBoundary)) {
      segments.create(first);
    }
  }

  @Override
  public AbortedTransactions abortedTransactions() {
    return aborted;
  }

  @Override
  public long append(WalBatch batch) {
    return append(batch, null);
  }

  @Override
  public long append(WalBatch batch, AppendHook hook) {
    appendLock.lock();
    try {
      flusher.checkRunning();
      if (batch.isEmpty()) {
        return insertLsn;
      }
      long flushedLsn = flusher.flushLsn();
      mark.clear();
      if (flushedLsn != markedLsn) {
        mark.addFlushMark(flushedLsn);
      }
      long startLsn = insertLsn + mark.size();
      long endLsn = startLsn + batch.size();
      supply.reserve(endLsn);
      mark.assignPositions(insertLsn);
      batch.assignPositions(startLsn);
      publish(startLsn, endLsn, hook);
      markedLsn = flushedLsn;
      flusher.copy(mark.array(), mark.size());
      flusher.copy(batch.array(), batch.size());
      flusher.complete();
      return endLsn;
    } finally {
      appendLock.unlock();
    }
  }

  /** The position moves first, so that whoever the hook tells may wait for the flush of it. */
  private void publish(long startLsn, long endLsn, AppendHook hook) {
    long before = insertLsn;
    insertLsn = endLsn;
    if (hook == null) {
      return;
    }
    try {
      hook.appended(startLsn, endLsn);
    } catch (RuntimeException | Error e) {
      insertLsn = before;
      throw e;
    }
  }

  @Override
  public void flush(long lsn) {
    if (Lsn.isBefore(insertLsn, lsn)) {
      throw new PgException(
          SqlState.INTERNAL_ERROR,
          "flush request up to "
              + Lsn.format(lsn)
              + " is beyond the end of the log "
              + Lsn.format(insertLsn));
    }
    flusher.flush(lsn);
  }

  @Override
  public long insertLsn() {
    return insertLsn;
  }

  @Override
  public long writeLsn() {
    return flusher.writeLsn();
  }

  @Override
  public long flushLsn() {
    return flusher.flushLsn();
  }

  @Override
  public long awaitFlushBeyond(long lsn, long timeoutMs) throws InterruptedException {
    return flusher.awaitFlushBeyond(lsn, timeoutMs);
  }

  @Override
  public long oldestLsn() {
    return Lsn.max(WalFormat.FIRST_LSN, segments.startLsn(supply.oldest()));
  }

  @Override
  public WalReader openReader(long lsn) {
    if (Lsn.isBefore(lsn, oldestLsn())) {
      throw new PgException(
          SqlState.UNDEFINED_FILE,
          "requested WAL segment "
              + segments.name(segments.number(lsn))
              + " has already been removed");
    }
    return new SegmentedReader(segments, lsn, flusher::flushLsn, this::insertLsn);
  }

  @Override
  public int removeSegmentsBefore(long lsn) {
    return supply.removeBefore(segments.number(Lsn.min(lsn, flushLsn())));
  }

  @Override
  public String segmentName(long lsn) {
    return segments.name(segments.number(lsn));
  }

  @Override
  public List<String> segments() {
    List<String> names = new ArrayList<>();
    for (long number = supply.oldest(); number <= segments.number(insertLsn); number++) {
      names.add(segments.name(number));
    }
    return names;
  }

  /** Changes wal_writer_delay; the next wait for work obeys it. */
  public void writerDelayMs(long delayMs) {
    flusher.delayMs(delayMs);
  }

  /** How many times the log was forced since it was opened. */
  public long forces() {
    return flusher.forces();
  }

  @Override
  public PgException refusal() {
    return supply.refusal();
  }

  @Override
  public Throwable failure() {
    return flusher.failure();
  }

  /** Flushes what was appended and ends the threads. */
  @Override
  public void close() {
    appendLock.lock();
    try {
      supply.close();
      flusher.close();
    } finally {
      appendLock.unlock();
    }
  }
}
