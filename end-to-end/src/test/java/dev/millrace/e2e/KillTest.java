package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.Replication;
import dev.millrace.tools.ServiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * R1: kill -9 of either service while tables are copied and while changes flow. Afterwards both
 * sides are equal, every acknowledged transaction is there once, and nothing temporary is left.
 */
@DisplayName("kill -9 under load")
class KillTest {

  private static final long WAIT_MS = 180_000;
  private static final int TABLES = 3;
  private static final int PAGE = 20_000;
  private static final int COPIED_ROWS = 20_000;

  private final int rounds = Integer.getInteger("millrace.test.kill-rounds", 4);
  private final long seed = Long.getLong("millrace.test.seed", System.nanoTime());

  @TempDir Path directory;
  private ServiceProcess publisher;
  private ServiceProcess subscriber;
  private KillLoad load;

  @BeforeEach
  void start() throws Exception {
    System.out.println("kill test seed: -Dmillrace.test.seed=" + seed);
    publisher =
        ServiceLauncher.publisher(
            directory,
            "--millrace.settings.logical_decoding_work_mem=64kB",
            "--millrace.settings.checkpoint_timeout=30s");
    subscriber =
        ServiceLauncher.subscriber(
            directory,
            "--millrace.settings.wal_retrieve_retry_interval=200ms",
            "--millrace.settings.wal_receiver_status_interval=1s");
    publisher.launch();
    subscriber.start();
    publisher.awaitReady();
    for (int i = 0; i < TABLES; i++) {
      String create = "CREATE TABLE k%d (id int PRIMARY KEY, v text, n int)".formatted(i);
      publisher.api().sql(create);
      subscriber.api().sql(create);
      publisher
          .api()
          .sql(
              "INSERT INTO k%d SELECT -x, 'copied', 0 FROM generate_series(1, %d) AS g(x)"
                  .formatted(i, COPIED_ROWS));
    }
    publisher.api().sql("CREATE PUBLICATION kp FOR TABLE k0, k1, k2");
    load = new KillLoad(publisher.api(), TABLES, seed);
  }

  @AfterEach
  void stop() {
    load.stop();
    subscriber.close();
    publisher.close();
  }

  private void subscribe() {
    subscriber
        .api()
        .sql(
            "CREATE SUBSCRIPTION ks CONNECTION 'host=127.0.0.1 port=%s dbname=testdb' PUBLICATION kp"
                .formatted(publisher.api().baseUrl().replaceAll(".*:", "")));
  }

  @Test
  @DisplayName("R1 the publisher is killed again and again: nothing lost, doubled or left over")
  void publisherKilled() throws Exception {
    killRepeatedly(publisher);
  }

  @Test
  @DisplayName("R1 the subscriber is killed again and again: nothing lost, doubled or left over")
  void subscriberKilled() throws Exception {
    killRepeatedly(subscriber);
  }

  private void killRepeatedly(ServiceProcess victim) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    load.start();
    subscribe();
    for (int round = 0; round < rounds; round++) {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(round == 0 ? 600 : 4_000));
      victim.kill();
      victim.start();
    }
    TimeUnit.MILLISECONDS.sleep(1_000);
    load.stop();
    Replication.awaitSynced(subscriber.api(), "ks", WAIT_MS);
    Replication.awaitCaughtUp(publisher.api(), "ks", WAIT_MS);
    for (int i = 0; i < TABLES; i++) {
      assertSame(i);
    }
    assertThat(load.acknowledged()).as("transactions, seed %d", seed).isPositive();
    assertNothingLeft();
  }

  /** Page by page, so that the test needs no more memory for longer runs. */
  private void assertSame(int table) {
    KillLoad.Acknowledged acknowledged = load.acknowledged(table);
    String last = String.valueOf(Integer.MIN_VALUE);
    List<List<String>> atPublisher;
    do {
      atPublisher = rowsAfter(publisher.api(), table, last);
      assertSame(table, rowsAfter(subscriber.api(), table, last), atPublisher);
      atPublisher.forEach(acknowledged::see);
      last = atPublisher.isEmpty() ? last : atPublisher.get(atPublisher.size() - 1).get(0);
    } while (atPublisher.size() == PAGE);
    acknowledged.assertAllSeen();
  }

  /** Fails with the rows that differ rather than with all of them. */
  private void assertSame(
      int table, List<List<String>> atSubscriber, List<List<String>> atPublisher) {
    Set<List<String>> missing = new LinkedHashSet<>(atPublisher);
    atSubscriber.forEach(missing::remove);
    Set<List<String>> extra = new LinkedHashSet<>(atSubscriber);
    atPublisher.forEach(extra::remove);
    assertThat(missing).as("missing at the subscriber in k%d, seed %d", table, seed).isEmpty();
    assertThat(extra).as("at the subscriber only in k%d, seed %d", table, seed).isEmpty();
    assertThat(atSubscriber).as("rows of k%d, seed %d", table, seed).hasSameSizeAs(atPublisher);
  }

  private static List<List<String>> rowsAfter(MillraceApi api, int table, String id) {
    return api.rows(
        "SELECT * FROM k%d WHERE id > %s ORDER BY id LIMIT %d".formatted(table, id, PAGE));
  }

  private void assertNothingLeft() throws IOException {
    MillraceApi api = publisher.api();
    await()
        .atMost(Duration.ofMillis(WAIT_MS))
        .untilAsserted(
            () ->
                assertThat(api.rows("SELECT slot_name FROM pg_replication_slots"))
                    .as("slots, seed %d", seed)
                    .isEqualTo(List.of(List.of("ks"))));
    assertThat(subscriber.api().rows("SELECT roname FROM pg_replication_origin")).hasSize(1);
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(
              files
                  .map(Path::toString)
                  .filter(file -> file.endsWith(".spill") || file.endsWith(".tmp")))
          .as("temporary files, seed %d", seed)
          .isEmpty();
    }
  }
}
