package dev.millrace.subscriber.api;

import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.launcher.Launcher;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Whether the catalogue in the target database answers and workers can run; part of readiness. A
 * publisher out of reach or a failing table does not make this service unready: restarting it would
 * help nobody, and it must stay reachable for whoever repairs it. {@code /status} tells of those.
 */
final class WorkerHealth implements HealthIndicator {

  private final SubscriptionCatalog catalog;
  private final Launcher launcher;

  WorkerHealth(SubscriptionCatalog catalog, Launcher launcher) {
    this.catalog = catalog;
    this.launcher = launcher;
  }

  @Override
  public Health health() {
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
