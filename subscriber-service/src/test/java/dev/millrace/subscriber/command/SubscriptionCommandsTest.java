package dev.millrace.subscriber.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.subscriber.RunningSubscriber;
import dev.millrace.subscriber.RunningSubscriber.Answer;
import dev.millrace.subscriber.catalog.SlotIntent;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.fake.ScriptedPublisher;
import java.nio.file.Path;
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

@DisplayName("CREATE, ALTER and DROP SUBSCRIPTION against a scripted publisher")
class SubscriptionCommandsTest {

  @TempDir static Path dataDir;
  private static RunningSubscriber subscriber;
  private ScriptedPublisher publisher;

  @BeforeAll
  static void start() {
    subscriber = new RunningSubscriber(dataDir);
    ok("create table t1 (id int primary key); create table t2 (id int primary key)");
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
    for (List<String> row : subscriber.rows("select subname from pg_subscription")) {
      ok("alter subscription \"" + row.get(0) + "\" disable");
      ok("alter subscription \"" + row.get(0) + "\" set (slot_name = none)");
      ok("drop subscription \"" + row.get(0) + "\"");
    }
    publisher.close();
  }

  private static Answer ok(String sql) {
    Answer answer = subscriber.sql(sql);
    assertThat(answer.status()).as("%s: %s", sql, answer.body()).isEqualTo(200);
    return answer;
  }

  private static List<String> notices(Answer answer) {
    return answer
        .body()
        .get("notices")
        .valueStream()
        .map(notice -> notice.get("severity").asString() + ": " + notice.get("message").asString())
        .toList();
  }

  private Answer create(String publications, String options) {
    return subscriber.sql(
        "create subscription mysub connection '"
            + publisher.connection()
            + "' publication "
            + publications
            + (options.isEmpty() ? "" : " with (" + options + ")"));
  }

  private static void refused(Answer answer, String sqlState, String message) {
    assertThat(answer.status()).as("%s", answer.body()).isEqualTo(422);
    assertThat(answer.text("detail")).isEqualTo(message);
    assertThat(answer.text("sqlstate")).isEqualTo(sqlState);
  }

  @Test
  @DisplayName("A2: creating one makes the slot, stores its tables and says so")
  void creates() {
    Answer answer = create("p1, p2", "copy_data = false");

    assertThat(answer.body().get("results").get(0).get("command").asString())
        .isEqualTo("CREATE SUBSCRIPTION");
    assertThat(notices(answer))
        .containsExactly("NOTICE: created replication slot \"mysub\" on publisher");
    assertThat(publisher.slots()).containsExactly("mysub");
    assertThat(
            subscriber.rows(
                "select subname, subenabled, subslotname, subpublications, substream,"
                    + " subtwophasestate, suborigin from pg_subscription"))
        .containsExactly(List.of("mysub", "true", "mysub", "{p1,p2}", "f", "d", "any"));
    assertThat(
            subscriber.rows(
                "select c.relname, r.srsubstate from pg_subscription_rel r join pg_class c on"
                    + " c.oid = r.srrelid order by 1"))
        .containsExactly(List.of("t1", "r"), List.of("t2", "r"));
    assertThat(subscriber.rows("select roname from pg_replication_origin"))
        .hasSize(1)
        .allSatisfy(row -> assertThat(row.get(0)).startsWith("pg_"));
    await()
        .untilAsserted(
            () ->
                assertThat(publisher.commands())
                    .anyMatch(command -> command.startsWith("START_REPLICATION SLOT \"mysub\"")));
    assertThat(subscriber.bean(SlotIntents.class).open()).isEmpty();
  }

  @Test
  @DisplayName("S13: a publication that does not exist is a warning, several are one warning")
  void unknownPublications() {
    assertThat(notices(create("p1, nope", "copy_data = false")))
        .startsWith("WARNING: publication \"nope\" does not exist on the publisher");
    Answer set = ok("alter subscription mysub set publication nope, \"No pe\"");
    assertThat(notices(set))
        .containsExactly("WARNING: publications \"nope\", \"No pe\" do not exist on the publisher");
    assertThat(subscriber.rows("select * from pg_subscription_rel")).isEmpty();
  }

  @Test
  @DisplayName("A2: a view cannot be the target of a published table")
  void view() {
    subscriber.sql("create view looked_at as select 1 as id");
    publisher.publish("p4", "looked_at");

    Answer answer = create("p4", "");

    refused(
        answer, "42809", "cannot use relation \"public.looked_at\" as logical replication target");
    assertThat(answer.text("errdetail")).isEqualTo("This operation is not supported for views.");
    subscriber.sql("drop view looked_at");
  }

  @Test
  @DisplayName("A2: a missing table is an error of CREATE that leaves nothing behind")
  void missingTable() {
    publisher.publish("p3", "t1", "absent");

    refused(create("p3", ""), "42P01", "relation \"public.absent\" does not exist");

    assertThat(publisher.slots()).isEmpty();
    assertThat(subscriber.rows("select * from pg_subscription")).isEmpty();
    assertThat(subscriber.rows("select * from pg_replication_origin")).isEmpty();
    assertThat(subscriber.bean(SlotIntents.class).open()).isEmpty();
  }

  @Test
  @DisplayName("a slot of that name on the publisher is an error and stays")
  void slotExists() {
    publisher.slots().add("mysub");

    refused(
        create("p1", ""),
        "42710",
        "could not create replication slot \"mysub\": replication slot \"mysub\" already exists");

    assertThat(publisher.slots()).containsExactly("mysub");
    assertThat(subscriber.rows("select * from pg_subscription")).isEmpty();
  }

  @Test
  @DisplayName("a slot the publisher refuses to make leaves nothing behind")
  void slotRefused() {
    publisher.refuse("CREATE_REPLICATION_SLOT", "53400");

    refused(
        create("p1", ""),
        "53400",
        "could not create replication slot \"mysub\": refused by the script");

    assertThat(subscriber.rows("select * from pg_subscription")).isEmpty();
    assertThat(subscriber.bean(SlotIntents.class).open()).isEmpty();
  }

  @Test
  @DisplayName("create_slot = false uses a slot that is there; the copy does not begin with r")
  void withoutSlot() {
    publisher.slots().add("ready_made");
    Answer answer = create("p1", "create_slot = false, slot_name = ready_made, copy_data = false");
    assertThat(notices(answer)).isEmpty();
    assertThat(publisher.commands()).noneMatch(c -> c.startsWith("CREATE_REPLICATION_SLOT"));
    ok("drop subscription mysub");
    assertThat(publisher.slots()).isEmpty();
  }

  @Test
  @DisplayName("connect = false asks nobody, makes nothing and warns")
  void notConnected() {
    Answer answer = create("p1", "connect = false");

    assertThat(notices(answer))
        .containsExactly("WARNING: subscription was created, but is not connected");
    assertThat(publisher.commands()).isEmpty();
    assertThat(subscriber.rows("select subenabled, subslotname from pg_subscription"))
        .containsExactly(List.of("false", "mysub"));

    publisher.slots().add("mysub");
    ok("alter subscription mysub enable");
    ok("alter subscription mysub refresh publication with (copy_data = false)");
    assertThat(subscriber.rows("select srsubstate from pg_subscription_rel"))
        .containsExactly(List.of("r"));
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("A1: options are checked with PostgreSQL's texts")
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense = 1|42601|unrecognized subscription parameter: \"nonsense\"",
        "lsn = '0/1'|42601|unrecognized subscription parameter: \"lsn\"",
        "enabled = maybe|42601|enabled requires a Boolean value",
        "connect = false, enabled|42601|connect = false and enabled = true are mutually exclusive options",
        "connect = false, create_slot = true|42601|connect = false and create_slot = true are mutually exclusive options",
        "connect = false, copy_data = on|42601|connect = false and copy_data = true are mutually exclusive options",
        "slot_name = NONE|42601|subscription with slot_name = NONE must also set enabled = false",
        "slot_name = NONE, enabled = false|42601|subscription with slot_name = NONE must also set create_slot = false",
        "slot_name = NONE, enabled = true|42601|slot_name = NONE and enabled = true are mutually exclusive options",
        "slot_name = NONE, enabled = false, create_slot = true|42601|slot_name = NONE and create_slot = true are mutually exclusive options",
        "slot_name = 'Bad'|42602|replication slot name \"Bad\" contains invalid character",
        "slot_name = ''|42602|replication slot name \"\" is too short",
        "synchronous_commit = maybe|22023|invalid value for parameter \"synchronous_commit\": \"maybe\"",
        "origin = some|22023|unrecognized origin value: \"some\"",
        "streaming = sometimes|42601|streaming requires a Boolean value or \"parallel\"",
        "streaming = on|0A000|subscription parameter \"streaming\" = on is not supported yet",
        "streaming = parallel|0A000|subscription parameter \"streaming\" = parallel is not supported yet",
        "two_phase = true|0A000|subscription parameter \"two_phase\" = true is not supported yet",
        "binary = true|0A000|subscription parameter \"binary\" = true is not supported yet",
        "failover = true|0A000|subscription parameter \"failover\" = true is not supported yet",
        "origin = none|0A000|subscription parameter \"origin\" = none is not supported yet",
      })
  void badOptions(String options, String sqlState, String message) {
    refused(create("p1", options), sqlState, message);
    assertThat(publisher.commands()).isEmpty();
    assertThat(subscriber.rows("select * from pg_subscription")).isEmpty();
  }

  @Test
  @DisplayName("values equal to the defaults of options that come later are accepted")
  void defaults() {
    assertThat(
            create(
                    "p1",
                    "copy_data = false, binary = false, streaming = off, two_phase = off,"
                        + " origin = 'any', failover = false, synchronous_commit = 'off',"
                        + " disable_on_error = true, run_as_owner = false, password_required = true")
                .status())
        .isEqualTo(200);
    assertThat(subscriber.rows("select subdisableonerr from pg_subscription"))
        .containsExactly(List.of("true"));
  }

  @Test
  @DisplayName("A1: nothing that changes a slot runs inside a transaction block")
  void transactionBlock() {
    refused(
        subscriber.sql("begin; create subscription s connection 'host=h' publication p; commit"),
        "25001",
        "CREATE SUBSCRIPTION ... WITH (create_slot = true) cannot run inside a transaction block");
    create("p1", "copy_data = false");
    refused(
        subscriber.sql("begin; alter subscription mysub refresh publication; commit"),
        "25001",
        "ALTER SUBSCRIPTION ... REFRESH cannot run inside a transaction block");
    refused(
        subscriber.sql("begin; alter subscription mysub set publication p2; commit"),
        "25001",
        "ALTER SUBSCRIPTION with refresh cannot run inside a transaction block");
    refused(
        subscriber.sql("begin; drop subscription mysub; commit"),
        "25001",
        "DROP SUBSCRIPTION cannot run inside a transaction block");
  }

  @Test
  @DisplayName("A1: other commands run in a block: seen by each other, done or undone with it")
  void inBlock() {
    create("p1", "copy_data = false");
    String all = "select subname, subenabled, subslotname, subpublications from pg_subscription";
    List<List<String>> before = subscriber.rows(all);
    assertThat(
            subscriber
                .sql(
                    "begin; alter subscription mysub disable; alter subscription mysub rename to x;"
                        + " alter subscription x set publication p2 with (refresh = false); rollback")
                .status())
        .isEqualTo(200);
    assertThat(subscriber.rows(all)).isEqualTo(before);
    refused(
        subscriber.sql(
            "begin; alter subscription mysub disable; alter subscription mysub rename to x;"
                + " alter subscription mysub enable; commit"),
        "42704",
        "subscription \"mysub\" does not exist");
    assertThat(subscriber.rows(all)).isEqualTo(before);
    assertThat(
            subscriber
                .sql(
                    "begin; alter subscription mysub disable; savepoint s;"
                        + " alter subscription mysub rename to x; rollback to s;"
                        + " alter subscription mysub set publication p2 with (refresh = false);"
                        + " create subscription second connection 'host=h' publication p1"
                        + " with (connect = false); commit")
                .status())
        .isEqualTo(200);
    assertThat(
            subscriber.rows(
                "select subname, subenabled, subpublications from pg_subscription order by 1"))
        .containsExactly(List.of("mysub", "false", "{p2}"), List.of("second", "false", "{p1}"));
    assertThat(
            subscriber
                .sql(
                    "begin; alter subscription mysub set (slot_name = none);"
                        + " drop subscription mysub;"
                        + " alter subscription second set (slot_name = none);"
                        + " drop subscription second; commit")
                .status())
        .isEqualTo(200);
    assertThat(subscriber.rows(all)).isEmpty();
  }

  @Test
  @DisplayName("names taken, unknown names, repeated publications")
  void names() {
    create("p1", "copy_data = false");
    refused(create("p1", ""), "42710", "subscription \"mysub\" already exists");
    refused(
        subscriber.sql("create subscription s2 connection 'host=h' publication a, a"),
        "42710",
        "publication name \"a\" used more than once");
    refused(
        subscriber.sql("alter subscription nope enable"),
        "42704",
        "subscription \"nope\" does not exist");
    refused(
        subscriber.sql("drop subscription nope"), "42704", "subscription \"nope\" does not exist");
    assertThat(notices(ok("drop subscription if exists nope")))
        .containsExactly("NOTICE: subscription \"nope\" does not exist, skipping");
  }

  @Test
  @DisplayName("a publisher out of reach or a connection that cannot be understood is named")
  void unreachable() throws Exception {
    publisher.close();
    Answer answer = create("p1", "");
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.text("sqlstate")).isEqualTo("08006");
    assertThat(answer.text("detail"))
        .startsWith("subscription \"mysub\" could not connect to the publisher: ");
    Answer malformed = subscriber.sql("create subscription s connection 'bla' publication p");
    assertThat(malformed.text("sqlstate")).isEqualTo("42601");
    assertThat(malformed.text("detail")).startsWith("invalid connection string syntax: ");
  }

  @Test
  @DisplayName("S10, Y2: REFRESH picks up added tables and forgets removed ones, nothing else does")
  void refresh() {
    create("p1", "copy_data = false");
    publisher.publish("p1", "t2");
    ok("alter subscription mysub connection '" + publisher.connection() + "'");
    assertThat(tables()).containsExactly("t1");

    ok("alter subscription mysub refresh publication with (copy_data = false)");
    assertThat(tables()).containsExactly("t2");

    publisher.publish("p1", "t1", "t2", "absent");
    refused(
        subscriber.sql("alter subscription mysub refresh publication"),
        "42P01",
        "relation \"public.absent\" does not exist");
    assertThat(tables()).containsExactly("t2");
  }

  private static List<String> tables() {
    return subscriber
        .rows(
            "select c.relname from pg_subscription_rel r join pg_class c on c.oid = r.srrelid"
                + " order by 1")
        .stream()
        .map(row -> row.get(0))
        .toList();
  }

  @Test
  @DisplayName("A1: publications are set, added and dropped, with and without refresh")
  void publications() {
    create("p1", "copy_data = false");
    ok("alter subscription mysub add publication p2 with (copy_data = false)");
    assertThat(tables()).containsExactly("t1", "t2");
    refused(
        subscriber.sql("alter subscription mysub add publication p2"),
        "42710",
        "publication \"p2\" is already in subscription \"mysub\"");
    ok("alter subscription mysub drop publication p1");
    assertThat(tables()).containsExactly("t2");
    refused(
        subscriber.sql("alter subscription mysub drop publication p1"),
        "42704",
        "publication \"p1\" is not in subscription \"mysub\"");
    refused(
        subscriber.sql("alter subscription mysub drop publication p2"),
        "22023",
        "cannot drop all the publications from a subscription");
    ok("alter subscription mysub set publication p1 with (refresh = false)");
    assertThat(tables()).containsExactly("t2");
    assertThat(subscriber.rows("select subpublications from pg_subscription"))
        .containsExactly(List.of("{p1}"));
  }

  @Test
  @DisplayName("A1: what a disabled or an enabled subscription refuses")
  void enabledAndDisabled() {
    create("p1", "copy_data = false");
    refused(
        subscriber.sql("alter subscription mysub set (slot_name = none)"),
        "55000",
        "cannot set slot_name = NONE for enabled subscription");
    ok("alter subscription mysub disable");
    assertThat(subscriber.rows("select pid from pg_stat_subscription where pid is not null"))
        .isEmpty();
    refused(
        subscriber.sql("alter subscription mysub refresh publication"),
        "55000",
        "ALTER SUBSCRIPTION ... REFRESH is not allowed for disabled subscriptions");
    Answer set = subscriber.sql("alter subscription mysub set publication p2");
    refused(
        set, "55000", "ALTER SUBSCRIPTION with refresh is not allowed for disabled subscriptions");
    assertThat(set.text("hint"))
        .isEqualTo("Use ALTER SUBSCRIPTION ... SET PUBLICATION ... WITH (refresh = false).");
    ok("alter subscription mysub set (slot_name = none)");
    refused(
        subscriber.sql("alter subscription mysub enable"),
        "55000",
        "cannot enable subscription that does not have a slot name");
    ok("alter subscription mysub set (slot_name = mysub)");
    ok("alter subscription mysub enable");
  }

  @Test
  @DisplayName("S11: a changed connection, name or option restarts the worker")
  void changesRestart() {
    create("p1", "copy_data = false");
    awaitStarts(1);
    ok("alter subscription mysub set (synchronous_commit = 'on')");
    awaitStarts(2);
    ok("alter subscription mysub connection '" + publisher.connection() + " application_name=x'");
    awaitStarts(3);
    ok("alter subscription mysub rename to other");
    awaitStarts(4);
    assertThat(subscriber.rows("select subname from pg_subscription"))
        .containsExactly(List.of("other"));
    ok("alter subscription other owner to millrace");
    refused(
        subscriber.sql("alter subscription other skip (lsn = '0/1')"),
        "0A000",
        "ALTER SUBSCRIPTION ... SKIP is not supported yet");
  }

  private void awaitStarts(int count) {
    await()
        .untilAsserted(
            () ->
                assertThat(publisher.commands())
                    .filteredOn(command -> command.startsWith("START_REPLICATION"))
                    .hasSizeGreaterThanOrEqualTo(count));
  }

  @Test
  @DisplayName("S12: dropping a healthy subscription drops its slot and leaves nothing")
  void drops() {
    create("p1", "copy_data = false");

    assertThat(notices(ok("drop subscription mysub")))
        .containsExactly("NOTICE: dropped replication slot \"mysub\" on publisher");

    assertThat(publisher.slots()).isEmpty();
    assertNothingLeft();
  }

  private static void assertNothingLeft() {
    for (String view :
        List.of(
            "pg_subscription",
            "pg_subscription_rel",
            "pg_replication_origin",
            "pg_stat_subscription",
            "pg_stat_subscription_stats")) {
      assertThat(subscriber.rows("select * from " + view)).as(view).isEmpty();
    }
    assertThat(subscriber.bean(SlotIntents.class).open()).isEmpty();
  }

  @Test
  @DisplayName("S12: dropping one whose copy fails in a loop drops the synchronization slots too")
  void dropsWhileCopyFails() {
    publisher.refuse("COPY", "XX000");
    create("p1", "");
    await()
        .untilAsserted(
            () ->
                assertThat(
                        subscriber.rows(
                            "select sync_error_count > 0 from pg_stat_subscription_stats"))
                    .containsExactly(List.of("true")));

    ok("drop subscription mysub");

    await().untilAsserted(() -> assertThat(publisher.slots()).isEmpty());
    assertNothingLeft();
  }

  @Test
  @DisplayName("S12: without its slot name a subscription goes and the slot stays")
  void dropsWithoutSlot() {
    create("p1", "copy_data = false");
    ok("alter subscription mysub disable");
    ok("alter subscription mysub set (slot_name = none)");
    ok("drop subscription mysub");
    assertThat(publisher.slots()).containsExactly("mysub");
    assertNothingLeft();
  }

  @Test
  @DisplayName(
      "S12: when the slot is gone the drop says which, and the subscription is still there")
  void slotGone() {
    create("p1", "copy_data = false");
    publisher.slots().clear();

    refused(
        subscriber.sql("drop subscription mysub"),
        "08006",
        "could not drop replication slot \"mysub\" on publisher: replication slot \"mysub\" does"
            + " not exist");

    assertThat(subscriber.rows("select subname from pg_subscription")).hasSize(1);
    assertThat(subscriber.rows("select * from pg_subscription_rel")).hasSize(1);
    assertThat(subscriber.bean(SlotIntents.class).open()).isEmpty();
  }

  @Test
  @DisplayName("S12: with the publisher out of reach the drop tells the way out")
  void publisherGone() throws Exception {
    create("p1", "copy_data = false");
    publisher.close();

    Answer answer = subscriber.sql("drop subscription mysub");

    assertThat(answer.text("sqlstate")).isEqualTo("08006");
    assertThat(answer.text("detail"))
        .startsWith(
            "could not connect to publisher when attempting to drop replication slot \"mysub\": ");
    assertThat(answer.text("hint"))
        .isEqualTo(
            "Use ALTER SUBSCRIPTION ... DISABLE to disable the subscription, and then use ALTER"
                + " SUBSCRIPTION ... SET (slot_name = NONE) to disassociate it from the slot.");
    assertThat(subscriber.rows("select subname from pg_subscription")).hasSize(1);
  }

  @Test
  @DisplayName("a slot that a crash left half made is dropped once the publisher answers")
  void reconciles() {
    publisher.slots().add("half_made");
    SlotIntents intents = subscriber.bean(SlotIntents.class);
    SlotIntent intent =
        intents.note(99999, 0, "half_made", publisher.connection(), SlotIntent.Action.MAKE);
    publisher.refuse("DROP_REPLICATION_SLOT", "55006");

    subscriber.bean(SlotReconciler.class).takeOver(intent);
    await()
        .untilAsserted(
            () ->
                assertThat(publisher.commands())
                    .filteredOn(command -> command.startsWith("DROP_REPLICATION_SLOT"))
                    .hasSizeGreaterThan(1));
    assertThat(intents.open()).containsExactly(intent);

    publisher.allow("DROP_REPLICATION_SLOT");
    await().untilAsserted(() -> assertThat(intents.open()).isEmpty());
    assertThat(publisher.slots()).isEmpty();
  }

  @Test
  @DisplayName("a second CREATE cleans up after the first and keeps its own slot")
  void secondAttempt() {
    SlotIntents intents = subscriber.bean(SlotIntents.class);
    SlotIntent first =
        intents.note(99998, 0, "mysub", publisher.connection(), SlotIntent.Action.MAKE);
    publisher.slots().add("mysub");
    publisher.refuse("DROP_REPLICATION_SLOT", "55006");
    subscriber.bean(SlotReconciler.class).takeOver(first);
    await()
        .untilAsserted(
            () ->
                assertThat(publisher.commands())
                    .anyMatch(command -> command.startsWith("DROP_REPLICATION_SLOT")));
    publisher.allow("DROP_REPLICATION_SLOT");

    assertThat(create("p1", "copy_data = false").status()).isEqualTo(200);

    await()
        .untilAsserted(() -> assertThat(subscriber.bean(SlotReconciler.class).isIdle()).isTrue());
    assertThat(publisher.slots()).containsExactly("mysub");
    assertThat(intents.open()).isEmpty();
  }

  @Test
  @DisplayName("a drop that a crash cut short is finished")
  void finishesDrop() {
    create("p1", "copy_data = false");
    int oid = Integer.parseInt(subscriber.rows("select oid from pg_subscription").get(0).get(0));
    SlotIntents intents = subscriber.bean(SlotIntents.class);
    SlotIntent intent =
        intents.note(oid, 0, "mysub", publisher.connection(), SlotIntent.Action.DROP);

    subscriber.bean(SlotReconciler.class).takeOver(intent);

    await().untilAsserted(() -> assertThat(publisher.slots()).isEmpty());
    await().untilAsserted(SubscriptionCommandsTest::assertNothingLeft);
  }

  @Test
  @DisplayName(
      "S45: statistics are reset by SQL, for one subscription or all; origins tell progress")
  void functions() {
    create("p1", "copy_data = false");
    String oid = subscriber.rows("select oid from pg_subscription").get(0).get(0);
    assertThat(subscriber.rows("select stats_reset from pg_stat_subscription_stats").get(0).get(0))
        .isNull();
    ok("select pg_stat_reset_subscription_stats(" + oid + ")");
    String first =
        subscriber.rows("select stats_reset from pg_stat_subscription_stats").get(0).get(0);
    assertThat(first).endsWith("+00");
    ok("select pg_stat_reset_subscription_stats(null)");
    assertThat(subscriber.rows("select stats_reset from pg_stat_subscription_stats").get(0).get(0))
        .isNotEqualTo(first);
    assertThat(subscriber.sql("select pg_stat_reset_subscription_stats(1)").text("sqlstate"))
        .isEqualTo("22023");
    String origin = "pg_" + oid;
    assertThat(subscriber.rows("select pg_replication_origin_oid('" + origin + "')"))
        .isEqualTo(subscriber.rows("select roident from pg_replication_origin"));
    assertThat(subscriber.rows("select pg_replication_origin_progress('" + origin + "', true)"))
        .hasSize(1);
    assertThat(
            subscriber.sql("select pg_replication_origin_progress('nope', true)").text("sqlstate"))
        .isEqualTo("42704");
  }

  @Test
  @DisplayName("names with quotes and spaces go through unharmed")
  void oddNames() {
    publisher.publish("P Case \"x'y", "t1");
    Answer answer =
        subscriber.sql(
            "create subscription \"My \"\"Sub' 1\" connection '"
                + publisher.connection()
                + "' publication \"P Case \"\"x'y\" with (slot_name = odd, copy_data = false)");
    assertThat(notices(answer))
        .containsExactly("NOTICE: created replication slot \"odd\" on publisher");
    assertThat(tables()).containsExactly("t1");
    ok("drop subscription \"My \"\"Sub' 1\"");
  }
}
