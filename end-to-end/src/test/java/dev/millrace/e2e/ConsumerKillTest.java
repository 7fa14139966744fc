package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.tools.ServiceProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The publisher is killed with streamed and prepared transactions open, and consumers let go of
 * their connections anywhere. One that keeps the end of what it received whole, and asks for the
 * stream from there, receives each committed transaction exactly once, in commit order, whatever
 * options it asks for.
 */
@DisplayName("kill -9 of the publisher under a consumer that keeps its LSN")
class ConsumerKillTest {

  private static final int WAIT_SECONDS = 120;

  private final int rounds = Integer.getInteger("millrace.test.kill-rounds", 4);
  private final long seed = Long.getLong("millrace.test.seed", System.nanoTime());

  @TempDir Path directory;
  private ServiceProcess publisher;
  private EmbeddedPostgres server;
  private SqlNode node;
  private ConsumerLoad load;
  private final List<Watched> consumers = new ArrayList<>();

  /** A consumer and what it should receive: rows by their keys and labels. */
  private record Watched(
      String options, StreamConsumer consumer, IntPredicate keys, Predicate<String> labels) {

    Map<String, RowDigests.Digest> expected(ConsumerLoad load) {
      return load.rows(keys, labels, options.contains("messages")).byLabel();
    }
  }

  @BeforeEach
  void announceSeed() {
    System.out.println("consumer kill test seed: -Dmillrace.test.seed=" + seed);
  }

  /** Over the embedded database. */
  private void startOwn() throws Exception {
    publisher =
        ServiceLauncher.publisher(
            directory,
            "--millrace.settings.logical_decoding_work_mem=64kB",
            "--millrace.settings.max_prepared_transactions=20",
            "--millrace.settings.checkpoint_timeout=30s");
    publisher.start();
    node = SqlNode.of(publisher.api());
    node.sql("CREATE TABLE c (id int PRIMARY KEY, v text)");
    begin();
  }

  /** Over a PostgreSQL server. */
  private void startWithSource() throws Exception {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("wal_level", "logical")
            .setServerConfig("max_prepared_transactions", "20")
            .setServerConfig("logical_decoding_work_mem", "64kB")
            .start();
    String url = server.getJdbcUrl("postgres", "postgres");
    node = SqlNode.ofPostgres(url);
    node.sql("CREATE TABLE c (id int PRIMARY KEY, v text)");
    node.sql("CREATE PUBLICATION millrace FOR TABLE c");
    publisher =
        ServiceLauncher.publisher(
            directory,
            "--millrace.source.url=" + url,
            "--millrace.source.retry-interval=200ms",
            "--millrace.settings.logical_decoding_work_mem=64kB",
            "--millrace.settings.max_prepared_transactions=20",
            "--millrace.settings.checkpoint_timeout=30s");
    publisher.start();
    await()
        .atMost(Duration.ofSeconds(WAIT_SECONDS))
        .until(() -> !publisher.api().rows("SELECT 1 FROM pg_class WHERE relname = 'c'").isEmpty());
    begin();
  }

  private void begin() {
    publisher.api().sql("CREATE PUBLICATION cp FOR TABLE c");
    load = new ConsumerLoad(node, seed);
    consume(
        "proto_version '4', streaming 'on', two_phase 'on', publication_names 'cp'",
        key -> true,
        label -> true);
  }

  /** Side by side with the first: other protocols, formats, origins and rows. */
  private void consumeOtherwise() {
    publisher.api().sql("CREATE PUBLICATION cf FOR TABLE c WHERE (id % 2 = 0)");
    consume("proto_version '1', publication_names 'cp'", key -> true, label -> true);
    consume(
        "proto_version '4', streaming 'parallel', binary 'on', messages 'on',"
            + " publication_names 'cp'",
        key -> true,
        label -> true);
    consume(
        "proto_version '3', two_phase 'on', origin 'none', publication_names 'cp'",
        key -> true,
        label -> !label.startsWith(ConsumerLoad.FOREIGN));
    consume(
        "proto_version '2', streaming 'on', publication_names 'cf'",
        key -> key % 2 == 0,
        label -> true);
  }

  private void consume(String options, IntPredicate keys, Predicate<String> labels) {
    String slot = "cs" + consumers.size();
    boolean twoPhase = options.contains("two_phase");
    publisher
        .api()
        .post(
            "/api/v1/slots",
            Map.of("slot_name", slot, "plugin", "pgoutput", "two_phase", twoPhase));
    String port = publisher.api().baseUrl().replaceAll(".*:", "");
    String dbname = publisher.api().get("/api/v1/slots/" + slot).get("database").asString();
    String connection = "host=127.0.0.1 port=" + port + " dbname=" + dbname;
    StreamConsumer consumer =
        new StreamConsumer(connection, slot, options, seed + consumers.size());
    consumers.add(new Watched(options, consumer, keys, labels));
  }

  @AfterEach
  void stop() throws Exception {
    if (load != null) {
      load.stop();
      consumers.forEach(each -> each.consumer.close());
    }
    publisher.close();
    if (server != null) {
      server.close();
    }
  }

  @Test
  @DisplayName("embedded database: each committed transaction arrives whole, once, in commit order")
  void ownRows() throws Exception {
    startOwn();
    consumeOtherwise();
    load.withForeign();
    killRepeatedly();
    assertThat(consumers.stream().mapToInt(each -> each.consumer.dropped()).sum())
        .as("connections the consumers let go of, seed %d", seed)
        .isPositive();
  }

  @Test
  @DisplayName("PostgreSQL as source: each committed transaction arrives whole, once, in order")
  void rowsOfASource() throws Exception {
    startWithSource();
    killRepeatedly();
  }

  private void killRepeatedly() throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    consumers.forEach(each -> each.consumer.start());
    load.start();
    for (int round = 0; round < rounds; round++) {
      TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(3_000));
      publisher.kill();
      publisher.start();
    }
    TimeUnit.MILLISECONDS.sleep(1_000);
    load.stop();
    load.finishPrepared();
    for (Watched each : consumers) {
      assertReceived(each);
    }
  }

  private void assertReceived(Watched watched) {
    String about = watched.options + ", seed " + seed;
    Map<String, RowDigests.Digest> expected = watched.expected(load);
    long rows = expected.values().stream().mapToLong(RowDigests.Digest::rows).sum();
    StreamConsumer consumer = watched.consumer;
    await(about)
        .atMost(Duration.ofSeconds(WAIT_SECONDS))
        .until(() -> consumer.failure() != null || consumer.rows() >= rows);
    assertThat(consumer.failure()).as(about).isNull();
    List<StreamConsumer.Delivered> delivered = consumer.delivered();
    assertOrder(about, delivered);
    assertWhole(about, delivered, expected);
    if (watched.options.contains("streaming")) {
      assertThat(consumer.streamed()).as("streamed transactions, %s", about).isPositive();
    }
    if (watched.options.contains("two_phase")) {
      assertThat(consumer.prepared()).as("prepared transactions, %s", about).isPositive();
    }
  }

  private static void assertOrder(String about, List<StreamConsumer.Delivered> delivered) {
    for (int i = 1; i < delivered.size(); i++) {
      assertThat(delivered.get(i).commitLsn())
          .as("commit LSN of transaction %d, %s", i, about)
          .isGreaterThan(delivered.get(i - 1).commitLsn());
    }
  }

  /** A transaction writes its label into each of its rows. */
  private static void assertWhole(
      String about,
      List<StreamConsumer.Delivered> delivered,
      Map<String, RowDigests.Digest> expected) {
    Map<String, RowDigests.Digest> received = new HashMap<>();
    for (StreamConsumer.Delivered transaction : delivered) {
      Map<String, RowDigests.Digest> own = transaction.rows().byLabel();
      assertThat(own).as("labels of one transaction, %s", about).hasSize(1);
      own.forEach(
          (label, rows) ->
              assertThat(received.put(label, rows)).as("%s twice, %s", label, about).isNull());
    }
    assertThat(received)
        .as("rows by label, received and committed, %s", about)
        .containsExactlyInAnyOrderEntriesOf(expected);
  }
}
