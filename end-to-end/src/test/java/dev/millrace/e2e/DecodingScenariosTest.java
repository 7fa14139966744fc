package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.tools.MillraceApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@DisplayName("Decoding and slots, seen through the slot functions")
class DecodingScenariosTest {

  @TempDir static Path directory;
  static Node node;
  static MillraceApi publisher;

  @BeforeAll
  static void start() {
    node =
        Node.publisher(
            directory.resolve("publisher"),
            "--millrace.settings.logical_decoding_work_mem=64kB",
            "--millrace.settings.max_replication_slots=20");
    publisher = node.api();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static void slot(String name, String plugin) {
    publisher.post("/api/v1/slots", Map.of("slot_name", name, "plugin", plugin));
  }

  private static List<String> text(String slot, String call) {
    JsonNode answer =
        publisher.post(
            "/api/v1/slots/" + slot + "/" + call,
            Map.of("options", Map.of("include-xids", "0", "skip-empty-xacts", "1")));
    return answer
        .get("changes")
        .valueStream()
        .map(change -> change.get("data").asString())
        .toList();
  }

  @Test
  @DisplayName(
      "S16 transactions leave in commit order, nothing uncommitted; peek repeats, get consumes")
  void commitOrder() {
    publisher.sql("CREATE TABLE s16 (a int PRIMARY KEY)");
    slot("s16", "test_decoding");
    try (MillraceApi.Session a = publisher.openSession()) {
      a.sql("BEGIN");
      a.sql("INSERT INTO s16 VALUES (1)");
      publisher.sql("INSERT INTO s16 VALUES (2)");
      List<String> onlyB = List.of("BEGIN", "table public.s16: INSERT: a[integer]:2", "COMMIT");
      assertThat(text("s16", "peek-changes")).isEqualTo(onlyB);
      assertThat(text("s16", "get-changes")).isEqualTo(onlyB);
      assertThat(text("s16", "get-changes")).isEmpty();
      a.sql("INSERT INTO s16 VALUES (3)");
      a.sql("COMMIT");
      assertThat(text("s16", "get-changes"))
          .containsExactly(
              "BEGIN",
              "table public.s16: INSERT: a[integer]:1",
              "table public.s16: INSERT: a[integer]:3",
              "COMMIT");
      publisher.sql("BEGIN; INSERT INTO s16 VALUES (4); ROLLBACK");
      assertThat(text("s16", "get-changes")).isEmpty();
    }
    publisher.delete("/api/v1/slots/s16");
  }

  @Test
  @DisplayName("S17 savepoint trees: released rows stay in order, rolled back ones never appear")
  void savepointTrees() {
    publisher.sql("CREATE TABLE s17 (a int PRIMARY KEY)");
    slot("s17", "test_decoding");
    publisher.sql(
        """
        BEGIN; INSERT INTO s17 VALUES (1); SAVEPOINT a; INSERT INTO s17 VALUES (2), (3); RELEASE a;
        SAVEPOINT b; SAVEPOINT c; INSERT INTO s17 VALUES (4), (5); RELEASE c; INSERT INTO s17 VALUES (6); RELEASE b; COMMIT
        """);
    assertThat(inserted("s17")).containsExactly("1", "2", "3", "4", "5", "6");
    StringBuilder nested = new StringBuilder("BEGIN;");
    for (int i = 0; i < 80; i++) {
      nested.append("SAVEPOINT n").append(i).append(';');
    }
    nested.append(
        "INSERT INTO s17 VALUES (11); INSERT INTO s17 VALUES (12); INSERT INTO s17 VALUES (13);");
    nested.append("RELEASE n0; INSERT INTO s17 VALUES (14); COMMIT");
    publisher.sql(nested.toString());
    assertThat(inserted("s17")).containsExactly("11", "12", "13", "14");
    publisher.sql(
        "BEGIN; INSERT INTO s17 VALUES (21); SAVEPOINT s; INSERT INTO s17 VALUES (22); ROLLBACK TO s;"
            + " INSERT INTO s17 VALUES (23); RELEASE s; INSERT INTO s17 VALUES (24); COMMIT");
    assertThat(inserted("s17")).containsExactly("21", "23", "24");
    publisher.sql("BEGIN; SAVEPOINT s; INSERT INTO s17 VALUES (31); COMMIT");
    assertThat(inserted("s17")).containsExactly("31");
    publisher.sql(
        "BEGIN; SELECT * FROM s17 WHERE a = 31 FOR UPDATE; SAVEPOINT s; INSERT INTO s17 VALUES (41); COMMIT");
    assertThat(inserted("s17")).containsExactly("41");
    publisher.delete("/api/v1/slots/s17");
  }

  private static List<String> inserted(String slot) {
    return text(slot, "get-changes").stream()
        .filter(line -> line.contains("INSERT"))
        .map(line -> line.substring(line.lastIndexOf(':') + 1))
        .toList();
  }

  @Test
  @DisplayName("S18 spill matrix: every piece counts exactly, in order, and no spill file stays")
  void spillMatrix() throws Exception {
    publisher.sql("CREATE TABLE s18 (a int PRIMARY KEY, b text)");
    slot("s18", "test_decoding");
    int next = 1;
    for (String shape :
        List.of("T", "S", "ST", "St", "TS", "Ts", "SS", "Ss", "sS", "[SS]", "[sS]")) {
      next = runShape(shape, next);
      long rows = text("s18", "peek-changes").size() - 2;
      List<String> values =
          text("s18", "get-changes").stream()
              .filter(line -> line.contains("INSERT"))
              .map(line -> line.replaceAll(".*a\\[integer\\]:(\\d+) .*", "$1"))
              .toList();
      assertThat(values).as(shape).hasSize((int) rows).hasSize(expectedRows(shape));
      assertThat(values.stream().map(Integer::valueOf)).as(shape).isSorted();
      assertThat(values.get(values.size() - 1)).as(shape).isEqualTo(String.valueOf(next - 1));
    }
    JsonNode stats = publisher.get("/api/v1/slots/s18/stats");
    assertThat(stats.get("spill_txns").asLong()).isPositive();
    assertThat(stats.get("spill_count").asLong()).isPositive();
    assertThat(stats.get("spill_bytes").asLong()).isPositive();
    try (Stream<Path> files = Files.walk(directory.resolve("publisher").resolve("pg_replslot"))) {
      assertThat(files.filter(file -> file.toString().endsWith(".spill"))).isEmpty();
    }
    publisher.delete("/api/v1/slots/s18");
  }

  /**
   * T, t: big or small piece at top level; S, s: in a released savepoint; [..]: nested in one.
   * Returns the next key.
   */
  private static int runShape(String shape, int firstKey) {
    StringBuilder sql = new StringBuilder("BEGIN;");
    int key = firstKey;
    for (char piece : shape.toCharArray()) {
      if (piece == '[') {
        sql.append("SAVEPOINT outer_one;");
      } else if (piece == ']') {
        sql.append("RELEASE outer_one;");
      } else {
        int rows = Character.isUpperCase(piece) ? 5000 : 1;
        boolean sub = Character.toUpperCase(piece) == 'S';
        sql.append(sub ? "SAVEPOINT piece;" : "");
        sql.append(
            "INSERT INTO s18 SELECT x, 'serialize-topbig--1:' || x FROM generate_series(%d, %d) AS g(x);"
                .formatted(key, key + rows - 1));
        sql.append(sub ? "RELEASE piece;" : "");
        key += rows;
      }
    }
    publisher.sql(sql.append("COMMIT").toString());
    return key;
  }

  private static int expectedRows(String shape) {
    return shape
        .chars()
        .map(piece -> Character.isUpperCase(piece) ? 5000 : Character.isLetter(piece) ? 1 : 0)
        .sum();
  }

  @Test
  @DisplayName("S25 a changed table is decoded with the columns valid at each change")
  void alterBetween() {
    publisher.sql("CREATE TABLE s25 (a int PRIMARY KEY, b text)");
    slot("s25", "test_decoding");
    publisher.sql("INSERT INTO s25 VALUES (1, 'x')");
    publisher.sql("ALTER TABLE s25 ADD COLUMN c int DEFAULT 7");
    publisher.sql("UPDATE s25 SET b = 'y' WHERE a = 1");
    publisher.sql("ALTER TABLE s25 DROP COLUMN b");
    publisher.sql("INSERT INTO s25 VALUES (2, 8)");
    publisher.sql("ALTER TABLE s25 RENAME COLUMN c TO d");
    publisher.sql("ALTER TABLE s25 RENAME TO s25_renamed");
    publisher.sql("INSERT INTO s25_renamed VALUES (3, 9)");
    assertThat(text("s25", "get-changes").stream().filter(line -> line.startsWith("table")))
        .containsExactly(
            "table public.s25: INSERT: a[integer]:1 b[text]:'x'",
            "table public.s25: UPDATE: a[integer]:1 b[text]:'y' c[integer]:7",
            "table public.s25: INSERT: a[integer]:2 c[integer]:8",
            "table public.s25_renamed: INSERT: a[integer]:3 d[integer]:9");
    publisher.delete("/api/v1/slots/s25");
  }

  @Test
  @DisplayName("S26 membership is judged per change at its place in the log")
  void membershipPerChange() {
    publisher.sql("CREATE TABLE s26 (a int PRIMARY KEY)");
    publisher.sql("CREATE PUBLICATION s26_pub");
    slot("s26", "pgoutput");
    try (MillraceApi.Session t1 = publisher.openSession();
        MillraceApi.Session t3 = publisher.openSession()) {
      t1.sql("BEGIN; INSERT INTO s26 VALUES (1)");
      t3.sql("BEGIN; INSERT INTO s26 VALUES (2)");
      publisher.sql("ALTER PUBLICATION s26_pub ADD TABLE s26");
      t1.sql("INSERT INTO s26 VALUES (3)");
      t1.sql("COMMIT");
      t3.sql("COMMIT");
    }
    assertThat(Changes.get(publisher, "s26", "s26_pub")).containsExactly("I N(3)");
    publisher.delete("/api/v1/slots/s26");
  }

  @Test
  @DisplayName("S39 slot life: names, duplicates, own histories, advance, clean restart")
  void slotLife() {
    publisher.sql("CREATE TABLE s39 (a int PRIMARY KEY)");
    slot("s39_one", "test_decoding");
    MillraceApi.Refused twice = refusedSlot("s39_one");
    assertThat(twice.status()).isEqualTo(409);
    assertThat(twice.sqlState()).isEqualTo("42710");
    assertThat(twice.member("detail")).contains("replication slot \"s39_one\" already exists");
    for (String bad : List.of("S39", "s 39", "s-39")) {
      MillraceApi.Refused refused = refusedSlot(bad);
      assertThat(refused.sqlState()).isEqualTo("42602");
      assertThat(refused.member("detail"))
          .contains("replication slot name \"" + bad + "\" contains invalid character");
    }
    assertThat(publisher.call("DELETE", "/api/v1/slots/s39_absent", null).status()).isEqualTo(404);
    publisher.sql("INSERT INTO s39 VALUES (1)");
    slot("s39_two", "test_decoding");
    publisher.sql("INSERT INTO s39 VALUES (2)");
    assertThat(inserted("s39_one")).containsExactly("1", "2");
    assertThat(inserted("s39_two")).containsExactly("2");
    publisher.sql("INSERT INTO s39 VALUES (3)");
    publisher.post(
        "/api/v1/slots/s39_one/advance",
        Map.of("upto_lsn", publisher.value("SELECT pg_current_wal_lsn()")));
    publisher.sql("INSERT INTO s39 VALUES (4)");
    assertThat(inserted("s39_one")).containsExactly("4");
    String restartLsn = publisher.get("/api/v1/slots/s39_one").get("restart_lsn").asString();
    node.stop();
    node.start();
    publisher = node.api();
    assertThat(publisher.get("/api/v1/slots/s39_one").get("restart_lsn").asString())
        .isEqualTo(restartLsn);
    assertThat(inserted("s39_one")).isEmpty();
    assertThat(inserted("s39_two")).containsExactly("3", "4");
    assertThat(publisher.rows("SELECT a FROM s39 ORDER BY a")).hasSize(4);
    publisher.delete("/api/v1/slots/s39_one");
    publisher.delete("/api/v1/slots/s39_two");
  }

  private static MillraceApi.Refused refusedSlot(String name) {
    return catchThrowableOfType(MillraceApi.Refused.class, () -> slot(name, "test_decoding"));
  }
}
