package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.TwoServices;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** One transaction of a million rows and one of two million. */
final class LargeTransactions {

  private static final int ROWS_PER_STATEMENT = 100_000;
  private static final int WARM_UP_ROWS = 200_000;
  private static final long WAIT_MS = 300_000;

  private LargeTransactions() {}

  static void oneMillion(TwoServices services, Figures figures) throws Exception {
    BenchTable.createAndSubscribe(services);
    commitAndAwait(services, 1, WARM_UP_ROWS);
    Commit commit = commitAndAwait(services, WARM_UP_ROWS + 1, 1_000_000);
    figures.put("large_tx_visible_s", commit.visibleAfterSeconds());
    commit.visible().put(figures, "large_tx_row", commit.sent(), 1_000_000);
  }

  static void twoMillion(TwoServices services, Figures figures) throws Exception {
    BenchTable.createAndSubscribe(services);
    Commit commit = commitAndAwait(services, 1, 2_000_000);
    figures.put("two_million_rows_visible_s", commit.visibleAfterSeconds());
    JsonNode stats = services.publisher().get("/api/v1/slots/bench_sub/stats");
    figures.put("two_million_rows_spill_bytes", stats.get("spill_bytes").asDouble());
  }

  /** Five million rows in one transaction, sent from spill files and then as they were made. */
  static void fiveMillion(TwoServices services, Figures figures) throws Exception {
    MillraceApi publisher = services.publisher();
    publisher.sql(BenchTable.CREATE);
    publisher.sql("CREATE PUBLICATION bench_pub FOR TABLE bench");
    for (String slot : new String[] {"spilled", "streamed"}) {
      publisher.post("/api/v1/slots", Map.of("slot_name", slot, "plugin", "pgoutput"));
    }
    long rows = 5_000_000;
    try (MillraceApi.Session session = publisher.openSession()) {
      session.sql("BEGIN");
      for (long from = 1; from < rows; from += ROWS_PER_STATEMENT) {
        session.sql(BenchTable.insert(from, from + ROWS_PER_STATEMENT - 1));
      }
      session.sql("COMMIT");
    }
    drain(services, figures, "spilled", "proto_version '1'", rows);
    drain(services, figures, "streamed", "proto_version '2', streaming 'on'", rows);
  }

  private static void drain(
      TwoServices services, Figures figures, String slot, String options, long rows)
      throws InterruptedException {
    CpuTimes before = CpuTimes.of(services);
    try (StreamDrain drain = new StreamDrain(services.publisherPort(), slot, options, rows)) {
      figures.put("five_million_" + slot + "_rows_per_s", drain.awaitRate(300));
    }
    CpuTimes.of(services).put(figures, "five_million_" + slot + "_row", before, rows);
    JsonNode stats = services.publisher().get("/api/v1/slots/" + slot + "/stats");
    String bytes = slot.equals("spilled") ? "spill_bytes" : "stream_bytes";
    figures.put("five_million_" + bytes, stats.get(bytes).asDouble());
  }

  /** From sending COMMIT until the subscriber showed the last row, with the CPU used at both. */
  private record Commit(double visibleAfterSeconds, CpuTimes sent, CpuTimes visible) {}

  private static Commit commitAndAwait(TwoServices services, long firstId, long rows)
      throws InterruptedException {
    long lastId = firstId + rows - 1;
    try (MillraceApi.Session session = services.publisher().openSession()) {
      session.sql("BEGIN");
      for (long from = firstId; from < lastId; from += ROWS_PER_STATEMENT) {
        session.sql(BenchTable.insert(from, from + ROWS_PER_STATEMENT - 1));
      }
      CpuTimes sent = CpuTimes.of(services);
      long start = System.nanoTime();
      Thread commit = new Thread(() -> session.sql("COMMIT"), "commit");
      commit.start();
      BenchTable.awaitRow(services.subscriber(), lastId, WAIT_MS);
      double seconds = (System.nanoTime() - start) / 1e9;
      CpuTimes visible = CpuTimes.of(services);
      BenchTable.awaitCount(services.subscriber(), lastId, WAIT_MS);
      commit.join();
      return new Commit(seconds, sent, visible);
    }
  }
}
