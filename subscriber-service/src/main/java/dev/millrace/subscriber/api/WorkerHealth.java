package dev.millrace.subscriber.api;

import dev.millrace.model.PgException;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.target.TargetDatabase;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the catalogue in the target database answers, workers can run and rows can be written;
 * part of readiness. A publisher out of reach or a failing table does not make this service
 * unready: restarting it would help nobody, and it must stay reachable for whoever repairs it.
 * {@code /status} tells of those.
 */
final class WorkerHealth implements HealthIndicator {

  private final SubscriptionCatalog catalog;
  private final Launcher launcher;
  private final TargetDatabase target;

  WorkerHealth(SubscriptionCatalog catalog, Launcher launcher, TargetDatabase target) {
    this.catalog = catalog;
    this.launcher = launcher;
    this.target = target;
  }

  @Override
  public Health health() {
    PgException refusal = target.refusal();
    if (refusal != null) {
      return Health.down().withDetail("error", refusal.getMessage()).build();
    }
    try {
      return Health.up()
          .withDetail("subscriptions", catalog.subscriptions().size())
          .withDetail("workers", launcher.workers().size())
          .build();
    } catch (RuntimeException e) {
      return Health.down(e).build();
    }
  }
}
