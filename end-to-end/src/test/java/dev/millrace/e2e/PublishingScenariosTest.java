package dev.millrace.e2e;

import static dev.millrace.e2e.Rows.row;
import static dev.millrace.e2e.Rows.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.tools.MillraceApi;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@DisplayName("Publishing and applying")
class PublishingScenariosTest {

  private final Pair pair = SharedPair.get();

  @Test
  @DisplayName("S01 only published actions arrive")
  void publishedActions() {
    pair.both(
        "CREATE TABLE s01_ins (a int); CREATE TABLE s01_rep (a int PRIMARY KEY); CREATE TABLE s01_none (a int)");
    pair.publisher().sql("INSERT INTO s01_ins SELECT x FROM generate_series(1, 1002) AS g(x)");
    pair.publisher()
        .sql("CREATE PUBLICATION s01_insert FOR TABLE s01_ins WITH (publish = 'insert')");
    pair.publisher().sql("CREATE PUBLICATION s01_all FOR TABLE s01_rep");
    pair.subscribe("s01", "s01_insert, s01_all", null);
    pair.awaitSynced("s01");
    for (String table : List.of("s01_ins", "s01_rep")) {
      pair.publisher()
          .sql(
              "INSERT INTO %1$s SELECT x FROM generate_series(1, 50) AS g(x); DELETE FROM %1$s WHERE a > 20; UPDATE %1$s SET a = -a"
                  .formatted(table));
    }
    pair.publisher().sql("INSERT INTO s01_none VALUES (1)");
    pair.awaitCaughtUp("s01");
    assertThat(pair.subscriber().rows("SELECT count(*), min(a), max(a) FROM s01_ins"))
        .isEqualTo(rows(row("1052", "1", "1002")));
    assertThat(pair.subscriber().rows("SELECT count(*), min(a), max(a) FROM s01_rep"))
        .isEqualTo(rows(row("20", "-20", "-1")));
    assertThat(pair.subscriber().value("SELECT count(*) FROM s01_none")).isEqualTo("0");
  }

  @Test
  @DisplayName("S02 columns are matched by name, extra local columns keep default and local value")
  void columnsByName() {
    pair.publisher().sql("CREATE TABLE s02 (a int PRIMARY KEY, b text, c numeric)");
    pair.subscriber()
        .sql("CREATE TABLE s02 (d text DEFAULT 'local', c numeric, b text, a int PRIMARY KEY)");
    pair.publisher().sql("INSERT INTO s02 VALUES (1, 'foo', 1.1)");
    pair.publisher().sql("CREATE PUBLICATION s02_pub FOR TABLE s02");
    pair.subscribe("s02_sub", "s02_pub", null);
    pair.awaitSynced("s02_sub");
    pair.publisher()
        .sql("INSERT INTO s02 VALUES (2, 'bar', 2.2); UPDATE s02 SET b = 'baz' WHERE a = 1");
    pair.awaitCaughtUp("s02_sub");
    pair.subscriber().sql("UPDATE s02 SET d = 'changed here' WHERE a = 2");
    pair.publisher().sql("UPDATE s02 SET c = 3.3 WHERE a = 2");
    pair.awaitCaughtUp("s02_sub");
    assertThat(pair.subscriber().rows("SELECT a, b, c, d FROM s02 ORDER BY a"))
        .isEqualTo(rows(row("1", "baz", "1.1", "local"), row("2", "bar", "3.3", "changed here")));
  }

  @Test
  @DisplayName(
      "S04 the replica identity decides the old part, a new index from the very next change")
  void replicaIdentity() {
    MillraceApi publisher = pair.publisher();
    publisher.sql(
        """
        CREATE TABLE s04_pk (a int PRIMARY KEY, b text);
        CREATE TABLE s04_full (a int, b text);
        ALTER TABLE s04_full REPLICA IDENTITY FULL;
        CREATE TABLE s04_idx (a int NOT NULL, b text NOT NULL);
        CREATE UNIQUE INDEX s04_idx_a ON s04_idx (a);
        CREATE UNIQUE INDEX s04_idx_b ON s04_idx (b);
        ALTER TABLE s04_idx REPLICA IDENTITY USING INDEX s04_idx_a;
        CREATE TABLE s04_none (a int, b text);
        CREATE TABLE s04_insert_only (a int, b text);
        CREATE PUBLICATION s04_pub FOR TABLE s04_pk, s04_full, s04_idx, s04_none;
        CREATE PUBLICATION s04_pub_insert FOR TABLE s04_insert_only WITH (publish = 'insert');
        """);
    publisher.post("/api/v1/slots", Map.of("slot_name", "s04", "plugin", "pgoutput"));
    for (String table : List.of("s04_pk", "s04_full", "s04_idx")) {
      publisher.sql("INSERT INTO " + table + " VALUES (1, 'x')");
      publisher.sql("UPDATE " + table + " SET b = 'y' WHERE a = 1");
      publisher.sql("UPDATE " + table + " SET a = 2 WHERE a = 1");
      publisher.sql("DELETE FROM " + table + " WHERE a = 2");
    }
    assertThat(changes("s04", "s04_pub"))
        .containsExactly(
            "I N(1,x)",
            "U N(1,y)",
            "U K(1,null) N(2,y)",
            "D K(2,null)",
            "I N(1,x)",
            "U O(1,x) N(1,y)",
            "U O(1,y) N(2,y)",
            "D O(2,y)",
            "I N(1,x)",
            "U N(1,y)",
            "U K(1,null) N(2,y)",
            "D K(2,null)");
    publisher.sql("INSERT INTO s04_idx VALUES (5, 'e')");
    publisher.sql("ALTER TABLE s04_idx REPLICA IDENTITY USING INDEX s04_idx_b");
    publisher.sql("UPDATE s04_idx SET b = 'f' WHERE a = 5");
    assertThat(changes("s04", "s04_pub")).containsExactly("I N(5,e)", "U K(null,e) N(5,f)");
    publisher.sql("INSERT INTO s04_none VALUES (1, 'x')");
    MillraceApi.Refused update = refused("UPDATE s04_none SET b = 'y'");
    assertThat(update.sqlState()).isEqualTo("55000");
    assertThat(update.member("detail"))
        .contains(
            "cannot update table \"s04_none\" because it does not have a replica identity and publishes updates");
    assertThat(update.member("hint"))
        .isEqualTo("To enable updating the table, set REPLICA IDENTITY using ALTER TABLE.");
    assertThat(refused("DELETE FROM s04_none WHERE a = 99").member("detail"))
        .contains(
            "cannot delete from table \"s04_none\" because it does not have a replica identity and publishes deletes");
    publisher.sql(
        "INSERT INTO s04_insert_only VALUES (1, 'x'); UPDATE s04_insert_only SET b = 'y'; DELETE FROM s04_insert_only");
    publisher.delete("/api/v1/slots/s04");
  }

  private MillraceApi.Refused refused(String sql) {
    return catchThrowableOfType(MillraceApi.Refused.class, () -> pair.publisher().sql(sql));
  }

  /** The I, U, D and T messages a slot gives, as short text; consumes them. */
  private List<String> changes(String slot, String publication) {
    return Changes.get(pair.publisher(), slot, publication);
  }

  @Test
  @DisplayName("S05 under FULL exactly one row per change, among duplicates, nulls and look-alikes")
  void fullIdentity() {
    pair.both(
        """
        CREATE TABLE s05 (a int);
        ALTER TABLE s05 REPLICA IDENTITY FULL;
        CREATE TABLE s05_two (a int, b text);
        ALTER TABLE s05_two REPLICA IDENTITY FULL;
        """);
    pair.publisher().sql("INSERT INTO s05 SELECT x FROM generate_series(1, 10) AS g(x)");
    pair.publisher().sql("INSERT INTO s05 SELECT x FROM generate_series(1, 10) AS g(x)");
    pair.publisher().sql("INSERT INTO s05_two VALUES (1, NULL)");
    pair.publisher().sql("CREATE PUBLICATION s05_pub FOR TABLE s05, s05_two");
    pair.subscribe("s05_sub", "s05_pub", null);
    pair.awaitSynced("s05_sub");
    pair.subscriber().sql("INSERT INTO s05_two VALUES (1, NULL), (1, NULL)");
    pair.publisher().sql("UPDATE s05 SET a = a * a");
    pair.publisher().sql("UPDATE s05_two SET b = 'one' WHERE a = 1");
    pair.awaitCaughtUp("s05_sub");
    assertThat(pair.subscriber().rows("SELECT count(*), min(a), max(a) FROM s05"))
        .isEqualTo(rows(row("20", "1", "100")));
    pair.assertEqual("SELECT a FROM s05 ORDER BY a");
    assertThat(pair.subscriber().rows("SELECT b, count(*) FROM s05_two GROUP BY b ORDER BY b"))
        .containsExactlyInAnyOrder(row("one", "1"), row(null, "2"));
  }

  @Test
  @DisplayName("S05 default-filled and dropped columns still match under FULL")
  void fullIdentityAfterAlter() {
    pair.both(
        "CREATE TABLE s05_alter (a int, gone int); ALTER TABLE s05_alter REPLICA IDENTITY FULL");
    pair.publisher().sql("INSERT INTO s05_alter VALUES (1, 1), (2, 2)");
    pair.publisher().sql("CREATE PUBLICATION s05_alter_pub FOR TABLE s05_alter");
    pair.subscribe("s05_alter_sub", "s05_alter_pub", null);
    pair.awaitSynced("s05_alter_sub");
    pair.both(
        "ALTER TABLE s05_alter ADD COLUMN b boolean DEFAULT false NOT NULL; ALTER TABLE s05_alter DROP COLUMN gone");
    pair.publisher().sql("UPDATE s05_alter SET a = a + 10");
    pair.awaitCaughtUp("s05_alter_sub");
    pair.assertBoth(
        "SELECT a, b FROM s05_alter ORDER BY a", rows(row("11", "false"), row("12", "false")));
    assertThat(pair.stats("s05_alter_sub").get("confl_update_missing").asInt()).isZero();
  }

  @Test
  @DisplayName("S06 an unchanged large value is not sent again and kept")
  void unchangedLargeValue() {
    pair.both("CREATE TABLE s06 (a int PRIMARY KEY, b text, c numeric)");
    pair.publisher().sql("INSERT INTO s06 VALUES (1, 'small', 1.0)");
    pair.publisher().sql("CREATE PUBLICATION s06_pub FOR TABLE s06");
    pair.publisher().post("/api/v1/slots", Map.of("slot_name", "s06_peek", "plugin", "pgoutput"));
    pair.subscribe("s06_sub", "s06_pub", null);
    pair.awaitSynced("s06_sub");
    pair.publisher().sql("UPDATE s06 SET b = repeat('x', 500000) WHERE a = 1");
    pair.publisher().sql("UPDATE s06 SET c = 2.5 WHERE a = 1");
    pair.awaitCaughtUp("s06_sub");
    assertThat(pair.subscriber().rows("SELECT length(b), c FROM s06"))
        .isEqualTo(rows(row("500000", "2.5")));
    List<String> changes = changes("s06_peek", "s06_pub");
    assertThat(changes.get(1)).isEqualTo("U N(1,unchanged,2.5)");
    pair.publisher().delete("/api/v1/slots/s06_peek");
  }

  @Test
  @DisplayName("S07 missing rows are conflicts: counted, listed, and the worker goes on")
  void missingRows() {
    pair.both(
        "CREATE TABLE s07 (a int PRIMARY KEY, b text); CREATE TABLE s07_full (a int, b text); ALTER TABLE s07_full REPLICA IDENTITY FULL");
    pair.publisher()
        .sql(
            "INSERT INTO s07 VALUES (1, 'x'), (2, 'y'); INSERT INTO s07_full VALUES (1, 'x'), (2, 'y')");
    pair.publisher().sql("CREATE PUBLICATION s07_pub FOR TABLE s07, s07_full");
    pair.subscribe("s07_sub", "s07_pub", null);
    pair.awaitSynced("s07_sub");
    String pid = walsenderOf("s07_sub");
    pair.subscriber().sql("DELETE FROM s07; DELETE FROM s07_full");
    for (String table : List.of("s07", "s07_full")) {
      pair.publisher().sql("UPDATE " + table + " SET b = 'z' WHERE a = 1");
      pair.publisher().sql("DELETE FROM " + table + " WHERE a = 2");
    }
    pair.publisher().sql("INSERT INTO s07 VALUES (3, 'later')");
    pair.awaitCaughtUp("s07_sub");
    assertThat(pair.subscriber().rows("SELECT * FROM s07")).isEqualTo(rows(row("3", "later")));
    JsonNode stats = pair.stats("s07_sub");
    assertThat(stats.get("confl_update_missing").asInt()).isEqualTo(2);
    assertThat(stats.get("confl_delete_missing").asInt()).isEqualTo(2);
    assertThat(stats.get("apply_error_count").asInt()).isZero();
    assertThat(pair.subscriber().get("/api/v1/subscriptions/s07_sub/conflicts")).hasSize(4);
    assertThat(walsenderOf("s07_sub")).isEqualTo(pid);
  }

  private String walsenderOf(String slot) {
    return pair.publisher().get("/api/v1/slots/" + slot).get("active_pid").asString();
  }

  @Test
  @DisplayName(
      "S08 TRUNCATE: restart identity, insert-only publication, foreign keys, several subscriptions")
  void truncate() {
    String tables =
        """
        CREATE TABLE s08_1 (a int);
        CREATE TABLE s08_2 (a int PRIMARY KEY);
        CREATE TABLE s08_3 (a int PRIMARY KEY);
        CREATE TABLE s08_4 (a int PRIMARY KEY, b int REFERENCES s08_3);
        CREATE TABLE s08_5 (a int PRIMARY KEY);
        """;
    pair.publisher().sql(tables);
    pair.subscriber()
        .sql(
            tables.replace(
                "s08_1 (a int)",
                "s08_1 (a int, id int GENERATED BY DEFAULT AS IDENTITY (START WITH 101))"));
    pair.publisher()
        .sql(
            """
            CREATE PUBLICATION s08_pub FOR TABLE s08_1, s08_3, s08_4;
            CREATE PUBLICATION s08_pub2 FOR TABLE s08_2 WITH (publish = 'insert');
            CREATE PUBLICATION s08_pub5 FOR TABLE s08_5;
            """);
    pair.subscribe("s08_sub", "s08_pub, s08_pub2", null);
    pair.subscribe("s08_five_a", "s08_pub5", null);
    pair.subscribe("s08_five_b", "s08_pub5", "copy_data = false, enabled = true");
    pair.awaitSynced("s08_sub");
    pair.awaitSynced("s08_five_a");
    pair.awaitSynced("s08_five_b");
    MillraceApi publisher = pair.publisher();
    publisher.sql("INSERT INTO s08_1 VALUES (1), (2)");
    publisher.sql("TRUNCATE s08_1");
    publisher.sql("INSERT INTO s08_1 VALUES (3)");
    pair.awaitCaughtUp("s08_sub");
    assertThat(pair.subscriber().rows("SELECT a, id FROM s08_1")).isEqualTo(rows(row("3", "103")));
    publisher.sql("TRUNCATE s08_1 RESTART IDENTITY");
    publisher.sql("INSERT INTO s08_1 VALUES (4)");
    pair.awaitCaughtUp("s08_sub");
    assertThat(pair.subscriber().rows("SELECT a, id FROM s08_1")).isEqualTo(rows(row("4", "101")));
    publisher.sql("INSERT INTO s08_2 VALUES (1); TRUNCATE s08_2");
    pair.awaitCaughtUp("s08_sub");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s08_2")).isEqualTo("1");
    publisher.sql("ALTER PUBLICATION s08_pub2 SET (publish = 'insert, truncate')");
    publisher.sql("TRUNCATE s08_2");
    publisher.sql("INSERT INTO s08_3 VALUES (1); INSERT INTO s08_4 VALUES (1, 1)");
    publisher.sql("TRUNCATE s08_3, s08_4");
    publisher.sql("INSERT INTO s08_5 VALUES (1); TRUNCATE s08_5; INSERT INTO s08_5 VALUES (2)");
    pair.awaitCaughtUp("s08_sub");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s08_2")).isEqualTo("0");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s08_3")).isEqualTo("0");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s08_4")).isEqualTo("0");
    publisher.sql("INSERT INTO s08_1 VALUES (7); INSERT INTO s08_2 VALUES (7)");
    publisher.sql("ALTER PUBLICATION s08_pub2 DROP TABLE s08_2");
    publisher.sql("TRUNCATE s08_1, s08_2");
    pair.awaitCaughtUp("s08_sub");
    assertThat(pair.subscriber().value("SELECT count(*) FROM s08_1")).isEqualTo("0");
    assertThat(pair.subscriber().rows("SELECT a FROM s08_2")).isEqualTo(rows(row("7")));
    pair.dropSubscription("s08_five_a");
    pair.dropSubscription("s08_five_b");
  }

  @Test
  @DisplayName(
      "S09 a transaction without published changes sends nothing but moves the confirmed position")
  void emptyTransaction() {
    pair.both("CREATE TABLE s09 (a int PRIMARY KEY); CREATE TABLE s09_other (a int PRIMARY KEY)");
    pair.publisher().sql("CREATE PUBLICATION s09_pub FOR TABLE s09");
    pair.publisher().post("/api/v1/slots", Map.of("slot_name", "s09_peek", "plugin", "pgoutput"));
    pair.subscribe("s09_sub", "s09_pub", null);
    pair.awaitSynced("s09_sub");
    pair.publisher().sql("INSERT INTO s09_other SELECT x FROM generate_series(1, 100) AS g(x)");
    pair.awaitCaughtUp("s09_sub");
    JsonNode answer =
        pair.publisher()
            .post(
                "/api/v1/slots/s09_peek/peek-changes",
                Map.of(
                    "binary",
                    true,
                    "options",
                    Map.of("proto_version", "1", "publication_names", "s09_pub")));
    assertThat(answer.get("changes")).isEmpty();
    pair.publisher().delete("/api/v1/slots/s09_peek");
  }

  @Test
  @DisplayName("names with capitals, dots, quotes and blanks pass through unharmed")
  void oddNames() {
    String create =
        """
        CREATE SCHEMA "My Schema";
        CREATE TABLE "My Schema"."tab'le.with""quote" ("Key.1" int PRIMARY KEY, "select" text, "été" text);
        """;
    pair.both(create);
    pair.publisher()
        .sql("INSERT INTO \"My Schema\".\"tab'le.with\"\"quote\" VALUES (1, 'a''b', NULL)");
    pair.publisher()
        .sql("CREATE PUBLICATION \"Pub Upper'\" FOR TABLE \"My Schema\".\"tab'le.with\"\"quote\"");
    pair.subscribe(
        "\"flobble-biscuits?whatisthetime/hahahaha\"", "\"Pub Upper'\"", "slot_name = 'odd_names'");
    pair.awaitCaughtUp("odd_names");
    dev.millrace.tools.Replication.awaitSynced(
        pair.subscriber(), "flobble-biscuits?whatisthetime/hahahaha", Pair.WAIT_MS);
    pair.publisher()
        .sql(
            "UPDATE \"My Schema\".\"tab'le.with\"\"quote\" SET \"select\" = 'ü\\n', \"Key.1\" = 2");
    pair.awaitCaughtUp("odd_names");
    pair.assertBoth(
        "SELECT \"Key.1\", \"select\", \"été\" FROM \"My Schema\".\"tab'le.with\"\"quote\"",
        rows(row("2", "ü\\n", null)));
  }
}
