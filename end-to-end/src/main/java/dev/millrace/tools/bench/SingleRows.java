package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.TwoServices;
import java.util.Arrays;

/**
 * Transactions of one row: how many a second arrive at the subscriber, and how long one commit
 * takes.
 */
final class SingleRows {

  private static final int PER_CALL = 500;
  private static final int WARM_UP_CALLS = 5_000;
  private static final int CALLS = 3_000;
  private static final int COMMITS = 2_000;

  private SingleRows() {}

  static void transactions(TwoServices services, Figures figures) throws Exception {
    BenchTable.createAndSubscribe(services);
    long next = 1;
    next = measure(services, null, null, 8, 40, PER_CALL, next);
    next = measure(services, figures, "single_row_tx_per_s", 8, 20, PER_CALL, next);
    measure(services, figures, "single_row_tx_one_session_per_s", 1, 80, PER_CALL, next);
  }

  /** A call each, with the CPU time that each of the three processes spends on one transaction. */
  static void callEach(TwoServices services, Figures figures) throws Exception {
    BenchTable.createAndSubscribe(services);
    long next = measure(services, null, null, 8, 10, PER_CALL, 1);
    next = measure(services, null, null, 8, WARM_UP_CALLS, 1, next);
    CpuTimes before = CpuTimes.of(services);
    measure(services, figures, "single_row_tx_call_each_per_s", 8, CALLS, 1, next);
    CpuTimes.of(services).put(figures, "single_row_tx_call_each", before, 8L * CALLS);
  }

  /** From the first write to the last row applied. Returns the next free key. */
  private static long measure(
      TwoServices services,
      Figures figures,
      String name,
      int sessions,
      int calls,
      int perCall,
      long firstId)
      throws Exception {
    long rows = (long) sessions * calls * perCall;
    long start = System.nanoTime();
    Clients.run(
        services.publisher(),
        sessions,
        (number, session) -> {
          long id = firstId + (long) number * calls * perCall;
          for (int call = 0; call < calls; call++) {
            session.sql(transactions(id, perCall));
            id += perCall;
          }
        });
    BenchTable.awaitCount(services.subscriber(), firstId - 1 + rows, 300_000);
    if (figures != null) {
      figures.put(name, rows / ((System.nanoTime() - start) / 1e9));
    }
    return firstId + rows;
  }

  private static String transactions(long firstId, int count) {
    StringBuilder sql = new StringBuilder();
    for (long id = firstId; id < firstId + count; id++) {
      sql.append("BEGIN; INSERT INTO bench VALUES (")
          .append(id)
          .append(", 'row number ")
          .append(id)
          .append("', ")
          .append(id)
          .append("); COMMIT; ");
    }
    return sql.toString();
  }

  /** The median of one session's calls that insert and commit one row. */
  static void commitLatency(TwoServices services, Figures figures) throws Exception {
    MillraceApi publisher = services.publisher();
    publisher.sql(BenchTable.CREATE);
    publisher.sql("CREATE PUBLICATION bench_pub FOR TABLE bench");
    double[] millis = new double[COMMITS];
    try (MillraceApi.Session session = publisher.openSession()) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COMMITS; i++) {
          long id = (long) round * COMMITS + i;
          long start = System.nanoTime();
          session.sql("INSERT INTO bench VALUES (" + id + ", 'row number " + id + "', " + id + ")");
          millis[i] = (System.nanoTime() - start) / 1e6;
        }
      }
    }
    Arrays.sort(millis);
    figures.put("commit_ms", millis[COMMITS / 2]);
  }
}
