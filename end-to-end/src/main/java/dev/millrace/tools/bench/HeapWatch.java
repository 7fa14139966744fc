package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import tools.jackson.databind.JsonNode;

/** Samples a service's used heap and keeps the greatest value. */
final class HeapWatch implements AutoCloseable {

  private final MillraceApi api;
  private final LongAccumulator peak = new LongAccumulator(Math::max, 0);
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "heap-watch");
            thread.setDaemon(true);
            return thread;
          });

  HeapWatch(MillraceApi api) {
    this.api = api;
    timer.scheduleWithFixedDelay(this::sample, 0, 250, TimeUnit.MILLISECONDS);
  }

  private void sample() {
    JsonNode metric = api.get("/actuator/metrics/jvm.memory.used?tag=area:heap");
    peak.accumulate(metric.get("measurements").get(0).get("value").asLong());
  }

  double peakMb() {
    return peak.get() / (1024.0 * 1024.0);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
