package dev.millrace.publisher.walsender;

import java.time.Duration;
import java.time.Instant;

/**
 * How far a peer has come, as pg_stat_replication shows it. Positions are 0 and lags null while
 * unknown.
 */
public record PeerProgress(
    long sentLsn,
    long writeLsn,
    long flushLsn,
    long applyLsn,
    Duration writeLag,
    Duration flushLag,
    Duration applyLag,
    Instant replyTime) {

  static final PeerProgress NONE = new PeerProgress(0, 0, 0, 0, null, null, null, null);
}
