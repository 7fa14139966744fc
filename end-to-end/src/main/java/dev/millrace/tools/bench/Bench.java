package dev.millrace.tools.bench;

import dev.millrace.tools.BuiltJars;
import dev.millrace.tools.TwoServices;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs the workloads named as arguments, all of them without, each against two fresh services. */
public final class Bench {

  private static final int HEAP_MB = 512;
  private static final int PORT = 18_080;

  /** Needs a PostgreSQL server beside the services, so it runs only when asked for. */
  private static final String PEER = "peer";

  /** One workload over a running pair of services. */
  @FunctionalInterface
  interface Workload {
    void run(TwoServices services, Figures figures) throws Exception;
  }

  private static final Map<String, Workload> WORKLOADS = new LinkedHashMap<>();

  static {
    WORKLOADS.put("capture", Throughput::capture);
    WORKLOADS.put("decode", Throughput::decode);
    WORKLOADS.put("end_to_end", Throughput::endToEnd);
    WORKLOADS.put("single_row_tx", SingleRows::transactions);
    WORKLOADS.put("single_row_call_each", SingleRows::callEach);
    WORKLOADS.put("commit", SingleRows::commitLatency);
    WORKLOADS.put("large_tx", LargeTransactions::oneMillion);
    WORKLOADS.put("two_million", LargeTransactions::twoMillion);
    WORKLOADS.put("five_million", LargeTransactions::fiveMillion);
    WORKLOADS.put(PEER, PeerComparison::run);
  }

  private Bench() {}

  /** Returns the exit code: 0 when every workload ended. */
  public static int run(String[] args) throws Exception {
    Path json = null;
    List<String> names = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals("--json")) {
        if (i + 1 == args.length) {
          return usage("--json needs a file");
        }
        json = Path.of(args[++i]);
      } else if (args[i].equals("--peer")) {
        names.add(PEER);
      } else if (WORKLOADS.containsKey(args[i])) {
        names.add(args[i]);
      } else {
        return usage("unknown workload \"" + args[i] + "\"");
      }
    }
    Figures figures = new Figures();
    double publisherPeak = 0;
    double subscriberPeak = 0;
    if (names.isEmpty()) {
      names.addAll(WORKLOADS.keySet());
      names.remove(PEER);
    }
    for (String name : names) {
      System.out.println("-- " + name);
      Path directory = BuiltJars.home().resolve("data").resolve("bench");
      try (TwoServices services =
              new TwoServices(
                  directory,
                  PORT,
                  HEAP_MB,
                  List.of("--millrace.settings.logical_decoding_work_mem=64MB"));
          HeapWatch publisher = new HeapWatch(services.publisher());
          HeapWatch subscriber = new HeapWatch(services.subscriber())) {
        WORKLOADS.get(name).run(services, figures);
        publisherPeak = Math.max(publisherPeak, publisher.peakMb());
        subscriberPeak = Math.max(subscriberPeak, subscriber.peakMb());
      }
      TwoServices.delete(directory);
    }
    System.out.println("-- heap");
    figures.put("publisher_peak_heap_mb", publisherPeak);
    figures.put("subscriber_peak_heap_mb", subscriberPeak);
    if (json != null) {
      figures.write(json);
    }
    return 0;
  }

  private static int usage(String problem) {
    System.err.println(problem);
    System.err.println(
        "usage: bin/bench [--json FILE] [--peer] ["
            + String.join(" | ", WORKLOADS.keySet())
            + " ..]");
    return 2;
  }
}
