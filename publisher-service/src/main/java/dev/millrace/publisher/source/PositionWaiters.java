package dev.millrace.publisher.source;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode.ConsistentPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Finds the position of the own log that agrees with a position C of the source's: every
 * transaction that committed before C has its commit record before it, every other one behind.
 *
 * <p>C is known only after a snapshot has been made over there, and by then the stream may have
 * passed it. So a watch is opened first; from then on the position before each commit record is
 * noted, and when C is told, the first noted commit at or after C gives the answer. If there is
 * none yet, it is the next commit, or the moment when the source says that it has nothing before C
 * left to send.
 *
 * <p>The receiver's thread reports; the watching threads wait here. The number of notes is bounded:
 * a watch that outgrows it fails.
 */
final class PositionWaiters {

  private static final int MAX_NOTES = 1_000_000;

  private final Supplier<ConsistentPoint> positions;
  private final List<Watch> watches = new ArrayList<>();

  /**
   * @param positions gives this node's present position
   */
  PositionWaiters(Supplier<ConsistentPoint> positions) {
    this.positions = positions;
  }

  /** A position of the source and the own one that everything before it is written up to. */
  private record Note(long commitLsn, ConsistentPoint point) {}

  /** One search for a position; closed when it is over. */
  final class Watch implements AutoCloseable {
    private final List<Note> notes = new ArrayList<>();
    private long wantedLsn;
    private ConsistentPoint found;
    private boolean overflown;

    /**
     * Waits for the own position that agrees with {@code sourceLsn}.
     *
     * @throws PgException 57014 after {@code timeoutMs}
     */
    ConsistentPoint await(long sourceLsn, long timeoutMs) throws InterruptedException {
      long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      synchronized (PositionWaiters.this) {
        wantedLsn = sourceLsn;
        for (Note note : notes) {
          if (found == null && !Lsn.isBefore(note.commitLsn, sourceLsn)) {
            found = note.point;
          }
        }
        notes.clear();
        while (found == null) {
          long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
          if (overflown || leftMs <= 0) {
            throw new PgException(
                SqlState.QUERY_CANCELED,
                "the stream of the source did not reach " + Lsn.format(sourceLsn) + " in time");
          }
          PositionWaiters.this.wait(leftMs);
        }
        return found;
      }
    }

    private void passed(long commitLsn) {
      if (found != null) {
        return;
      }
      if (wantedLsn == 0) {
        overflown |= notes.size() >= MAX_NOTES;
        if (!overflown) {
          notes.add(new Note(commitLsn, positions.get()));
        }
      } else if (!Lsn.isBefore(commitLsn, wantedLsn)) {
        found = positions.get();
        PositionWaiters.this.notifyAll();
      }
    }

    private void idleAt(long sourceLsn) {
      if (found == null && wantedLsn != 0 && !Lsn.isBefore(sourceLsn, wantedLsn)) {
        found = positions.get();
        PositionWaiters.this.notifyAll();
      }
    }

    @Override
    public void close() {
      synchronized (PositionWaiters.this) {
        watches.remove(this);
      }
    }
  }

  synchronized Watch watch() {
    Watch watch = new Watch();
    watches.add(watch);
    return watch;
  }

  /** The commit that began at {@code commitLsn} over there is written next. */
  synchronized void beforeCommit(long commitLsn) {
    for (Watch watch : watches) {
      watch.passed(commitLsn);
    }
  }

  /** All that committed before {@code sourceLsn} has been written. */
  synchronized void idleAt(long sourceLsn) {
    for (Watch watch : watches) {
      watch.idleAt(sourceLsn);
    }
  }
}
