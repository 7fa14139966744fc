package dev.millrace.subscriber.api;

import dev.millrace.subscriber.target.TargetDatabase;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the target database is open; part of liveness. H2 closes itself when its file cannot be
 * written, because the disk is full for instance, and only a new start opens it again.
 */
final class TargetHealth implements HealthIndicator {

  private final TargetDatabase target;

  TargetHealth(TargetDatabase target) {
    this.target = target;
  }

  @Override
  public Health health() {
    return target.hasClosedItself()
        ? Health.down().withDetail("error", "the target database has closed itself").build()
        : Health.up().build();
  }
}
