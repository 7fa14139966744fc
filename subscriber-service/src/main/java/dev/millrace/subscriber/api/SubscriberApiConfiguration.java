package dev.millrace.subscriber.api;

import dev.millrace.api.NodeStatus;
import dev.millrace.api.ReplicationOriginSource;
import dev.millrace.api.ReplicationOriginStatus;
import dev.millrace.api.StatusContributor;
import dev.millrace.model.Lsn;
import dev.millrace.sql.SystemObjects;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.target.TargetDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What REST, SQL and monitoring show of subscriptions and their workers. */
@Configuration(proxyBeanMethods = false)
class SubscriberApiConfiguration {

  @Bean
  SystemObjects subscriptionObjects(
      SubscriptionCatalog catalog, NodeIdentity node, Launcher launcher) {
    return SystemObjects.views(new SubscriptionViews(catalog, node, launcher).all());
  }

  @Bean
  ReplicationOriginSource replicationOrigins(SubscriptionCatalog catalog) {
    return () ->
        catalog.origins().stream()
            .map(
                origin ->
                    new ReplicationOriginStatus(
                        origin.number(),
                        origin.name(),
                        origin.remoteLsn() == 0 ? null : Lsn.format(origin.remoteLsn()),
                        null))
            .toList();
  }

  @Bean
  NodeStatus nodeStatus(NodeIdentity node) {
    return new NodeStatus() {
      @Override
      public String role() {
        return "subscriber";
      }

      @Override
      public String systemIdentifier() {
        return node.systemIdentifier();
      }

      @Override
      public String currentLsn() {
        return null;
      }
    };
  }

  @Bean
  StatusContributor subscriptionStatus(
      SubscriptionCatalog catalog, Launcher launcher, TargetDatabase target) {
    return new SubscriptionStatus(catalog, launcher, target);
  }

  @Bean
  TargetHealth targetHealthIndicator(TargetDatabase target) {
    return new TargetHealth(target);
  }

  @Bean
  WorkerHealth workersHealthIndicator(
      SubscriptionCatalog catalog, Launcher launcher, TargetDatabase target) {
    return new WorkerHealth(catalog, launcher, target);
  }

  @Bean
  SubscriptionMetrics subscriptionMetrics(
      MeterRegistry registry, SubscriptionCatalog catalog, Launcher launcher, Clock clock) {
    return new SubscriptionMetrics(registry, catalog, launcher, clock);
  }
}
