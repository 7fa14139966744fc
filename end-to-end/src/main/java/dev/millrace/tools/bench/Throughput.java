package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.TwoServices;
import java.util.Map;

/** Rows a second in 1000-row transactions: captured, decoded and sent, applied. */
final class Throughput {

  static final int ROWS_PER_TRANSACTION = 1_000;
  private static final int SESSIONS = 2;
  private static final int WARM_UP_TRANSACTIONS = 300;
  private static final int CAPTURE_TRANSACTIONS = 1_000;
  private static final int END_TO_END_TRANSACTIONS = 1_000;

  private Throughput() {}

  static void capture(TwoServices services, Figures figures) throws Exception {
    services.publisher().sql(BenchTable.CREATE);
    services.publisher().sql("CREATE PUBLICATION bench_pub FOR TABLE bench");
    write(services.publisher(), 0, WARM_UP_TRANSACTIONS);
    double seconds = write(services.publisher(), WARM_UP_TRANSACTIONS, CAPTURE_TRANSACTIONS);
    figures.put(
        "capture_rows_per_s", CAPTURE_TRANSACTIONS * (double) ROWS_PER_TRANSACTION / seconds);
  }

  static void decode(TwoServices services, Figures figures) throws Exception {
    MillraceApi publisher = services.publisher();
    publisher.sql(BenchTable.CREATE);
    publisher.sql("CREATE PUBLICATION bench_pub FOR TABLE bench");
    for (String slot : new String[] {"bench_warm_up", "bench_slot"}) {
      publisher.post("/api/v1/slots", Map.of("slot_name", slot, "plugin", "pgoutput"));
    }
    write(publisher, 0, CAPTURE_TRANSACTIONS);
    long rows = (long) CAPTURE_TRANSACTIONS * ROWS_PER_TRANSACTION;
    double rate = 0;
    for (String slot : new String[] {"bench_warm_up", "bench_slot"}) {
      try (StreamDrain drain = new StreamDrain(services.publisherPort(), slot, rows)) {
        rate = drain.awaitRate(120);
      }
    }
    figures.put("decode_rows_per_s", rate);
  }

  static void endToEnd(TwoServices services, Figures figures) throws Exception {
    BenchTable.createAndSubscribe(services);
    write(services.publisher(), 0, WARM_UP_TRANSACTIONS);
    BenchTable.awaitCount(
        services.subscriber(), (long) WARM_UP_TRANSACTIONS * ROWS_PER_TRANSACTION, 60_000);
    long start = System.nanoTime();
    write(services.publisher(), WARM_UP_TRANSACTIONS, END_TO_END_TRANSACTIONS);
    long total = (long) (WARM_UP_TRANSACTIONS + END_TO_END_TRANSACTIONS) * ROWS_PER_TRANSACTION;
    BenchTable.awaitCount(services.subscriber(), total, 120_000);
    double seconds = (System.nanoTime() - start) / 1e9;
    figures.put(
        "end_to_end_rows_per_s", END_TO_END_TRANSACTIONS * (double) ROWS_PER_TRANSACTION / seconds);
  }

  /** Writes transactions from several sessions; returns the seconds it took. */
  static double write(MillraceApi api, int firstTransaction, int count) throws Exception {
    long start = System.nanoTime();
    Clients.run(
        api,
        SESSIONS,
        (number, session) -> {
          for (int i = number; i < count; i += SESSIONS) {
            long from = (long) (firstTransaction + i) * ROWS_PER_TRANSACTION + 1;
            session.sql(BenchTable.insert(from, from + ROWS_PER_TRANSACTION - 1));
          }
        });
    return (System.nanoTime() - start) / 1e9;
  }
}
