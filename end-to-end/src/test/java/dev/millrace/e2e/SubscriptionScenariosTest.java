package dev.millrace.e2e;

import static dev.millrace.e2e.Rows.row;
import static dev.millrace.e2e.Rows.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.millrace.tools.MillraceApi;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@DisplayName("Subscriptions over their life")
class SubscriptionScenariosTest {

  private static final Duration WAIT = Duration.ofSeconds(60);

  private final Pair pair = SharedPair.get();

  @Test
  @DisplayName(
      "S03 a target without the columns: all of them are named, others go on, a repair is enough")
  void targetDoesNotFit() {
    pair.publisher()
        .sql(
            "CREATE TABLE s03 (a int PRIMARY KEY, b text, c text); CREATE TABLE s03_other (a int PRIMARY KEY)");
    pair.subscriber()
        .sql("CREATE TABLE s03 (a int PRIMARY KEY); CREATE TABLE s03_other (a int PRIMARY KEY)");
    pair.publisher().sql("INSERT INTO s03 VALUES (1, 'b', 'c'); INSERT INTO s03_other VALUES (1)");
    pair.publisher().sql("CREATE PUBLICATION s03_pub FOR TABLE s03, s03_other");
    pair.subscribe("s03_sub", "s03_pub", null);
    await().atMost(WAIT).until(() -> pair.stats("s03_sub").get("sync_error_count").asInt() >= 2);
    assertThat(lastErrors())
        .contains(
            "logical replication target relation \"public.s03\" is missing replicated columns: \"b\", \"c\"");
    await()
        .atMost(WAIT)
        .until(() -> pair.subscriber().value("SELECT count(*) FROM s03_other").equals("1"));
    pair.subscriber().sql("ALTER TABLE s03 ADD COLUMN b text; ALTER TABLE s03 ADD COLUMN c text");
    pair.awaitSynced("s03_sub");
    pair.assertEqual("SELECT * FROM s03");
  }

  private String lastErrors() {
    StringBuilder errors = new StringBuilder();
    for (JsonNode table : pair.subscriber().get("/api/v1/subscriptions/s03_sub/tables")) {
      errors.append(table.get("last_error").asString("")).append('\n');
    }
    return errors.toString();
  }

  @Test
  @DisplayName("S03 a missing target table refuses the subscription and leaves nothing behind")
  void missingTargetTable() {
    pair.publisher()
        .sql(
            "CREATE TABLE s03_absent (a int PRIMARY KEY); CREATE PUBLICATION s03_absent_pub FOR TABLE s03_absent");
    MillraceApi.Refused refused =
        catchThrowableOfType(
            MillraceApi.Refused.class,
            () -> pair.subscribe("s03_absent_sub", "s03_absent_pub", null));
    assertThat(refused.sqlState()).isEqualTo("42P01");
    assertThat(refused.member("detail")).contains("relation \"public.s03_absent\" does not exist");
    assertThat(pair.subscriber().call("GET", "/api/v1/subscriptions/s03_absent_sub", null).status())
        .isEqualTo(404);
    assertThat(pair.publisher().call("GET", "/api/v1/slots/s03_absent_sub", null).status())
        .isEqualTo(404);
  }

  @Test
  @DisplayName(
      "S10 membership changes: gone at once, back only after REFRESH, renames count for later changes")
  void membership() {
    pair.both("CREATE TABLE s10_a (a int); CREATE TABLE s10_b (a int)");
    MillraceApi publisher = pair.publisher();
    publisher.sql("CREATE PUBLICATION s10_pub FOR TABLE s10_a, s10_b");
    publisher.sql("INSERT INTO s10_a VALUES (1)");
    pair.subscribe("s10_sub", "s10_pub", null);
    pair.awaitSynced("s10_sub");
    publisher.sql("ALTER PUBLICATION s10_pub DROP TABLE s10_a");
    publisher.sql("INSERT INTO s10_a VALUES (8888)");
    pair.awaitCaughtUp("s10_sub");
    assertThat(pair.subscriber().rows("SELECT a FROM s10_a")).isEqualTo(rows(row("1")));
    pair.subscriber().sql("ALTER SUBSCRIPTION s10_sub REFRESH PUBLICATION");
    assertThat(pair.subscriber().get("/api/v1/subscriptions/s10_sub/tables")).hasSize(1);
    publisher.sql("ALTER PUBLICATION s10_pub ADD TABLE s10_a");
    publisher.sql("INSERT INTO s10_a VALUES (2)");
    pair.awaitCaughtUp("s10_sub");
    assertThat(pair.subscriber().rows("SELECT a FROM s10_a")).isEqualTo(rows(row("1")));
    pair.subscriber().sql("DELETE FROM s10_a");
    pair.subscriber().sql("ALTER SUBSCRIPTION s10_sub REFRESH PUBLICATION");
    pair.awaitSynced("s10_sub");
    assertThat(pair.subscriber().rows("SELECT a FROM s10_a ORDER BY a"))
        .isEqualTo(rows(row("1"), row("2"), row("8888")));
    publisher.sql("CREATE PUBLICATION s10_empty");
    publisher.sql(
        "ALTER PUBLICATION s10_pub RENAME TO s10_swap; ALTER PUBLICATION s10_empty RENAME TO s10_pub");
    publisher.sql("INSERT INTO s10_b VALUES (9)");
    pair.awaitCaughtUp("s10_sub");
    assertThat(pair.subscriber().rows("SELECT a FROM s10_b")).isEmpty();
    publisher.sql(
        "ALTER PUBLICATION s10_pub RENAME TO s10_empty; ALTER PUBLICATION s10_swap RENAME TO s10_pub");
    publisher.sql("INSERT INTO s10_b VALUES (10)");
    pair.awaitCaughtUp("s10_sub");
    assertThat(pair.subscriber().rows("SELECT a FROM s10_b")).isEqualTo(rows(row("10")));
  }

  @Test
  @DisplayName("S11 a changed subscription gets a new walsender with its settings")
  void changeRestartsWorker() {
    pair.both("CREATE TABLE s11_a (a int); CREATE TABLE s11_b (a int)");
    MillraceApi publisher = pair.publisher();
    publisher.sql(
        "CREATE PUBLICATION s11_pub_a FOR TABLE s11_a; CREATE PUBLICATION s11_pub_b FOR TABLE s11_b");
    publisher.sql("INSERT INTO s11_a SELECT x FROM generate_series(1, 20) AS g(x)");
    pair.subscribe("s11_sub", "s11_pub_a, s11_pub_b", null);
    pair.awaitSynced("s11_sub");
    String first = walsender("s11_sub");
    pair.subscriber()
        .sql(
            "ALTER SUBSCRIPTION s11_sub CONNECTION '"
                + pair.connection()
                + " options=''-c wal_sender_timeout=45s'''");
    String second = awaitOtherWalsender("s11_sub", first);
    pair.subscriber()
        .sql("ALTER SUBSCRIPTION s11_sub SET PUBLICATION s11_pub_b WITH (refresh = false)");
    String third = awaitOtherWalsender("s11_sub", second);
    publisher.sql("INSERT INTO s11_a VALUES (21); INSERT INTO s11_b VALUES (1)");
    pair.awaitCaughtUp("s11_sub");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s11_a")).isEqualTo("20");
    assertThat(pair.subscriber().rows("SELECT a FROM s11_b")).isEqualTo(rows(row("1")));
    pair.subscriber().sql("ALTER SUBSCRIPTION s11_sub RENAME TO s11_renamed");
    awaitOtherWalsender("s11_sub", third);
    publisher.sql("INSERT INTO s11_b VALUES (2)");
    pair.awaitCaughtUp("s11_sub");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s11_b")).isEqualTo("2");
  }

  private String walsender(String slot) {
    JsonNode pid = pair.publisher().get("/api/v1/slots/" + slot).get("active_pid");
    return pid.isNull() ? null : pid.asString();
  }

  private String awaitOtherWalsender(String slot, String before) {
    await().atMost(WAIT).until(() -> walsender(slot) != null && !walsender(slot).equals(before));
    return walsender(slot);
  }

  @Test
  @DisplayName("S12 dropping a healthy subscription leaves no slot, state or origin")
  void dropHealthy() {
    pair.both("CREATE TABLE s12 (a int PRIMARY KEY)");
    pair.publisher().sql("CREATE PUBLICATION s12_pub FOR TABLE s12");
    pair.subscribe("s12_sub", "s12_pub", null);
    pair.awaitSynced("s12_sub");
    dropAndLookForRemains("s12_sub");
  }

  @Test
  @DisplayName("S12 dropping one whose copy fails in a loop leaves nothing either")
  void dropFailing() {
    pair.both("CREATE TABLE s12_fail (a int PRIMARY KEY)");
    pair.publisher().sql("INSERT INTO s12_fail VALUES (1)");
    pair.subscriber().sql("INSERT INTO s12_fail VALUES (1)");
    pair.publisher().sql("CREATE PUBLICATION s12_fail_pub FOR TABLE s12_fail");
    pair.subscribe("s12_fail_sub", "s12_fail_pub", null);
    await()
        .atMost(WAIT)
        .until(() -> pair.stats("s12_fail_sub").get("sync_error_count").asInt() >= 1);
    dropAndLookForRemains("s12_fail_sub");
  }

  private void dropAndLookForRemains(String name) {
    String oid = pair.subscriber().get("/api/v1/subscriptions/" + name).get("oid").asString();
    pair.dropSubscription(name);
    assertThat(pair.publisher().call("GET", "/api/v1/slots/" + name, null).status()).isEqualTo(404);
    await()
        .atMost(WAIT)
        .untilAsserted(
            () ->
                assertThat(
                        pair.publisher()
                            .rows(
                                "SELECT slot_name FROM pg_replication_slots WHERE slot_name LIKE 'pg\\_"
                                    + oid
                                    + "\\_sync\\_%'"))
                    .isEmpty());
    for (String query :
        new String[] {
          "SELECT oid FROM pg_subscription WHERE oid = " + oid,
          "SELECT subid FROM pg_stat_subscription_stats WHERE subid = " + oid,
          "SELECT subid FROM pg_stat_subscription WHERE subid = " + oid,
          "SELECT srrelid FROM pg_subscription_rel WHERE srsubid = " + oid,
          "SELECT roname FROM pg_replication_origin WHERE roname = 'pg_"
              + oid
              + "' OR roname LIKE 'pg\\_"
              + oid
              + "\\_%'"
        }) {
      assertThat(pair.subscriber().rows(query)).as(query).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "S12 without slot name the publisher's slot stays; with a slot that is gone DROP says so")
  void dropWithoutSlot() {
    pair.both("CREATE TABLE s12_none (a int PRIMARY KEY)");
    pair.publisher().sql("CREATE PUBLICATION s12_none_pub FOR TABLE s12_none");
    pair.subscribe("s12_none_sub", "s12_none_pub", null);
    pair.awaitSynced("s12_none_sub");
    pair.subscriber()
        .sql(
            "ALTER SUBSCRIPTION s12_none_sub DISABLE; ALTER SUBSCRIPTION s12_none_sub SET (slot_name = NONE)");
    pair.dropSubscription("s12_none_sub");
    assertThat(pair.publisher().get("/api/v1/slots/s12_none_sub").get("active").asBoolean())
        .isFalse();
    pair.publisher().delete("/api/v1/slots/s12_none_sub");

    pair.subscribe("s12_gone_sub", "s12_none_pub", "copy_data = false");
    pair.subscriber().sql("ALTER SUBSCRIPTION s12_gone_sub DISABLE");
    await().atMost(WAIT).until(() -> walsender("s12_gone_sub") == null);
    pair.publisher().delete("/api/v1/slots/s12_gone_sub");
    MillraceApi.Refused refused =
        catchThrowableOfType(
            MillraceApi.Refused.class, () -> pair.dropSubscription("s12_gone_sub"));
    assertThat(refused.member("detail"))
        .contains("could not drop replication slot \"s12_gone_sub\" on publisher");
    assertThat(
            pair.subscriber().get("/api/v1/subscriptions/s12_gone_sub").get("subname").asString())
        .isEqualTo("s12_gone_sub");
    pair.subscriber().sql("ALTER SUBSCRIPTION s12_gone_sub SET (slot_name = NONE)");
    pair.dropSubscription("s12_gone_sub");
  }

  @Test
  @DisplayName("S13 an unknown publication is warned about and used once it exists")
  void unknownPublication() {
    pair.both("CREATE TABLE s13 (a int); CREATE TABLE s13_late (a int)");
    pair.publisher().sql("CREATE PUBLICATION s13_pub FOR TABLE s13");
    JsonNode answer = pair.subscribe("s13_sub", "s13_pub, s13_unknown", null);
    assertThat(answer.get("notices").toString())
        .contains("publication \\\"s13_unknown\\\" does not exist on the publisher");
    pair.awaitSynced("s13_sub");
    pair.publisher().sql("INSERT INTO s13_late VALUES (1)");
    pair.publisher().sql("CREATE PUBLICATION s13_unknown FOR TABLE s13_late");
    pair.subscriber().sql("ALTER SUBSCRIPTION s13_sub REFRESH PUBLICATION");
    pair.awaitSynced("s13_sub");
    pair.publisher().sql("INSERT INTO s13_late VALUES (2)");
    pair.awaitCaughtUp("s13_sub");
    assertThat(pair.subscriber().rows("SELECT a FROM s13_late ORDER BY a"))
        .isEqualTo(rows(row("1"), row("2")));
  }

  @Test
  @DisplayName("S14 a failing copy is counted and retried until the rows in its way are gone")
  void failingCopy() {
    pair.both("CREATE TABLE s14 (a int PRIMARY KEY)");
    pair.publisher().sql("INSERT INTO s14 SELECT x FROM generate_series(1, 20) AS g(x)");
    pair.subscriber().sql("INSERT INTO s14 SELECT x FROM generate_series(1, 10) AS g(x)");
    pair.publisher().sql("CREATE PUBLICATION s14_pub FOR TABLE s14");
    pair.subscribe("s14_sub", "s14_pub", null);
    await().atMost(WAIT).until(() -> pair.stats("s14_sub").get("sync_error_count").asInt() >= 2);
    assertThat(
            pair.subscriber()
                .get("/api/v1/subscriptions/s14_sub/tables")
                .get(0)
                .get("srsubstate")
                .asString())
        .isEqualTo("d");
    pair.subscriber().sql("DELETE FROM s14");
    pair.awaitSynced("s14_sub");
    pair.assertEqual("SELECT a FROM s14 ORDER BY a");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s14")).isEqualTo("20");
  }

  @Test
  @DisplayName("S15 a copy under write load brings every row exactly once")
  void copyUnderLoad() throws Exception {
    pair.both(
        "CREATE TABLE s15_t (a int PRIMARY KEY, b text); CREATE TABLE s15_t2 (a int, b text)");
    MillraceApi publisher = pair.publisher();
    String insert = "INSERT INTO %s SELECT x, 'row ' || x FROM generate_series(%d, %d) AS g(x)";
    publisher.sql(insert.formatted("s15_t", 1, 3000));
    publisher.sql(insert.formatted("s15_t2", 1, 3000));
    publisher.sql("CREATE PUBLICATION s15_pub FOR TABLE s15_t");
    publisher.sql("SELECT pg_create_logical_replication_slot('s15_sub', 'pgoutput')");
    pair.subscribe("s15_sub", "s15_pub", "create_slot = false");
    Thread writer =
        new Thread(
            () -> {
              for (int i = 3001; i <= 6000; i += 100) {
                publisher.sql(insert.formatted("s15_t", i, i + 99));
                publisher.sql(insert.formatted("s15_t2", i, i + 99));
              }
            });
    writer.start();
    publisher.sql("ALTER PUBLICATION s15_pub ADD TABLE s15_t2");
    pair.subscriber().sql("ALTER SUBSCRIPTION s15_sub REFRESH PUBLICATION");
    writer.join();
    pair.awaitSynced("s15_sub");
    for (String table : new String[] {"s15_t", "s15_t2"}) {
      assertThat(pair.subscriber().rows("SELECT count(*), count(DISTINCT a) FROM " + table))
          .isEqualTo(rows(row("6000", "6000")));
      pair.assertEqual("SELECT * FROM " + table + " ORDER BY a");
    }
  }
}
