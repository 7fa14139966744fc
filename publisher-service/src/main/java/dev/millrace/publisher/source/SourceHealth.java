package dev.millrace.publisher.source;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.database.ForeignTransactions;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Whether the source is being read; part of readiness. */
final class SourceHealth implements HealthIndicator {

  private final SourceStatus status;
  private final ForeignTransactions log;

  SourceHealth(SourceStatus status, ForeignTransactions log) {
    this.status = status;
    this.log = log;
  }

  @Override
  public Health health() {
    SourceStatus.State state = status.current();
    Health.Builder health = status.isReady() ? Health.up() : Health.down();
    health.withDetail("state", state.state().name().toLowerCase(java.util.Locale.ROOT));
    health.withDetail("received_lsn", Lsn.format(log.sourceLsn()));
    if (state.reason() != null) {
      health.withDetail("reason", state.reason());
    }
    return health.build();
  }
}
