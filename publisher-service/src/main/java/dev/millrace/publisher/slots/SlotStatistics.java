package dev.millrace.publisher.slots;

import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

/** pg_stat_replication_slots of one slot. Safe for any thread. */
public final class SlotStatistics {
  public final LongAdder spillTxns = new LongAdder();
  public final LongAdder spillCount = new LongAdder();
  public final LongAdder spillBytes = new LongAdder();
  public final LongAdder streamTxns = new LongAdder();
  public final LongAdder streamCount = new LongAdder();
  public final LongAdder streamBytes = new LongAdder();
  public final LongAdder totalTxns = new LongAdder();
  public final LongAdder totalBytes = new LongAdder();
  private volatile Instant statsReset;

  /** Null until the first reset. */
  public Instant statsReset() {
    return statsReset;
  }

  public void reset(Instant now) {
    for (LongAdder counter : all()) {
      counter.reset();
    }
    statsReset = now;
  }

  /** The counters in the view's order. */
  long[] counters() {
    LongAdder[] all = all();
    long[] values = new long[all.length];
    for (int i = 0; i < all.length; i++) {
      values[i] = all[i].sum();
    }
    return values;
  }

  void restore(long[] values, Instant reset) {
    LongAdder[] all = all();
    for (int i = 0; i < all.length; i++) {
      all[i].add(values[i]);
    }
    statsReset = reset;
  }

  private LongAdder[] all() {
    return new LongAdder[] {
      spillTxns, spillCount, spillBytes, streamTxns, streamCount, streamBytes, totalTxns, totalBytes
    };
  }
}
