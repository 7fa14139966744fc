package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.tools.ServiceProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The publisher is killed with streamed and prepared transactions open. A consumer that keeps the
 * end of what it received whole, and asks for the stream from there, receives each committed
 * transaction exactly once, in commit order.
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
  private StreamConsumer consumer;

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
    publisher
        .api()
        .post("/api/v1/slots", Map.of("slot_name", "cs", "plugin", "pgoutput", "two_phase", true));
    load = new ConsumerLoad(node, seed);
    String port = publisher.api().baseUrl().replaceAll(".*:", "");
    String dbname = publisher.api().get("/api/v1/slots/cs").get("database").asString();
    consumer = new StreamConsumer("host=127.0.0.1 port=" + port + " dbname=" + dbname, "cs", "cp");
  }

  @AfterEach
  void stop() throws Exception {
    if (load != null) {
      load.stop();
      consumer.close();
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
    killRepeatedly();
  }

  @Test
  @DisplayName("PostgreSQL as source: each committed transaction arrives whole, once, in order")
  void rowsOfASource() throws Exception {
    startWithSource();
    killRepeatedly();
  }

  private void killRepeatedly() throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    consumer.start();
    load.start();
    for (int round = 0; round < rounds; round++) {
      TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(3_000));
      publisher.kill();
      publisher.start();
    }
    TimeUnit.MILLISECONDS.sleep(1_000);
    load.stop();
    load.finishPrepared();
    long rows = Long.parseLong(node.rows("SELECT count(*) FROM c").get(0).get(0));
    await()
        .atMost(Duration.ofSeconds(WAIT_SECONDS))
        .until(() -> consumer.failure() != null || consumer.rows() >= rows);
    assertThat(consumer.failure()).as("seed %d", seed).isNull();
    List<StreamConsumer.Delivered> delivered = consumer.delivered();
    assertOrder(delivered);
    assertWhole(delivered);
    assertThat(consumer.streamed()).as("streamed transactions, seed %d", seed).isPositive();
    assertThat(consumer.prepared()).as("prepared transactions, seed %d", seed).isPositive();
  }

  private void assertOrder(List<StreamConsumer.Delivered> delivered) {
    for (int i = 1; i < delivered.size(); i++) {
      assertThat(delivered.get(i).commitLsn())
          .as("commit LSN of transaction %d, seed %d", i, seed)
          .isGreaterThan(delivered.get(i - 1).commitLsn());
    }
  }

  /** A transaction writes its label into each of its rows. */
  private void assertWhole(List<StreamConsumer.Delivered> delivered) {
    Map<String, RowDigests.Digest> received = new HashMap<>();
    for (StreamConsumer.Delivered transaction : delivered) {
      Map<String, RowDigests.Digest> own = transaction.rows().byLabel();
      assertThat(own).as("labels of one transaction, seed %d", seed).hasSize(1);
      own.forEach(
          (label, rows) ->
              assertThat(received.put(label, rows)).as("%s twice, seed %d", label, seed).isNull());
    }
    assertThat(received)
        .as("rows by label, received and committed, seed %d", seed)
        .containsExactlyInAnyOrderEntriesOf(load.rows().byLabel());
  }
}
