package dev.millrace.subscriber.catalog;

import java.util.List;

/**
 * A subscription as the workers see it (pg_subscription). Immutable; a change makes a new one and
 * restarts its worker.
 *
 * @param slotName null for NONE
 * @param origin {@code any} or {@code none}
 * @param streaming {@code f}, {@code t}, {@code p} (substream)
 * @param twoPhaseState {@code d}, {@code p}, {@code e}
 */
public record Subscription(
    int oid,
    String name,
    int owner,
    boolean enabled,
    String connection,
    String slotName,
    List<String> publications,
    boolean binary,
    char streaming,
    char twoPhaseState,
    boolean disableOnError,
    boolean passwordRequired,
    boolean runAsOwner,
    boolean failover,
    String synchronousCommit,
    String origin,
    long skipLsn) {

  public Subscription {
    publications = List.copyOf(publications);
  }

  /** The replication origin of its apply worker: {@code pg_<oid>}. */
  public String originName() {
    return "pg_" + Integer.toUnsignedString(oid);
  }
}
