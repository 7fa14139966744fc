package dev.millrace.subscriber.catalog;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** pg_stat_subscription_stats of one subscription. Safe for any thread. */
public final class SubscriptionStatistics {

  /** The conflict types, in the view's column order. */
  public enum Conflict {
    INSERT_EXISTS,
    UPDATE_ORIGIN_DIFFERS,
    UPDATE_EXISTS,
    UPDATE_MISSING,
    DELETE_ORIGIN_DIFFERS,
    DELETE_MISSING,
    MULTIPLE_UNIQUE_CONFLICTS
  }

  public final LongAdder applyErrors = new LongAdder();
  public final LongAdder syncErrors = new LongAdder();
  private final Map<Conflict, LongAdder> conflicts = new EnumMap<>(Conflict.class);
  private volatile Instant statsReset;

  public SubscriptionStatistics() {
    for (Conflict conflict : Conflict.values()) {
      conflicts.put(conflict, new LongAdder());
    }
  }

  public LongAdder conflicts(Conflict conflict) {
    return conflicts.get(conflict);
  }

  public Instant statsReset() {
    return statsReset;
  }

  public void reset(Instant now) {
    applyErrors.reset();
    syncErrors.reset();
    conflicts.values().forEach(LongAdder::reset);
    statsReset = now;
  }
}
