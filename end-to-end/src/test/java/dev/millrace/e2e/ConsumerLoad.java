package dev.millrace.e2e;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Writers that go on while the publisher dies: small transactions, large ones that stay open for a
 * while and are streamed, and prepared ones that end in another call or are left over.
 */
final class ConsumerLoad {

  /** What the labels of transactions from elsewhere begin with. */
  static final String FOREIGN = "f";

  private static final int PAGE = 50_000;
  private static final int LARGE_ROWS = 2_000;

  private final SqlNode node;
  private final AtomicInteger nextKey = new AtomicInteger(1);
  private final AtomicInteger nextLabel = new AtomicInteger(1);
  private final Writers writers;

  /**
   * @param node takes the transactions: the publisher itself or its source
   */
  ConsumerLoad(SqlNode node, long seed) {
    this.node = node;
    this.writers = new Writers(seed, 10, 100);
  }

  /** Another writer, which replays what came from an origin. */
  void withForeign() {
    node.sql("SELECT pg_replication_origin_create('elsewhere')");
    writers.begin("foreign", this::foreign);
  }

  void start() {
    writers.begin("small", this::small);
    writers.begin("large", this::large);
    writers.begin("prepared", this::prepared);
  }

  void stop() {
    writers.stop();
  }

  private String label() {
    return "t" + nextLabel.getAndIncrement();
  }

  private static String message(String label) {
    return "SELECT pg_logical_emit_message(true, 'm', '" + label + "')";
  }

  private void foreign(SplittableRandom random) {
    String label = FOREIGN + label();
    try (SqlNode.Session session = node.open()) {
      session.sql("SELECT pg_replication_origin_session_setup('elsewhere')");
      session.sql("BEGIN; " + insert(label, random.nextBoolean() ? 2 : LARGE_ROWS));
      session.sql(message(label) + "; COMMIT");
    }
  }

  private String insert(String label, int rows) {
    int from = nextKey.getAndAdd(rows);
    return "INSERT INTO c SELECT x, '%s' FROM generate_series(%d, %d) AS g(x)"
        .formatted(label, from, from + rows - 1);
  }

  private void small(SplittableRandom random) {
    String label = label();
    node.sql(
        "BEGIN; %s; %s; %s; %s"
            .formatted(
                insert(label, 1),
                message(label),
                insert(label, 3),
                random.nextInt(6) == 0 ? "ROLLBACK" : "COMMIT"));
  }

  private void large(SplittableRandom random) {
    String label = label();
    try (SqlNode.Session session = node.open()) {
      session.sql("BEGIN");
      session.sql(insert(label, LARGE_ROWS) + "; " + message(label));
      session.sql("SAVEPOINT s; " + insert("gone", LARGE_ROWS) + "; ROLLBACK TO s");
      Writers.pause(random.nextInt(200));
      session.sql("SAVEPOINT s; " + insert(label, LARGE_ROWS) + "; RELEASE s");
      session.sql(random.nextInt(5) == 0 ? "ROLLBACK" : "COMMIT");
    }
  }

  private void prepared(SplittableRandom random) {
    String label = label();
    int rows = random.nextBoolean() ? 3 : LARGE_ROWS;
    try (SqlNode.Session session = node.open()) {
      session.sql(
          "BEGIN; %s; %s; PREPARE TRANSACTION '%s'"
              .formatted(insert(label, rows), message(label), label));
    }
    Writers.pause(random.nextInt(100));
    node.sql((random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT") + " PREPARED '" + label + "'");
  }

  /** Commits what a kill has left prepared. */
  void finishPrepared() {
    for (List<String> row : node.rows("SELECT gid FROM pg_prepared_xacts")) {
      node.sql("COMMIT PREPARED '" + row.get(0) + "'");
    }
  }

  /**
   * The rows that are there.
   *
   * @param messages count the message of each transaction as a row of it
   */
  RowDigests rows(IntPredicate keys, Predicate<String> labels, boolean messages) {
    RowDigests rows = new RowDigests();
    String last = "0";
    List<List<String>> page;
    do {
      page =
          node.rows("SELECT id, v FROM c WHERE id > %s ORDER BY id LIMIT %d".formatted(last, PAGE));
      for (List<String> row : page) {
        int key = Integer.parseInt(row.get(0));
        if (keys.test(key) && labels.test(row.get(1))) {
          rows.add(key, row.get(1));
        }
      }
      last = page.isEmpty() ? last : page.get(page.size() - 1).get(0);
    } while (page.size() == PAGE);
    if (messages) {
      List.copyOf(rows.byLabel().keySet())
          .forEach(label -> rows.add(StreamConsumer.MESSAGE, label));
    }
    return rows;
  }
}
