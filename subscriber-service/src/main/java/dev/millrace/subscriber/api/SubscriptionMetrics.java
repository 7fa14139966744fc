package dev.millrace.subscriber.api;

import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionStatistics;
import dev.millrace.subscriber.catalog.SubscriptionStatistics.Conflict;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.launcher.WorkerView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The subscriber's metrics. Subscriptions and workers come and go, so their gauges are renewed
 * every second. Lag is what was received of the publisher's log and is not applied or not durable
 * yet; what the publisher has not sent is the publisher's to tell.
 */
final class SubscriptionMetrics implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SubscriptionMetrics.class);
  private static final int RENEW_INTERVAL_MS = 1000;

  private final SubscriptionCatalog catalog;
  private final Launcher launcher;
  private final Clock clock;
  private final MultiGauge applyLagBytes;
  private final MultiGauge flushLagBytes;
  private final MultiGauge lagSeconds;
  private final MultiGauge receivedLsn;
  private final MultiGauge applyErrors;
  private final MultiGauge syncErrors;
  private final MultiGauge conflicts;
  private final MultiGauge tables;
  private final ScheduledExecutorService renewal =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "subscription metrics");
            thread.setDaemon(true);
            return thread;
          });

  SubscriptionMetrics(
      MeterRegistry registry, SubscriptionCatalog catalog, Launcher launcher, Clock clock) {
    this.catalog = catalog;
    this.launcher = launcher;
    this.clock = clock;
    applyLagBytes =
        gauge(registry, "apply.lag.bytes", "Log received and not yet applied, in bytes");
    flushLagBytes =
        gauge(registry, "flush.lag.bytes", "Log received and not yet durable here, in bytes");
    lagSeconds =
        gauge(registry, "lag.seconds", "Age of the last message received from the publisher");
    receivedLsn = gauge(registry, "received.lsn", "Position received, throughput by its rate");
    applyErrors = gauge(registry, "apply.error.count", "Errors while applying");
    syncErrors = gauge(registry, "sync.error.count", "Errors while copying tables");
    conflicts = gauge(registry, "conflict.count", "Conflicts by type");
    tables = gauge(registry, "tables", "Tables by state (srsubstate)");
    Gauge.builder("millrace.workers", launcher, it -> it.workers().size())
        .description("Workers running")
        .register(registry);
    renewal.scheduleWithFixedDelay(
        this::renewIfPossible, 0, RENEW_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  /** A subscription may be dropped, or the database be closed, while it is looked at. */
  private void renewIfPossible() {
    try {
      renew();
    } catch (RuntimeException e) {
      log.debug("could not renew the subscription metrics, trying again", e);
    }
  }

  private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
    return MultiGauge.builder("millrace.subscription." + name)
        .description(description)
        .register(registry);
  }

  /** Brings the gauges up to the subscriptions and workers there are now. */
  void renew() {
    List<Subscription> subscriptions = catalog.subscriptions();
    renewWorkers(launcher.workers());
    List<Row<?>> applied = new ArrayList<>();
    List<Row<?>> synced = new ArrayList<>();
    List<Row<?>> conflicting = new ArrayList<>();
    List<Row<?>> states = new ArrayList<>();
    for (Subscription subscription : subscriptions) {
      Tags name = Tags.of("subname", subscription.name());
      SubscriptionStatistics counted = catalog.statistics(subscription.oid());
      applied.add(Row.of(name, counted.applyErrors.sum()));
      synced.add(Row.of(name, counted.syncErrors.sum()));
      for (Conflict type : Conflict.values()) {
        conflicting.add(
            Row.of(
                name.and("type", type.name().toLowerCase(Locale.ROOT)),
                counted.conflicts(type).sum()));
      }
      addStates(states, name, subscription.oid());
    }
    applyErrors.register(applied, true);
    syncErrors.register(synced, true);
    conflicts.register(conflicting, true);
    tables.register(states, true);
  }

  private void addStates(List<Row<?>> rows, Tags name, int subscriptionOid) {
    int[] byState = new int[128];
    catalog.relations(subscriptionOid).forEach(relation -> byState[relation.state().code()]++);
    for (char state : "idfsr".toCharArray()) {
      rows.add(Row.of(name.and("srsubstate", String.valueOf(state)), byState[state]));
    }
  }

  private void renewWorkers(List<WorkerView> workers) {
    List<Row<?>> apply = new ArrayList<>();
    List<Row<?>> flush = new ArrayList<>();
    List<Row<?>> seconds = new ArrayList<>();
    List<Row<?>> received = new ArrayList<>();
    for (WorkerView worker : workers) {
      if (!worker.workerType().equals("apply")) {
        continue;
      }
      Tags name = Tags.of("subname", worker.subscriptionName());
      apply.add(Row.of(name, behind(worker.receivedLsn(), worker.appliedLsn())));
      flush.add(Row.of(name, behind(worker.receivedLsn(), worker.flushedLsn())));
      received.add(Row.of(name, worker.receivedLsn()));
      if (worker.lastMessageReceiptTime() != null) {
        Duration age = Duration.between(worker.lastMessageReceiptTime(), clock.instant());
        seconds.add(Row.of(name, age.toMillis() / 1e3));
      }
    }
    applyLagBytes.register(apply, true);
    flushLagBytes.register(flush, true);
    lagSeconds.register(seconds, true);
    receivedLsn.register(received, true);
  }

  private static long behind(long receivedLsn, long lsn) {
    return lsn == 0 ? 0 : Math.max(0, receivedLsn - lsn);
  }

  @Override
  public void close() {
    renewal.shutdownNow();
  }
}
