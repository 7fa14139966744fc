package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.Replication;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I1: rows go all the way from a PostgreSQL server over both services, while it is being used. */
@DisplayName("From a PostgreSQL server to a subscriber")
class SourceScenariosTest {

  private static final int EXISTING = 3_000;
  private static final List<String> QUERIES =
      List.of(
          "SELECT id, v, n FROM a ORDER BY id",
          "SELECT id, v, n FROM b ORDER BY id, n, v",
          "SELECT count(*) FROM only_copied");

  private final long seed = Long.getLong("millrace.test.seed", System.nanoTime());
  private final AtomicInteger transactions = new AtomicInteger();
  private final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
  private final List<Thread> writers = new ArrayList<>();
  private volatile boolean writing = true;

  @TempDir Path directory;
  private EmbeddedPostgres server;
  private SqlNode source;
  private Pair pair;

  @BeforeEach
  void start() throws Exception {
    System.out.println("source scenarios seed: -Dmillrace.test.seed=" + seed);
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("wal_level", "logical")
            .setServerConfig("logical_decoding_work_mem", "64kB")
            .start();
    String url = server.getJdbcUrl("postgres", "postgres");
    source = SqlNode.ofPostgres(url);
    source.sql("CREATE TABLE a (id int PRIMARY KEY, v text, n int)");
    source.sql("CREATE TABLE b (id int, v text, n int)");
    source.sql("CREATE TABLE only_copied (id int PRIMARY KEY)");
    source.sql("ALTER TABLE b REPLICA IDENTITY FULL");
    for (String table : List.of("a", "b")) {
      source.sql(
          "INSERT INTO %s SELECT -x, 'there before', 0 FROM generate_series(1, %d) x"
              .formatted(table, EXISTING));
    }
    source.sql("INSERT INTO only_copied SELECT generate_series(1, 100)");
    source.sql("CREATE PUBLICATION millrace FOR TABLE a, b, only_copied");
    pair =
        new Pair(
            directory,
            "--millrace.source.url=" + url,
            "--millrace.source.retry-interval=200ms",
            "--millrace.settings.logical_decoding_work_mem=64kB");
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2; i++) {
      int first = i * 1_000_000;
      SplittableRandom own = random.split();
      Thread writer = new Thread(() -> write(first, own));
      writer.start();
      writers.add(writer);
    }
  }

  @AfterEach
  void stop() throws Exception {
    endWriters();
    pair.close();
    server.close();
  }

  private void endWriters() throws InterruptedException {
    writing = false;
    for (Thread writer : writers) {
      writer.join();
    }
  }

  /** Each writer has keys of its own, so that none waits for the other for long. */
  private void write(int first, SplittableRandom random) {
    try (SqlNode.Session session = source.open()) {
      for (int id = first; writing; id += 10) {
        session.sql("BEGIN");
        int rows = random.nextInt(30) == 0 ? 300 : 5;
        for (String table : List.of("a", "b")) {
          session.sql(
              "INSERT INTO %s SELECT x, repeat('v', 100), 1 FROM generate_series(%d, %d) x"
                  .formatted(table, id, id + rows - 1));
        }
        session.sql("SAVEPOINT s");
        session.sql("UPDATE a SET n = n + 1 WHERE id BETWEEN %d AND %d".formatted(id - 9, id));
        session.sql("DELETE FROM b WHERE id = " + (id + 1));
        session.sql(random.nextInt(4) == 0 ? "ROLLBACK TO s" : "RELEASE s");
        session.sql("UPDATE a SET id = -%d - id WHERE id = %d".formatted(10_000_000, id + 2));
        session.sql(random.nextInt(8) == 0 ? "ROLLBACK" : "COMMIT");
        session.sql("SELECT pg_sleep(0.01)");
        id += rows;
        transactions.incrementAndGet();
      }
    } catch (RuntimeException e) {
      failures.add(e);
    }
  }

  private void awaitTransactions(int more) {
    int enough = transactions.get() + more;
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> transactions.get() >= enough || !failures.isEmpty());
    assertThat(failures).isEmpty();
  }

  @Test
  @DisplayName(
      "copied under load, followed, and over restarts of both services, the tables end up equal")
  void sameRows() throws Exception {
    MillraceApi subscriber = pair.subscriber();
    for (String table : List.of("a", "b")) {
      String key = table.equals("a") ? " PRIMARY KEY" : "";
      subscriber.sql("CREATE TABLE %s (id int%s, v text, n int)".formatted(table, key));
    }
    subscriber.sql("CREATE TABLE only_copied (id int PRIMARY KEY)");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                pair.publisher()
                    .value("SELECT count(*) FROM pg_class WHERE relname = 'only_copied'")
                    .equals("1"));
    pair.publisher().sql("CREATE PUBLICATION p FOR TABLE a, b, only_copied");
    pair.subscribe("s", "p", null);
    Replication.awaitSynced(subscriber, "s", Pair.WAIT_MS);
    awaitTransactions(20);
    pair.publisherNode.stop();
    awaitTransactions(20);
    pair.publisherNode.start();
    awaitTransactions(20);
    pair.subscriberNode.stop();
    awaitTransactions(20);
    pair.subscriberNode.start();
    awaitTransactions(20);
    endWriters();
    assertThat(failures).isEmpty();
    for (String query : QUERIES) {
      List<List<String>> expected = source.rows(query);
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(200))
          .untilAsserted(
              () ->
                  assertThat(pair.subscriber().rows(query).equals(expected))
                      .as("%s, seed %d", query, seed)
                      .isTrue());
    }
  }
}
