package dev.millrace.publisher.api;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.publisher.wal.WriteAheadLog;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Whether the log can be written; part of readiness. */
final class WalHealth implements HealthIndicator {

  private final WriteAheadLog log;

  WalHealth(WriteAheadLog log) {
    this.log = log;
  }

  @Override
  public Health health() {
    Throwable failure = log.failure();
    if (failure != null) {
      return Health.down(failure).build();
    }
    PgException refusal = log.refusal();
    if (refusal != null) {
      return Health.down(refusal).build();
    }
    return Health.up()
        .withDetail("insert_lsn", Lsn.format(log.insertLsn()))
        .withDetail("flush_lsn", Lsn.format(log.flushLsn()))
        .build();
  }
}
