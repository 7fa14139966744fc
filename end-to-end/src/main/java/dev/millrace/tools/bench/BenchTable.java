package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.Replication;
import dev.millrace.tools.TwoServices;

/** The table every workload writes: an int key, a short text, an int. */
final class BenchTable {

  static final String CREATE = "CREATE TABLE bench (id int PRIMARY KEY, v text, n int)";

  private BenchTable() {}

  /** One INSERT of the rows {@code from} to {@code to}. */
  static String insert(long from, long to) {
    return "INSERT INTO bench SELECT x, 'row number ' || x, x FROM generate_series("
        + from
        + ", "
        + to
        + ") AS g(x)";
  }

  static void createAndSubscribe(TwoServices services) {
    services.publisher().sql(CREATE);
    services.publisher().sql("CREATE PUBLICATION bench_pub FOR TABLE bench");
    services.subscriber().sql(CREATE);
    services
        .subscriber()
        .sql(
            "CREATE SUBSCRIPTION bench_sub CONNECTION '"
                + services.connection()
                + "' PUBLICATION bench_pub");
    Replication.awaitSynced(services.subscriber(), "bench_sub", 60_000);
  }

  /** Waits until the row is visible at the subscriber, asking rarely since asking costs it CPU. */
  static void awaitRow(MillraceApi subscriber, long id, long timeoutMs) {
    Replication.await(
        "row " + id + " at the subscriber",
        timeoutMs,
        50,
        () -> !subscriber.rows("SELECT n FROM bench WHERE id = " + id).isEmpty());
  }

  /** Waits until the subscriber has that many rows. */
  static void awaitCount(MillraceApi subscriber, long count, long timeoutMs) {
    Replication.await(
        count + " rows at the subscriber",
        timeoutMs,
        () -> Long.parseLong(subscriber.value("SELECT count(*) FROM bench")) == count);
  }
}
