package dev.millrace.publisher.walsender;

import dev.millrace.model.Lsn;
import java.time.Duration;

/**
 * How long the peer takes to write, flush and apply what was sent (write_lag, flush_lag,
 * replay_lag).
 *
 * <p>At the end of a transaction, at most once a second, the position and the time are noted; when
 * the peer reports a position, the newest sample at or before it tells the lag. When the peer has
 * twice in a row reported that it applied everything, and no sample was left to measure, the lags
 * become unknown: an idle stream has no lag worth showing. Times are {@code System.nanoTime}. The
 * owner guards it.
 */
final class LagTracker {

  static final long INTERVAL_NANOS = 1_000_000_000L;
  private static final int CAPACITY = 1024;
  private static final int HEADS = 3;

  private final long[] sampleLsn = new long[CAPACITY];
  private final long[] sampleNanos = new long[CAPACITY];
  private long written;
  private final long[] read = new long[HEADS];
  private final Duration[] lag = new Duration[HEADS];
  private boolean fullyAppliedBefore;

  /** Notes a transaction's end that has just been sent. */
  void sent(long lsn, long nowNanos) {
    if (written > 0 && nowNanos - sampleNanos[index(written - 1)] < INTERVAL_NANOS) {
      return;
    }
    if (written - Math.min(read[0], Math.min(read[1], read[2])) == CAPACITY) {
      return;
    }
    sampleLsn[index(written)] = lsn;
    sampleNanos[index(written)] = nowNanos;
    written++;
  }

  /** Takes the positions of a status update; {@code sentLsn} is the last position sent. */
  void reported(long writeLsn, long flushLsn, long applyLsn, long sentLsn, long nowNanos) {
    boolean fullyApplied = applyLsn == sentLsn;
    boolean clear = fullyApplied && fullyAppliedBefore;
    fullyAppliedBefore = fullyApplied;
    update(0, writeLsn, nowNanos, clear);
    update(1, flushLsn, nowNanos, clear);
    update(2, applyLsn, nowNanos, clear);
  }

  private void update(int head, long lsn, long nowNanos, boolean clear) {
    long newest = -1;
    while (read[head] < written && !Lsn.isBefore(lsn, sampleLsn[index(read[head])])) {
      newest = read[head]++;
    }
    if (newest >= 0) {
      lag[head] = Duration.ofNanos(Math.max(0, nowNanos - sampleNanos[index(newest)]));
    } else if (clear) {
      lag[head] = null;
    }
  }

  Duration writeLag() {
    return lag[0];
  }

  Duration flushLag() {
    return lag[1];
  }

  Duration applyLag() {
    return lag[2];
  }

  private static int index(long position) {
    return (int) (position % CAPACITY);
  }
}
