package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.TwoServices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The same rows decoded and sent by this publisher and by PostgreSQL's walsender, in one run: rows
 * a second through one slot, and CPU seconds of the sending side for a million rows through one
 * slot and through four at once.
 */
final class PeerComparison {

  private static final int TRANSACTIONS = 2_000;
  private static final long ROWS = (long) TRANSACTIONS * Throughput.ROWS_PER_TRANSACTION;
  private static final int SLOTS = 4;
  private static final long WAIT_S = 300;

  /** Reads one slot to its end. */
  @FunctionalInterface
  private interface Reader {
    void read(String slot) throws Exception;
  }

  /** CPU time of the sending side so far. */
  @FunctionalInterface
  private interface Cpu {
    Duration used() throws Exception;
  }

  private PeerComparison() {}

  static void run(TwoServices services, Figures figures) throws Exception {
    double own = measureOwn(services, figures);
    double peer = measurePeer(figures);
    figures.put("decode_rate_against_peer", own / peer);
  }

  private static double measureOwn(TwoServices services, Figures figures) throws Exception {
    MillraceApi publisher = services.publisher();
    publisher.sql(BenchTable.CREATE);
    publisher.sql("CREATE PUBLICATION bench_pub FOR TABLE bench");
    for (String slot : slots()) {
      publisher.post("/api/v1/slots", Map.of("slot_name", slot, "plugin", "pgoutput"));
    }
    Throughput.write(publisher, 0, TRANSACTIONS);
    return measure(
        figures,
        "own",
        slot -> {
          try (StreamDrain drain = new StreamDrain(services.publisherPort(), slot, ROWS)) {
            drain.awaitRate(WAIT_S);
          }
        },
        services::publisherCpu);
  }

  private static double measurePeer(Figures figures) throws Exception {
    try (PostgresPeer peer = new PostgresPeer()) {
      System.out.println("-- the peer's slots are read by " + peer.reader());
      peer.sql(BenchTable.CREATE);
      peer.sql("CREATE PUBLICATION bench_pub FOR TABLE bench");
      for (String slot : slots()) {
        peer.sql("SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
      }
      for (long i = 0; i < TRANSACTIONS; i++) {
        long from = i * Throughput.ROWS_PER_TRANSACTION + 1;
        peer.sql(BenchTable.insert(from, from + Throughput.ROWS_PER_TRANSACTION - 1));
      }
      return measure(figures, "peer", peer::drain, peer::endedCpu);
    }
  }

  /** A slot to warm up, one to measure alone, four to measure at once. */
  private static List<String> slots() {
    List<String> slots = new ArrayList<>(List.of("warm_up", "one"));
    for (int i = 0; i < SLOTS; i++) {
      slots.add("many_" + i);
    }
    return slots;
  }

  private static double measure(Figures figures, String who, Reader reader, Cpu cpu)
      throws Exception {
    reader.read("warm_up");
    double seconds = read(figures, who + "_one_slot", reader, cpu, List.of("one"));
    read(figures, who + "_four_slots", reader, cpu, slots().subList(2, 2 + SLOTS));
    double rate = ROWS / seconds;
    figures.put(who + "_decode_rows_per_s", rate);
    return rate;
  }

  /** Reads the slots at once; returns the seconds it took. */
  private static double read(
      Figures figures, String name, Reader reader, Cpu cpu, List<String> slots) throws Exception {
    Duration before = cpu.used();
    long start = System.nanoTime();
    ExecutorService threads = Executors.newFixedThreadPool(slots.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (String slot : slots) {
        running.add(
            threads.submit(
                () -> {
                  reader.read(slot);
                  return null;
                }));
      }
      for (Future<?> future : running) {
        future.get();
      }
    } finally {
      threads.shutdownNow();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    double millions = ROWS * slots.size() / 1e6;
    figures.put(
        name + "_cpu_s_per_million_rows", cpu.used().minus(before).toNanos() / 1e9 / millions);
    return seconds;
  }
}
