package dev.millrace.publisher.wal;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Which segments exist, and the making of new ones. One segment is made ahead of need by a thread
 * of its own, because filling and forcing 16 MiB takes as long as a few hundred commits.
 */
final class SegmentSupply implements AutoCloseable {

  private static final String NO_ROOM = "No space left on device";

  private final WalSegments segments;
  private final ExecutorService ahead =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "wal segment supply");
            thread.setDaemon(true);
            return thread;
          });
  private volatile long oldest;
  private volatile long newest;
  private volatile PgException refusal;
  private long askedAhead;

  SegmentSupply(WalSegments segments) throws IOException {
    this.segments = segments;
    List<Long> numbers = segments.list();
    oldest = numbers.get(0);
    newest = numbers.get(numbers.size() - 1);
    askedAhead = newest;
  }

  /** Number of the oldest segment kept. */
  long oldest() {
    return oldest;
  }

  /**
   * Makes sure that there are segments for everything before {@code lsn}. Called under the append
   * lock.
   *
   * @throws PgException 53100 when the disk is full, 58030 for other errors; positions beyond the
   *     segments made so far must not be given out then
   */
  void reserve(long lsn) {
    long needed = segments.number(lsn - 1);
    while (needed > newest) {
      try {
        createNext(needed);
        refusal = null;
      } catch (IOException e) {
        refusal = refusalFor(e);
        throw refusal;
      }
    }
    if (needed == newest && askedAhead < newest + 1) {
      askedAhead = newest + 1;
      long wanted = askedAhead;
      ahead.execute(() -> createAhead(wanted));
    }
  }

  private void createAhead(long wanted) {
    try {
      createNext(wanted);
    } catch (IOException | RuntimeException e) {
      // Not needed yet: the append that needs the segment tries again and reports the error.
      return;
    }
  }

  /** Makes the segment after the newest unless the wanted one is there already. */
  private synchronized void createNext(long wanted) throws IOException {
    if (newest < wanted) {
      segments.create(newest + 1);
      newest = newest + 1;
    }
  }

  /**
   * Why the last append that wanted a segment got none; null when there is room again, which is
   * tried out.
   */
  PgException refusal() {
    if (refusal != null) {
      try {
        createNext(newest + 1);
        refusal = null;
      } catch (IOException e) {
        refusal = refusalFor(e);
      }
    }
    return refusal;
  }

  private static PgException refusalFor(IOException e) {
    String message = String.valueOf(e.getMessage());
    boolean full = message.contains(NO_ROOM);
    PgException refused =
        new PgException(
            full ? SqlState.DISK_FULL : SqlState.IO_ERROR,
            "could not extend the write-ahead log: " + (full ? NO_ROOM : message),
            e);
    return full
        ? refused.withHint(
            "Free some disk space, or drop replication slots that keep old segments.")
        : refused;
  }

  /** Deletes the segments before number {@code first}; returns how many. */
  synchronized int removeBefore(long first) {
    long end = Math.min(first, newest);
    int removed = 0;
    try {
      while (oldest < end) {
        // Counted out first: a reader must be refused rather than find half of the files.
        oldest = oldest + 1;
        segments.delete(oldest - 1);
        removed++;
      }
      if (removed > 0) {
        segments.forceDirectory();
      }
      return removed;
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR,
          "could not remove WAL segment " + segments.name(oldest - 1) + ": " + e.getMessage(),
          e);
    }
  }

  /** Waits for a segment in the making. */
  @Override
  public void close() {
    ahead.shutdown();
    boolean interrupted = false;
    while (true) {
      try {
        if (ahead.awaitTermination(1, TimeUnit.MINUTES)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
