package dev.millrace.subscriber.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.subscriber.RunningSubscriber;
import dev.millrace.subscriber.fake.ModelPublisher;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A full disk under the target database")
class FullDiskTest {

  @TempDir Path dataDir;

  @AfterEach
  void makeRoom() {
    FullFilePath.full(false);
  }

  @Test
  @DisplayName(
      "refuses writers with 53100, lets readers go on, and passes without a restart and without loss")
  void passes() throws Exception {
    try (ModelPublisher publisher = new ModelPublisher()) {
      publisher.createTable("t", "id", "v");
      publisher.commit(t -> t.insert("t", "1", "a"));
      try (RunningSubscriber subscriber = start()) {
        subscribe(subscriber, publisher);
        FullFilePath.full(true);

        RunningSubscriber.Answer first = subscriber.sql("insert into own values (1)");
        assertThat(first.text("sqlstate")).isEqualTo("53100");
        assertThat(first.text("detail"))
            .startsWith("could not write to file \"target.mv.db\": No space left on device");
        RunningSubscriber.Answer second = subscriber.sql("insert into own values (2)");
        assertThat(second.text("sqlstate")).isEqualTo("53100");
        assertThat(second.text("hint")).isEqualTo("Check free disk space.");
        assertThat(subscriber.sql("create table other (id int)").text("sqlstate"))
            .isEqualTo("53100");
        assertThat(subscriber.sql("alter subscription sub disable").text("sqlstate"))
            .isEqualTo("53100");
        publisher.commit(t -> t.insert("t", "2", "b"));
        awaitWorkerError(subscriber);

        assertThat(subscriber.rows("select v from t where id = 1").get(0)).containsExactly("a");
        assertThat(subscriber.get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(subscriber.get("/actuator/health/readiness").status()).isEqualTo(503);
        assertThat(subscriber.text("/api/v1/status")).contains("No space left on device");

        FullFilePath.full(false);
        await()
            .untilAsserted(
                () ->
                    assertThat(subscriber.sql("insert into own values (3)").status())
                        .isEqualTo(200));
        await()
            .untilAsserted(
                () -> assertThat(subscriber.rows("select v from t where id = 2")).hasSize(1));
        assertThat(subscriber.get("/actuator/health/readiness").status()).isEqualTo(200);
        // What was refused before it began is not there; of the first the answer said that it is.
        boolean committed = first.text("errdetail") != null;
        assertThat(subscriber.rows("select id from own order by id"))
            .hasSize(committed ? 2 : 1)
            .noneMatch(row -> row.contains("2"));
      }
    }
  }

  @Test
  @DisplayName("does not keep the service from stopping, and a start with room has lost nothing")
  void stops() throws Exception {
    try (ModelPublisher publisher = new ModelPublisher()) {
      publisher.createTable("t", "id", "v");
      publisher.commit(t -> t.insert("t", "1", "a"));
      try (RunningSubscriber subscriber = start()) {
        subscribe(subscriber, publisher);
        FullFilePath.full(true);
        publisher.commit(t -> t.insert("t", "2", "b"));
        awaitWorkerError(subscriber);
      }
      FullFilePath.full(false);
      try (RunningSubscriber again = start()) {
        publisher.commit(t -> t.insert("t", "3", "c"));
        await().untilAsserted(() -> assertThat(again.rows("select id from t")).hasSize(3));
      }
    }
  }

  /** Not in the list of workers, where one that ends at once is seldom seen. */
  private static void awaitWorkerError(RunningSubscriber subscriber) {
    await()
        .untilAsserted(
            () ->
                assertThat(subscriber.text("/api/v1/status"))
                    .contains("subscription \\\"sub\\\": could not write to file"));
  }

  private RunningSubscriber start() {
    FullFilePath.register();
    return new RunningSubscriber(
        dataDir,
        "--spring.datasource.url=jdbc:h2:patient:full:"
            + dataDir.resolve("target")
            + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
            + ";DB_CLOSE_ON_EXIT=FALSE;BUILTIN_ALIAS_OVERRIDE=TRUE;TIME ZONE=UTC");
  }

  private static void subscribe(RunningSubscriber subscriber, ModelPublisher publisher) {
    subscriber.sql("create table t (id int primary key, v text); create table own (id int)");
    RunningSubscriber.Answer created =
        subscriber.sql(
            "create subscription sub connection '"
                + publisher.connection()
                + "' publication pub with (disable_on_error = true)");
    assertThat(created.status()).as(String.valueOf(created.body())).isEqualTo(200);
    await()
        .untilAsserted(
            () ->
                assertThat(subscriber.rows("select srsubstate from pg_subscription_rel").get(0))
                    .containsExactly("r"));
  }
}
