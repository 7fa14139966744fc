package dev.millrace.subscriber.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.subscriber.RunningSubscriber;
import dev.millrace.subscriber.RunningSubscriber.Answer;
import dev.millrace.subscriber.fake.ScriptedPublisher;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Subscriptions over REST")
class SubscriptionRestTest {

  private static final String SUBSCRIPTIONS = "/api/v1/subscriptions";
  private static final String MYSUB = SUBSCRIPTIONS + "/mysub";

  @TempDir static Path dataDir;
  private static RunningSubscriber subscriber;
  private ScriptedPublisher publisher;

  @BeforeAll
  static void start() {
    subscriber = new RunningSubscriber(dataDir);
    subscriber.sql("create table t1 (id int primary key); create table t2 (id int primary key)");
  }

  @AfterAll
  static void stop() {
    subscriber.close();
  }

  @BeforeEach
  void open() throws Exception {
    publisher = new ScriptedPublisher();
    publisher.publish("p1", "t1");
    publisher.publish("p2", "t2");
  }

  @AfterEach
  void close() throws Exception {
    subscriber.post(MYSUB + "/disable", null);
    subscriber.patch(MYSUB, "{\"slot_name\":\"NONE\"}");
    subscriber.delete(MYSUB);
    publisher.close();
  }

  private Answer create(String more) {
    return subscriber.post(
        SUBSCRIPTIONS,
        "{\"name\":\"mysub\",\"connection\":\""
            + publisher.connection()
            + " user=u password=se_cret\",\"publications\":[\"p1\"]"
            + more
            + "}");
  }

  @Test
  @DisplayName("POST answers 201, Location, the row and its warnings, without the password")
  void create() {
    Answer answer =
        subscriber.post(
            SUBSCRIPTIONS,
            "{\"name\":\"mysub\",\"connection\":\""
                + publisher.connection()
                + " password=se_cret\",\"publications\":[\"p1\",\"nope\"],\"copy_data\":false}");

    assertThat(answer.status()).as("%s", answer.body()).isEqualTo(201);
    assertThat(answer.headers().get("location").get(0)).endsWith(MYSUB);
    assertThat(answer.text("subname")).isEqualTo("mysub");
    assertThat(answer.text("subslotname")).isEqualTo("mysub");
    assertThat(answer.text("subconninfo")).contains("password=********");
    assertThat(answer.body().get("warnings").get(0).get("message").asString())
        .isEqualTo("publication \"nope\" does not exist on the publisher");
    assertThat(answer.body().toString()).doesNotContain("se_cret");
    assertThat(subscriber.get(SUBSCRIPTIONS).body().toString()).doesNotContain("se_cret");
    assertThat(subscriber.rows("select subconninfo from pg_subscription").toString())
        .doesNotContain("se_cret");
    assertThat(subscriber.sql("select * from millrace.subscription").status()).isEqualTo(422);
    assertThat(
            subscriber
                .sql("create view v as select subconninfo from \"millrace\".subscription")
                .text("sqlstate"))
        .isEqualTo("42501");
  }

  @Test
  @DisplayName("the list shows all columns of pg_subscription")
  void list() {
    create(",\"copy_data\":false");
    Answer list = subscriber.get(SUBSCRIPTIONS);
    assertThat(list.body()).hasSize(1);
    assertThat(list.body().get(0).propertyNames())
        .containsExactlyElementsOf(
            List.of(
                "oid",
                "subdbid",
                "subskiplsn",
                "subname",
                "subowner",
                "subenabled",
                "subbinary",
                "substream",
                "subtwophasestate",
                "subdisableonerr",
                "subpasswordrequired",
                "subrunasowner",
                "subfailover",
                "subconninfo",
                "subslotname",
                "subsynccommit",
                "subpublications",
                "suborigin"));
  }

  @ParameterizedTest(name = "{0} {1} {2} is {3}")
  @DisplayName("errors have the status of api.md")
  @CsvSource(
      delimiter = '|',
      value = {
        "GET|/nope||404|42704",
        "PATCH|/nope|{\"enabled\":true}|404|42704",
        "DELETE|/nope||404|42704",
        "POST|/nope/enable||404|42704",
        "GET|/nope/tables||404|42704",
        "GET|/nope/conflicts||404|42704",
        "POST|''|{\"name\":\"s\"}|400|22023",
        "POST|''|{\"name\":\"s\",\"connection\":\"host=h\",\"publications\":[]}|400|22023",
        "POST|''|{\"nam\":\"s\"}|400|22023",
        "POST|''|{\"name\":\"s\",\"connection\":\"bla\",\"publications\":[\"p\"]}|422|42601",
        "POST|''|{\"name\":\"s\",\"connection\":\"host=127.0.0.1 port=1\",\"publications\":[\"p\"]}|503|08006",
        "POST|''|{\"name\":\"s\",\"connection\":\"host=h\",\"publications\":[\"p\"],\"binary\":true}|422|0A000",
      })
  void errors(String method, String path, String body, int status, String sqlState) {
    Answer answer = subscriber.call(method, SUBSCRIPTIONS + path, body);
    assertThat(answer.status()).as("%s", answer.body()).isEqualTo(status);
    assertThat(answer.text("sqlstate")).isEqualTo(sqlState);
    assertThat(answer.headers().get("content-type").get(0)).startsWith("application/problem+json");
  }

  @Test
  @DisplayName("a taken name is 409, a missing table 404, a publisher out of reach 503")
  void conflicts() throws Exception {
    assertThat(create(",\"copy_data\":false").status()).isEqualTo(201);
    assertThat(create("").status()).isEqualTo(409);
    publisher.publish("p1", "absent");
    assertThat(subscriber.post(MYSUB + "/refresh", "{\"copy_data\":true}").status()).isEqualTo(404);
    publisher.close();
    Answer dropped = subscriber.delete(MYSUB);
    assertThat(dropped.status()).isEqualTo(503);
    assertThat(dropped.text("hint")).contains("slot_name = NONE");
  }

  @Test
  @DisplayName("PATCH, disable, enable and refresh change what they say")
  void changes() {
    create(",\"copy_data\":false");
    assertThat(subscriber.post(MYSUB + "/disable", null).text("subenabled")).isEqualTo("false");
    assertThat(subscriber.post(MYSUB + "/enable", null).text("subenabled")).isEqualTo("true");
    Answer patched =
        subscriber.patch(
            MYSUB, "{\"add_publications\":[\"p2\"],\"copy_data\":false,\"disable_on_error\":true}");
    assertThat(patched.status()).as("%s", patched.body()).isEqualTo(200);
    assertThat(patched.text("subdisableonerr")).isEqualTo("true");
    Answer tables = subscriber.get(MYSUB + "/tables");
    assertThat(tables.body()).hasSize(2);
    assertThat(tables.body().get(1).get("tablename").asString()).isEqualTo("t2");
    assertThat(tables.body().get(1).get("srsubstate").asString()).isEqualTo("r");
    publisher.publish("p2");
    assertThat(subscriber.post(MYSUB + "/refresh", null).status()).isEqualTo(200);
    assertThat(subscriber.get(MYSUB + "/tables").body()).hasSize(1);
    assertThat(subscriber.patch(MYSUB, "{\"rename_to\":\"other\"}").text("subname"))
        .isEqualTo("other");
    assertThat(subscriber.delete(SUBSCRIPTIONS + "/other").status()).isEqualTo(204);
    assertThat(publisher.slots()).isEmpty();
  }

  @Test
  @DisplayName("S45: statistics count, reset and say when; workers and status tell the error")
  void statistics() {
    publisher.refuse("COPY", "XX000");
    create("");
    await()
        .untilAsserted(
            () ->
                assertThat(subscriber.get(MYSUB + "/stats").body().get("sync_error_count").asLong())
                    .isPositive());
    assertThat(subscriber.get(MYSUB + "/stats").text("stats_reset")).isNull();
    await()
        .untilAsserted(
            () ->
                assertThat(subscriber.get("/api/v1/status").body().get("problems").toString())
                    .contains("refused by the script"));
    subscriber.post(MYSUB + "/disable", null);
    Answer reset = subscriber.post(MYSUB + "/stats/reset", null);
    assertThat(reset.body().get("sync_error_count").asLong()).isZero();
    assertThat(reset.text("stats_reset")).endsWith("Z");
    assertThat(subscriber.get(MYSUB + "/conflicts").body()).isEmpty();
  }

  @Test
  @DisplayName("a name that SQL would shorten does not stand for the shortened one's subscription")
  void longNames() {
    String name = "s".repeat(63);
    assertThat(
            subscriber
                .post(
                    SUBSCRIPTIONS,
                    "{\"name\":\""
                        + name
                        + "\",\"connection\":\"host=127.0.0.1 port=1\",\"publications\":[\"p\"],"
                        + "\"connect\":false}")
                .status())
        .isEqualTo(201);
    for (String method : new String[] {"GET", "DELETE", "PATCH"}) {
      Answer answer =
          subscriber.call(
              method,
              SUBSCRIPTIONS + "/" + name + "s",
              method.equals("PATCH") ? "{\"binary\":false}" : null);
      assertThat(answer.status()).as(method).isEqualTo(404);
    }
    assertThat(subscriber.patch(SUBSCRIPTIONS + "/" + name, "{\"rename_to\":\"" + name + "s\"}"))
        .satisfies(answer -> assertThat(answer.text("sqlstate")).isEqualTo("42622"));
    assertThat(subscriber.get(SUBSCRIPTIONS + "/" + name).status()).isEqualTo(200);
    subscriber.patch(SUBSCRIPTIONS + "/" + name, "{\"slot_name\":\"NONE\"}");
    assertThat(subscriber.delete(SUBSCRIPTIONS + "/" + name).status()).isEqualTo(204);
  }

  @Test
  @DisplayName("A10: what disable_on_error has disabled says why and when, until it is enabled")
  void disabledByError() {
    publisher.refuse("COPY", "XX000");
    create(",\"disable_on_error\":true");
    await()
        .untilAsserted(
            () -> assertThat(subscriber.get(MYSUB).body().get("last_error")).isNotNull());
    Answer disabled = subscriber.get(MYSUB);
    assertThat(disabled.body().get("subenabled").asBoolean()).isFalse();
    String message = disabled.body().get("last_error").get("message").asString();
    assertThat(message).startsWith("table \"public.").contains("refused by the script");
    String time = disabled.body().get("last_error").get("time").asString();
    assertThat(Instant.parse(time)).isBetween(Instant.now().minusSeconds(120), Instant.now());
    assertThat(subscriber.get("/api/v1/status").body().get("problems").toString())
        .contains("was disabled at " + time + " because of an error: table")
        .contains("refused by the script");
    assertThat(subscriber.rows("select subname, message from millrace_subscription_errors").get(0))
        .containsExactly("mysub", message);

    publisher.allow("COPY");
    subscriber.post(MYSUB + "/enable", null);
    assertThat(subscriber.get(MYSUB).body().get("last_error")).isNull();
    assertThat(subscriber.rows("select * from millrace_subscription_errors")).isEmpty();
  }

  @Test
  @DisplayName("workers, origins, health and metrics show a running subscription")
  void watching() {
    create(",\"copy_data\":false");
    await()
        .untilAsserted(
            () -> {
              Answer workers = subscriber.get("/api/v1/workers");
              assertThat(workers.body()).hasSize(1);
              assertThat(workers.body().get(0).get("worker_type").asString()).isEqualTo("apply");
              assertThat(workers.body().get(0).get("received_lsn").asString())
                  .isEqualTo("0/1000100");
            });
    assertThat(subscriber.get("/api/v1/replication-origins").body()).hasSize(1);
    assertThat(subscriber.get("/actuator/health/readiness").status()).isEqualTo(200);
    assertThat(subscriber.get("/actuator/health/liveness").status()).isEqualTo(200);
    await()
        .untilAsserted(
            () ->
                assertThat(subscriber.text("/actuator/prometheus"))
                    .contains("millrace_subscription")
                    .contains("mysub")
                    .contains("lag"));
  }
}
