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

  public Instant statsReset() {
    return statsReset;
  }

  public void reset(Instant now) {
    for (LongAdder counter :
        new LongAdder[] {
          spillTxns,
          spillCount,
          spillBytes,
          streamTxns,
          streamCount,
          streamBytes,
          totalTxns,
          totalBytes
        }) {
      counter.reset();
    }
    statsReset = now;
  }
}
