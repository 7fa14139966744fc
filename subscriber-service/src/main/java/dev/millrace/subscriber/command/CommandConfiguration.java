package dev.millrace.subscriber.command;

import dev.millrace.settings.Settings;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.receiver.PublisherConnector;
import dev.millrace.subscriber.target.TargetDatabase;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The beans of the SUBSCRIPTION commands. */
@Configuration(proxyBeanMethods = false)
class CommandConfiguration {

  @Bean
  SlotReconciler slotReconciler(
      SlotIntents intents,
      SubscriptionCatalog catalog,
      SubscriptionStore store,
      PublisherConnector connector,
      Launcher launcher,
      Settings settings) {
    return new SlotReconciler(
        intents,
        catalog,
        store,
        connector,
        launcher,
        () -> settings.getMillis("wal_retrieve_retry_interval"));
  }

  @Bean
  SubscriptionCommands subscriptionCommands(
      SubscriptionCatalog catalog,
      SubscriptionStore store,
      SlotIntents intents,
      LocalRelations relations,
      NodeIdentity node,
      TargetDatabase target,
      PublisherConnector connector,
      Launcher launcher,
      SlotReconciler reconciler) {
    return new SubscriptionCommands(
        new CommandServices(
            catalog, store, intents, relations, node, target, connector, launcher, reconciler));
  }

  /** It begins with everything else in place, before the workers do. */
  @Bean
  SmartLifecycle slotReconcilerLifecycle(SlotReconciler reconciler) {
    return new SmartLifecycle() {
      private volatile boolean running;

      @Override
      public void start() {
        reconciler.start();
        running = true;
      }

      @Override
      public void stop() {
        reconciler.close();
        running = false;
      }

      @Override
      public boolean isRunning() {
        return running;
      }

      @Override
      public int getPhase() {
        return DEFAULT_PHASE - 1;
      }
    };
  }
}
