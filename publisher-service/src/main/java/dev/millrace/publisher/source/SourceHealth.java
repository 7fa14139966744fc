package dev.millrace.publisher.source;

import dev.millrace.api.StatusContributor;
import dev.millrace.model.Lsn;
import dev.millrace.publisher.database.ForeignTransactions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Whether the source is being read: for probes, of whose readiness it is part, and for people. */
final class SourceHealth implements HealthIndicator, StatusContributor {

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
    health.withDetail("state", state.state().name().toLowerCase(Locale.ROOT));
    health.withDetail("received_lsn", Lsn.format(log.sourceLsn()));
    if (state.reason() != null) {
      health.withDetail("reason", state.reason());
    }
    return health.build();
  }

  @Override
  public Map<String, Number> counts() {
    return Map.of();
  }

  @Override
  public List<String> problems() {
    String reason = status.current().reason();
    if (reason == null) {
      return List.of();
    }
    return List.of("The source cannot be read: " + reason + (reason.endsWith(".") ? "" : "."));
  }
}
