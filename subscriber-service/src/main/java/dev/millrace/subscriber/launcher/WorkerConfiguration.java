package dev.millrace.subscriber.launcher;

import dev.millrace.settings.Settings;
import dev.millrace.subscriber.apply.WorkerContext;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.conflict.ConflictLog;
import dev.millrace.subscriber.receiver.PublisherConnector;
import dev.millrace.subscriber.receiver.ReceiverLimits;
import dev.millrace.subscriber.receiver.WebSocketConnector;
import dev.millrace.subscriber.target.H2TargetDatabase;
import dev.millrace.subscriber.target.TargetDatabase;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The beans of receiving, applying and launching. */
@Configuration(proxyBeanMethods = false)
class WorkerConfiguration {

  @Bean
  PublisherConnector publisherConnector(Settings settings) {
    return new WebSocketConnector(() -> ReceiverLimits.of(settings));
  }

  /** Workers keep their connections for long, so they do not come from the pool. */
  @Bean
  TargetDatabase targetDatabase(
      DataSourceProperties properties, LocalRelations localRelations, NodeIdentity node) {
    return new H2TargetDatabase(
        new DriverManagerDataSource(
            properties.determineUrl(),
            properties.determineUsername(),
            properties.determinePassword()),
        localRelations,
        node::nextOid);
  }

  @Bean
  ConflictLog conflictLog() {
    return new ConflictLog();
  }

  @Bean
  WorkerContext workerContext(
      PublisherConnector connector,
      TargetDatabase target,
      SubscriptionCatalog catalog,
      SlotIntents slotIntents,
      NodeIdentity node,
      ConflictLog conflicts,
      Settings settings,
      ObjectProvider<Clock> clock) {
    return new WorkerContext(
        connector,
        target,
        catalog,
        slotIntents,
        node,
        conflicts,
        settings,
        clock.getIfAvailable(Clock::systemUTC));
  }

  @Bean
  WorkerLauncher launcher(WorkerContext context) {
    return new WorkerLauncher(context);
  }

  /** Workers start when everything else has, and stop before anything else does. */
  @Bean
  SmartLifecycle launcherLifecycle(WorkerLauncher launcher, TargetDatabase target) {
    return new SmartLifecycle() {
      private volatile boolean running;

      @Override
      public void start() {
        launcher.start();
        running = true;
      }

      @Override
      public void stop() {
        target.giveUpWaiting();
        launcher.close();
        running = false;
      }

      @Override
      public boolean isRunning() {
        return running;
      }
    };
  }
}
