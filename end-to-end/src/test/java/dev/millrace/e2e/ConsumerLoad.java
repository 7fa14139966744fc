package dev.millrace.e2e;

import dev.millrace.tools.MillraceApi;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writers that go on while the publisher dies: small transactions, large ones that stay open for a
 * while and are streamed, and prepared ones that end in another call or are left over.
 */
final class ConsumerLoad {

  private static final int PAGE = 50_000;
  private static final int LARGE_ROWS = 2_000;

  private final SqlNode node;
  private final long seed;
  private final AtomicInteger nextKey = new AtomicInteger(1);
  private final AtomicInteger nextLabel = new AtomicInteger(1);
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean running = true;

  /**
   * @param node takes the transactions: the publisher itself or its source
   */
  ConsumerLoad(SqlNode node, long seed) {
    this.node = node;
    this.seed = seed;
  }

  /** One transaction of a writer. */
  @FunctionalInterface
  private interface Transaction {
    void run(SplittableRandom random);
  }

  void start() {
    begin("small", this::small);
    begin("large", this::large);
    begin("prepared", this::prepared);
  }

  private void begin(String name, Transaction transaction) {
    SplittableRandom random = new SplittableRandom(seed * 31 + threads.size());
    Thread thread =
        new Thread(
            () -> {
              while (running) {
                attempt(transaction, random);
              }
            },
            name);
    threads.add(thread);
    thread.start();
  }

  private static void attempt(Transaction transaction, SplittableRandom random) {
    try {
      transaction.run(random);
      pause(10);
    } catch (UncheckedIOException | MillraceApi.Refused | SqlNode.Failed e) {
      pause(100);
    }
  }

  private static void pause(int millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    running = false;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    threads.clear();
  }

  private String label() {
    return "t" + nextLabel.getAndIncrement();
  }

  private String insert(String label, int rows) {
    int from = nextKey.getAndAdd(rows);
    return "INSERT INTO c SELECT x, '%s' FROM generate_series(%d, %d) AS g(x)"
        .formatted(label, from, from + rows - 1);
  }

  private void small(SplittableRandom random) {
    String label = label();
    node.sql(
        "BEGIN; %s; %s; %s"
            .formatted(
                insert(label, 1),
                insert(label, 3),
                random.nextInt(6) == 0 ? "ROLLBACK" : "COMMIT"));
  }

  private void large(SplittableRandom random) {
    String label = label();
    try (SqlNode.Session session = node.open()) {
      session.sql("BEGIN");
      session.sql(insert(label, LARGE_ROWS));
      session.sql("SAVEPOINT s; " + insert("gone", LARGE_ROWS) + "; ROLLBACK TO s");
      pause(random.nextInt(200));
      session.sql("SAVEPOINT s; " + insert(label, LARGE_ROWS) + "; RELEASE s");
      session.sql(random.nextInt(5) == 0 ? "ROLLBACK" : "COMMIT");
    }
  }

  private void prepared(SplittableRandom random) {
    String label = label();
    int rows = random.nextBoolean() ? 3 : LARGE_ROWS;
    try (SqlNode.Session session = node.open()) {
      session.sql("BEGIN; %s; PREPARE TRANSACTION '%s'".formatted(insert(label, rows), label));
    }
    pause(random.nextInt(100));
    node.sql((random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT") + " PREPARED '" + label + "'");
  }

  /** Commits what a kill has left prepared. */
  void finishPrepared() {
    for (List<String> row : node.rows("SELECT gid FROM pg_prepared_xacts")) {
      node.sql("COMMIT PREPARED '" + row.get(0) + "'");
    }
  }

  /** The rows that are there. */
  RowDigests rows() {
    RowDigests rows = new RowDigests();
    String last = "0";
    List<List<String>> page;
    do {
      page =
          node.rows("SELECT id, v FROM c WHERE id > %s ORDER BY id LIMIT %d".formatted(last, PAGE));
      page.forEach(row -> rows.add(Integer.parseInt(row.get(0)), row.get(1)));
      last = page.isEmpty() ? last : page.get(page.size() - 1).get(0);
    } while (page.size() == PAGE);
    return rows;
  }
}
