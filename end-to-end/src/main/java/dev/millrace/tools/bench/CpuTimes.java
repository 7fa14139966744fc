package dev.millrace.tools.bench;

import dev.millrace.tools.TwoServices;
import java.time.Duration;

/**
 * CPU time used so far by the three processes of a run. Unlike rates, its differences hold on a
 * machine that others use as well.
 */
record CpuTimes(Duration publisher, Duration subscriber, Duration bench) {

  static CpuTimes of(TwoServices services) {
    return new CpuTimes(
        services.publisherCpu(),
        services.subscriberCpu(),
        ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
  }

  /** Microseconds a unit of work since {@code before}, a figure for each process. */
  void put(Figures figures, String workload, CpuTimes before, long units) {
    figures.put(workload + "_publisher_cpu_us", micros(before.publisher, publisher, units));
    figures.put(workload + "_subscriber_cpu_us", micros(before.subscriber, subscriber, units));
    figures.put(workload + "_bench_cpu_us", micros(before.bench, bench, units));
  }

  private static double micros(Duration from, Duration to, long units) {
    return to.minus(from).toNanos() / 1e3 / units;
  }
}
