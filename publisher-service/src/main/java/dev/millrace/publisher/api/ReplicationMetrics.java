package dev.millrace.publisher.api;

import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotStatistics;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.publisher.walsender.WalSenderView;
import dev.millrace.publisher.walsender.WalSenders;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The publisher's metrics: the log, its slots and their walsenders. Slots and walsenders come and
 * go, so their gauges are renewed every second; names keep PostgreSQL's column names.
 */
final class ReplicationMetrics implements AutoCloseable {

  private static final int RENEW_INTERVAL_MS = 1000;

  private final ReplicationSlots slots;
  private final WalSenders walSenders;
  private final WriteAheadLog log;
  private final Map<MultiGauge, ToDoubleFunction<ReplicationSlot>> slotGauges =
      new LinkedHashMap<>();
  private final Map<MultiGauge, ToDoubleFunction<WalSenderView>> senderGauges =
      new LinkedHashMap<>();
  private final ScheduledExecutorService renewal =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "replication metrics");
            thread.setDaemon(true);
            return thread;
          });

  ReplicationMetrics(
      MeterRegistry registry, ReplicationSlots slots, WalSenders walSenders, WriteAheadLog log) {
    this.slots = slots;
    this.walSenders = walSenders;
    this.log = log;
    bindLog(registry);
    bindSlots(registry);
    bindWalSenders(registry);
    renewal.scheduleWithFixedDelay(this::renew, 0, RENEW_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  private void bindLog(MeterRegistry registry) {
    FunctionCounter.builder("millrace.wal.inserted", log, WriteAheadLog::insertLsn)
        .baseUnit("bytes")
        .description("Position of the end of the log")
        .register(registry);
    FunctionCounter.builder("millrace.wal.flushed", log, WriteAheadLog::flushLsn)
        .baseUnit("bytes")
        .description("Position up to which the log is on disk")
        .register(registry);
    Gauge.builder("millrace.wal.kept", log, it -> it.insertLsn() - it.oldestLsn())
        .baseUnit("bytes")
        .description("Log kept on disk")
        .register(registry);
    Gauge.builder("millrace.wal.segments", log, it -> it.segments().size())
        .description("Segment files kept")
        .register(registry);
  }

  private void bindSlots(MeterRegistry registry) {
    slotGauge(
        registry,
        "millrace.slot.lag.bytes",
        "Log flushed and not yet confirmed by the slot's consumer",
        slot -> log.flushLsn() - slot.confirmedFlushLsn());
    slotGauge(
        registry,
        "millrace.slot.retained.wal.bytes",
        "Log from the slot's restart_lsn on",
        slot -> log.insertLsn() - slot.restartLsn());
    slotGauge(
        registry,
        "millrace.slot.active",
        "1 while the slot has a consumer",
        slot -> slot.activePid() == 0 ? 0 : 1);
    statistic(registry, "spill.txns", "Transactions spilled", it -> it.spillTxns.sum());
    statistic(
        registry, "spill.count", "Times a transaction was spilled", it -> it.spillCount.sum());
    statistic(registry, "spill.bytes", "Bytes spilled", it -> it.spillBytes.sum());
    statistic(registry, "total.txns", "Transactions decoded", it -> it.totalTxns.sum());
    statistic(registry, "total.bytes", "Bytes decoded", it -> it.totalBytes.sum());
  }

  private void statistic(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<SlotStatistics> value) {
    slotGauge(
        registry,
        "millrace.slot." + name,
        description,
        slot -> value.applyAsDouble(slot.statistics()));
  }

  private void slotGauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<ReplicationSlot> value) {
    slotGauges.put(MultiGauge.builder(name).description(description).register(registry), value);
  }

  private void bindWalSenders(MeterRegistry registry) {
    Gauge.builder("millrace.walsenders", walSenders, it -> it.views().size())
        .description("Walsender sessions")
        .register(registry);
    senderGauge(
        registry,
        "millrace.walsender.sent.lag.bytes",
        "Log flushed and not yet sent",
        view -> view.progress().sentLsn() == 0 ? 0 : log.flushLsn() - view.progress().sentLsn());
    senderGauge(
        registry, "millrace.walsender.write.lag.seconds", lag(view -> view.progress().writeLag()));
    senderGauge(
        registry, "millrace.walsender.flush.lag.seconds", lag(view -> view.progress().flushLag()));
    senderGauge(
        registry, "millrace.walsender.replay.lag.seconds", lag(view -> view.progress().applyLag()));
  }

  private static ToDoubleFunction<WalSenderView> lag(Function<WalSenderView, Duration> lag) {
    return view -> {
      Duration known = lag.apply(view);
      return known == null ? 0 : known.toNanos() / 1e9;
    };
  }

  private void senderGauge(
      MeterRegistry registry, String name, ToDoubleFunction<WalSenderView> value) {
    senderGauge(registry, name, "As in pg_stat_replication, 0 while unknown", value);
  }

  private void senderGauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<WalSenderView> value) {
    senderGauges.put(MultiGauge.builder(name).description(description).register(registry), value);
  }

  /** Brings the gauges up to the slots and walsenders there are now. */
  void renew() {
    List<ReplicationSlot> known = slots.all();
    slotGauges.forEach(
        (gauge, value) -> {
          List<Row<?>> rows = new ArrayList<>();
          for (ReplicationSlot slot : known) {
            rows.add(Row.of(Tags.of("slot_name", slot.name()), slot, value));
          }
          gauge.register(rows, true);
        });
    List<WalSenderView> views = walSenders.views();
    senderGauges.forEach(
        (gauge, value) -> {
          List<Row<?>> rows = new ArrayList<>();
          for (WalSenderView view : views) {
            Tags tags =
                Tags.of(
                    "application_name", view.applicationName(), "pid", Long.toString(view.pid()));
            rows.add(Row.of(tags, value.applyAsDouble(view)));
          }
          gauge.register(rows, true);
        });
  }

  @Override
  public void close() {
    renewal.shutdownNow();
  }
}
