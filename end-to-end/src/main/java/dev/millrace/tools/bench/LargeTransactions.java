package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.TwoServices;
import tools.jackson.databind.JsonNode;

/** One transaction of a million rows and one of two million. */
final class LargeTransactions {

  private static final int ROWS_PER_STATEMENT = 100_000;
  private static final long WAIT_MS = 300_000;

  private LargeTransactions() {}

  static void oneMillion(TwoServices services, Figures figures) throws Exception {
    BenchTable.createAndSubscribe(services);
    figures.put("large_tx_visible_s", visibleAfterCommit(services, 1_000_000));
  }

  static void twoMillion(TwoServices services, Figures figures) throws Exception {
    BenchTable.createAndSubscribe(services);
    figures.put("two_million_rows_visible_s", visibleAfterCommit(services, 2_000_000));
    JsonNode stats = services.publisher().get("/api/v1/slots/bench_sub/stats");
    figures.put("two_million_rows_spill_bytes", stats.get("spill_bytes").asDouble());
  }

  /** Seconds from sending COMMIT until the subscriber shows the last row. */
  private static double visibleAfterCommit(TwoServices services, long rows) {
    try (MillraceApi.Session session = services.publisher().openSession()) {
      session.sql("BEGIN");
      for (long from = 1; from <= rows; from += ROWS_PER_STATEMENT) {
        session.sql(BenchTable.insert(from, from + ROWS_PER_STATEMENT - 1));
      }
      long start = System.nanoTime();
      Thread commit = new Thread(() -> session.sql("COMMIT"), "commit");
      commit.start();
      BenchTable.awaitRow(services.subscriber(), rows, WAIT_MS);
      double seconds = (System.nanoTime() - start) / 1e9;
      BenchTable.awaitCount(services.subscriber(), rows, WAIT_MS);
      commit.join();
      return seconds;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
