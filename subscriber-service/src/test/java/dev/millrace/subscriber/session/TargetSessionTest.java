package dev.millrace.subscriber.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.subscriber.RunningSubscriber;
import dev.millrace.subscriber.RunningSubscriber.Answer;
import dev.millrace.subscriber.fake.ScriptedPublisher;
import dev.millrace.subscriber.target.TargetDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

@DisplayName("SQL sessions on the target database")
class TargetSessionTest {

  @TempDir static Path dataDir;
  private static RunningSubscriber subscriber;

  @BeforeAll
  static void start() {
    subscriber = new RunningSubscriber(dataDir);
  }

  @AfterAll
  static void stop() {
    subscriber.close();
  }

  private static Answer ok(String sql) {
    Answer answer = subscriber.sql(sql);
    assertThat(answer.status()).as("%s: %s", sql, answer.body()).isEqualTo(200);
    return answer;
  }

  private static String oid(String table) {
    return subscriber
        .rows("select oid from pg_class where relname = '" + table + "'")
        .get(0)
        .get(0);
  }

  @Test
  @DisplayName("rows are written, read and rolled back as in any session")
  void rows() {
    ok("create table plain (id int primary key, name text, at timestamptz)");
    ok("insert into plain values (1, 'a', '2026-05-13 22:03:45.4+00'), (2, null, null)");
    Answer session = subscriber.post("/api/v1/sessions", null);
    String path = "/api/v1/sessions/" + session.text("id");
    assertThat(
            subscriber
                .post(path + "/sql", "{\"sql\":\"begin; delete from plain\"}")
                .text("transaction_status"))
        .isEqualTo("T");
    assertThat(subscriber.rows("select count(*) from plain")).containsExactly(List.of("2"));
    assertThat(subscriber.delete(path).status()).isEqualTo(204);
    assertThat(subscriber.rows("select * from plain where id = 1"))
        .containsExactly(List.of("1", "a", "2026-05-13 22:03:45.4+00"));
    Answer copied = subscriber.sql("create table copied as select id from plain");
    assertThat(copied.status()).as("%s", copied.body()).isEqualTo(200);
  }

  @Test
  @DisplayName("rows written while ALTER TABLE replaces their table are all there afterwards")
  void alterUnderLoad() throws Exception {
    ok("create table altered (id int primary key)");
    AtomicBoolean altering = new AtomicBoolean(true);
    ExecutorService writers = Executors.newFixedThreadPool(2);
    List<Future<Integer>> written = new ArrayList<>();
    try {
      for (int writer = 0; writer < 2; writer++) {
        int first = writer * 1_000_000;
        written.add(writers.submit(() -> insertUntil(altering, first)));
      }
      for (int column = 0; column < 15; column++) {
        ok("alter table altered add column c" + column + " text default 'x'");
      }
    } finally {
      altering.set(false);
      writers.shutdown();
    }
    int expected = written.get(0).get() + written.get(1).get();
    assertThat(expected).isPositive();
    assertThat(subscriber.rows("select count(*) from altered"))
        .containsExactly(List.of(String.valueOf(expected)));
  }

  /** How many rows the service said were written. */
  private static int insertUntil(AtomicBoolean going, int first) {
    int written = 0;
    for (int id = first; going.get(); id++) {
      if (subscriber.sql("insert into altered (id) values (" + id + ")").status() == 200) {
        written++;
      }
    }
    return written;
  }

  @Test
  @DisplayName("an upload is an unsupported content type, not an internal error")
  void upload() throws Exception {
    int port =
        ((ServletWebServerApplicationContext) subscriber.webContext()).getWebServer().getPort();
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/sql"))
                    .header("Content-Type", "multipart/form-data")
                    .POST(HttpRequest.BodyPublishers.ofString("{}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(415);
  }

  @Test
  @DisplayName("a session that is idle in its transaction for too long is rolled back and ends")
  void idleInTransaction() {
    ok("create table locked (id int primary key)");
    String path =
        "/api/v1/sessions/" + subscriber.post("/api/v1/sessions", null).text("id") + "/sql";
    subscriber.post(
        path,
        "{\"sql\":\"set idle_in_transaction_session_timeout = '1ms'; begin; insert into locked"
            + " values (1)\"}");
    await()
        .untilAsserted(
            () ->
                assertThat(subscriber.post(path, "{\"sql\":\"select 1\"}").status())
                    .isEqualTo(404));
    ok("insert into locked values (1)");
  }

  @Test
  @DisplayName("a table keeps its OID through ALTER and RENAME; a new one of its name gets another")
  void oids() {
    ok("create table kept (id int primary key)");
    String oid = oid("kept");
    long version = subscriber.bean(TargetDatabase.class).schemaVersion();
    ok("alter table kept add column b text");
    assertThat(subscriber.bean(TargetDatabase.class).schemaVersion()).isNotEqualTo(version);
    ok("alter table kept rename to \"Mixed Case\"");
    assertThat(oid("Mixed Case")).isEqualTo(oid);
    ok("drop table \"Mixed Case\"");
    ok("create table \"Mixed Case\" (id int primary key)");
    assertThat(oid("Mixed Case")).isNotEqualTo(oid);
  }

  @Test
  @DisplayName("an ALTER TABLE of several actions happens whole or not at all")
  void compoundAlter() {
    ok(
        "create table compound (id int primary key, a text, b int); create index on compound (b, a)");
    ok("create table refers (id int references compound)");
    ok("insert into compound values (1, '1', 1), (2, 'two', null)");
    for (String actions :
        List.of(
            "drop column b, alter column a type int",
            "add column c int, drop column a, alter column b set not null")) {
      assertThat(subscriber.sql("alter table compound " + actions).status()).isEqualTo(422);
      assertThat(subscriber.rows("select * from compound where id = 1"))
          .containsExactly(List.of("1", "1", "1"));
    }
    ok(
        "alter table compound drop column b, add column c int default 5, alter column a set not null");
    assertThat(subscriber.rows("select * from compound order by id"))
        .containsExactly(List.of("1", "1", "5"), List.of("2", "two", "5"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drop subscription no|42704",
        "alter subscription no disable|42704",
        "comment on subscription no is 'x'|0A000",
        "drop publication no|0A000",
        "drop table no|42P01",
        "drop view no|42P01",
        "drop index no|42704",
        "drop sequence no|42P01",
        "drop schema no|3F000",
        "drop type no|42704",
        "drop table kind_view|42809",
        "drop table if exists kind_view|42809",
        "drop view kind_table|42809",
        "drop index kind_table|42809",
        "drop sequence kind_table|42809",
        "drop table kind_sequence|42809",
        "alter table no add column x int|42P01",
        "alter table kind_table drop column no|42703",
        "alter table kind_table drop constraint no|42704",
        "alter table kind_table replica identity using index no|42704",
        "truncate no|42P01",
        "truncate kind_view|42809",
      })
  @DisplayName("commands on objects that do not exist or are of another kind get their SQLSTATE")
  void wrongObjects(String sql, String sqlState) {
    ok("create table if not exists kind_table (id int primary key)");
    ok("create or replace view kind_view as select 1 as one");
    ok("create sequence if not exists kind_sequence");
    RunningSubscriber.Answer answer = subscriber.sql(sql);
    assertThat(answer.status()).as(String.valueOf(answer.body())).isEqualTo(422);
    assertThat(answer.text("sqlstate")).as(answer.text("detail")).isEqualTo(sqlState);
  }

  @Test
  @DisplayName("a dropped table leaves its subscription")
  void droppedTable() throws Exception {
    ok("create table leaving (id int primary key); create table staying (id int primary key)");
    try (ScriptedPublisher publisher = new ScriptedPublisher()) {
      publisher.publish("p", "leaving", "staying");
      ok(
          "create subscription tables_sub connection '"
              + publisher.connection()
              + "' publication p with (copy_data = false)");
      ok("drop table leaving");
      assertThat(
              subscriber.rows(
                  "select c.relname from pg_subscription_rel r left join pg_class c on c.oid ="
                      + " r.srrelid"))
          .containsExactly(List.of("staying"));
      ok("drop subscription tables_sub");
    }
  }

  @Test
  @DisplayName("foreign keys rest while their table is subscribed and hold again afterwards")
  void foreignKeys() throws Exception {
    ok("create table parent (id int primary key)");
    ok("create table child (id int primary key references parent)");
    try (ScriptedPublisher publisher = new ScriptedPublisher()) {
      publisher.publish("p", "child");
      ok(
          "create subscription fk_sub connection '"
              + publisher.connection()
              + "' publication p with (copy_data = false)");
      subscriber
          .bean(TargetDatabase.class)
          .skipForeignKeyChecks(new dev.millrace.model.QualifiedName("public", "child"));
      ok("insert into child values (1)");
      ok("drop subscription fk_sub");
      AtomicInteger next = new AtomicInteger(2);
      await()
          .untilAsserted(
              () ->
                  assertThat(
                          subscriber
                              .sql("insert into child values (" + next.getAndIncrement() + ")")
                              .text("sqlstate"))
                      .isEqualTo("23503"));
    }
  }

  @Test
  @DisplayName("schemas of the user's own work, and their tables are found in pg_class")
  void schemas() {
    ok("create schema sales");
    ok("create table sales.orders (id int primary key)");
    ok("insert into sales.orders values (7)");
    assertThat(
            subscriber.rows(
                "select n.nspname, c.relname, c.relreplident from pg_class c join pg_namespace n"
                    + " on n.oid = c.relnamespace where c.relname = 'orders'"))
        .containsExactly(List.of("sales", "orders", "d"));
    String oid = oid("orders");
    ok("alter schema sales rename to sold");
    assertThat(oid("orders")).isEqualTo(oid);
    assertThat(subscriber.rows("select id from sold.orders")).containsExactly(List.of("7"));
    assertThat(subscriber.rows("select oid from pg_namespace where nspname = 'public'"))
        .containsExactly(List.of("2200"));
  }

  @Test
  @DisplayName("REPLICA IDENTITY is kept and shown, and refused for an index that cannot serve")
  void replicaIdentity() {
    ok("create table ri (a int not null, b int)");
    ok("create unique index ri_a on ri (a)");
    ok("create unique index ri_b on ri (b)");
    ok("alter table ri replica identity using index ri_a");
    assertThat(subscriber.rows("select relreplident from pg_class where relname = 'ri'"))
        .containsExactly(List.of("i"));
    Answer nullable = subscriber.sql("alter table ri replica identity using index ri_b");
    assertThat(nullable.text("sqlstate")).isEqualTo("42809");
    assertThat(nullable.text("detail")).contains("column \"b\" is nullable");
    assertThat(subscriber.sql("alter table ri replica identity using index nope").text("sqlstate"))
        .isEqualTo("42704");
    assertThat(subscriber.sql("alter table nope replica identity full").text("sqlstate"))
        .isEqualTo("42P01");
    ok("alter index ri_a rename to ri_renamed");
    assertThat(
            subscriber.rows(
                "select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where"
                    + " i.indisreplident"))
        .containsExactly(List.of("ri_renamed"));
    ok("alter table ri replica identity full");
    assertThat(subscriber.rows("select relreplident from pg_class where relname = 'ri'"))
        .containsExactly(List.of("f"));
  }

  @Test
  @DisplayName("TRUNCATE .. RESTART IDENTITY starts numbers again")
  void truncate() {
    ok("create table numbered (id serial primary key, a int)");
    ok("insert into numbered (a) values (1), (2)");
    ok("truncate numbered restart identity");
    ok("insert into numbered (a) values (3)");
    assertThat(subscriber.rows("select id from numbered")).containsExactly(List.of("1"));
  }

  @ParameterizedTest
  @DisplayName("the catalogue and the machine are out of reach")
  @ValueSource(
      strings = {
        "select * from millrace.subscription",
        "delete from millrace.replication_progress",
        "create table millrace.mine (id int)",
        "drop table millrace.subscription",
        "alter table millrace.subscription add column x int",
        "create view peek as select * from millrace.subscription",
        "create view peek as select * from \"millrace\" . subscription",
        "drop schema millrace",
        "create table pg_catalog_millrace.mine (id int)",
        "select file_read('/etc/hostname')",
        "create alias x for 'java.lang.System.getProperty'",
        "shutdown",
        "script",
        "create user u password 'x' admin",
        "set default_lock_timeout 1",
        "backup to 'x.zip'",
      })
  void outOfReach(String sql) {
    Answer answer = subscriber.sql(sql);
    assertThat(answer.status()).as("%s: %s", sql, answer.body()).isEqualTo(422);
    assertThat(answer.text("sqlstate")).isIn("42501", "42601", "42P01", "0A000", "42704", "42883");
    assertThat(subscriber.rows("select 1")).containsExactly(List.of("1"));
  }

  @Test
  @DisplayName("everything is there after a restart")
  void restart(@TempDir Path otherDir) {
    try (RunningSubscriber first = new RunningSubscriber(otherDir)) {
      assertThat(
              first.sql("create table t (id int primary key); insert into t values (1)").status())
          .isEqualTo(200);
      assertThat(first.sql("alter table t replica identity full").status()).isEqualTo(200);
      first.post(
          "/api/v1/subscriptions",
          "{\"name\":\"s\",\"connection\":\"host=h\",\"publications\":[\"p\"],\"connect\":false}");
    }
    try (RunningSubscriber second = new RunningSubscriber(otherDir)) {
      assertThat(second.rows("select id from t")).containsExactly(List.of("1"));
      assertThat(second.rows("select relreplident from pg_class where relname = 't'"))
          .containsExactly(List.of("f"));
      assertThat(second.rows("select subname, subenabled from pg_subscription"))
          .containsExactly(List.of("s", "false"));
      assertThat(second.sql("create table t2 (id int primary key)").status()).isEqualTo(200);
    }
  }
}
