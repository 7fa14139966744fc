package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a statement leaves in the log (requirements N2, N6, N8). */
class RowCaptureTest {

  @TempDir Path directory;
  private TestNode node;
  private long start;

  @BeforeEach
  void open() {
    node = TestNode.open(directory, Map.of("replication_max_message_size", "1MB"));
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void given(String ddl) {
    node.run(ddl);
    start = node.log().insertLsn();
  }

  private List<String> changes() {
    return node.logFrom(start).changes();
  }

  @Test
  @DisplayName("INSERT, UPDATE and DELETE by key leave one record per row and a commit each")
  void rowsByKey() {
    given("CREATE TABLE t (id int PRIMARY KEY, a text)");
    node.run("INSERT INTO t VALUES (1, 'x'), (2, NULL)");
    node.run("UPDATE t SET a = 'y' WHERE id = 1");
    node.run("UPDATE t SET id = 3 WHERE id = 2");
    node.run("DELETE FROM t WHERE id = 1");
    assertThat(changes())
        .containsExactly(
            "INSERT t N(1,x)",
            "INSERT t N(2,n)",
            "COMMIT",
            "UPDATE t N(1,y)",
            "COMMIT",
            "UPDATE t K(2,n) N(3,n)",
            "COMMIT",
            "DELETE t K(1,n)",
            "COMMIT");
  }

  @Test
  @DisplayName("Under REPLICA IDENTITY FULL the whole old row is logged, with a locator for redo")
  void fullIdentity() {
    given("CREATE TABLE t (id int PRIMARY KEY, a text); ALTER TABLE t REPLICA IDENTITY FULL");
    node.run("INSERT INTO t VALUES (1, 'x')");
    node.run("UPDATE t SET a = 'y'");
    node.run("DELETE FROM t");
    assertThat(changes())
        .containsExactly(
            "INSERT t N(1,x)",
            "COMMIT",
            "UPDATE t O(1,x) L(1) N(1,y)",
            "COMMIT",
            "DELETE t O(1,y) L(1)",
            "COMMIT");
  }

  @Test
  @DisplayName(
      "USING INDEX logs that index's columns, NOTHING no old row; both keep the key for redo")
  void otherIdentities() {
    given(
        "CREATE TABLE t (id int PRIMARY KEY, k int NOT NULL UNIQUE);"
            + "ALTER TABLE t REPLICA IDENTITY USING INDEX t_k_key");
    node.run("INSERT INTO t VALUES (1, 10)");
    node.run("UPDATE t SET k = 11");
    node.run("DELETE FROM t");
    given("ALTER TABLE t REPLICA IDENTITY NOTHING; INSERT INTO t VALUES (1, 10)");
    node.run("UPDATE t SET k = 11");
    assertThat(changes()).containsExactly("UPDATE t L(1) N(1,11)", "COMMIT");
  }

  @Test
  @DisplayName("A table without primary key has an invisible row number that only redo sees")
  void rowNumber() {
    given("CREATE TABLE t (a int)");
    node.run("INSERT INTO t VALUES (7), (7)");
    node.run("DELETE FROM t WHERE a = 7");
    assertThat(changes())
        .containsExactly(
            "INSERT t L(1) N(7)",
            "INSERT t L(2) N(7)",
            "COMMIT",
            "DELETE t L(1)",
            "DELETE t L(2)",
            "COMMIT");
    node.run("INSERT INTO t VALUES (8)");
    assertThat(node.rows("SELECT * FROM t")).containsExactly("8");
  }

  @Test
  @DisplayName("S06 A large value that an UPDATE leaves equal is logged as unchanged, except in O")
  void unchangedLargeValue() {
    given("CREATE TABLE t (id int PRIMARY KEY, big text, c int)");
    node.run("INSERT INTO t VALUES (1, repeat('x', 3000), 1)");
    node.run("UPDATE t SET c = 2, big = repeat('x', 3000)");
    node.run("ALTER TABLE t REPLICA IDENTITY FULL");
    node.run("UPDATE t SET c = 3");
    assertThat(changes())
        .contains(
            "INSERT t N(1,3000 characters,1)",
            "UPDATE t N(1,u,2)",
            "UPDATE t O(1,3000 characters,2) L(1) N(1,u,3)");
  }

  @Test
  @DisplayName("A large key value is logged as old key even when it does not change")
  void largeKey() {
    given("CREATE TABLE t (k text PRIMARY KEY, c int)");
    node.run("INSERT INTO t VALUES (repeat('k', 3000), 1)");
    node.run("UPDATE t SET c = 2");
    assertThat(changes()).contains("UPDATE t K(3000 characters,n) N(u,2)");
  }

  @Test
  @DisplayName(
      "A failed statement leaves nothing of itself in the log, also the rows before the bad one")
  void failedStatement() {
    given("CREATE TABLE t (id int PRIMARY KEY, a int CHECK (a > 0))");
    try (SqlSession session = node.session()) {
      session.execute("BEGIN; INSERT INTO t VALUES (1, 1)", List.of());
      assertThatThrownBy(() -> session.execute("INSERT INTO t VALUES (2, 2), (3, -1)", List.of()))
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("23514"));
      assertThatThrownBy(() -> session.execute("SELECT 1", List.of()))
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("25P02"));
      session.execute("ROLLBACK", List.of());
    }
    assertThat(changes()).containsExactly("INSERT t N(1,1)", "ABORT");
  }

  @Test
  @DisplayName(
      "S16 Concurrent transactions interleave in the log; each has its xid from the first change")
  void interleaving() {
    given("CREATE TABLE t (id int PRIMARY KEY)");
    try (SqlSession a = node.session();
        SqlSession b = node.session()) {
      a.execute("BEGIN; INSERT INTO t VALUES (1)", List.of());
      b.execute("BEGIN; INSERT INTO t VALUES (2)", List.of());
      a.execute("INSERT INTO t VALUES (3)", List.of());
      b.execute("COMMIT", List.of());
      a.execute("COMMIT", List.of());
    }
    List<LogText.Line> lines =
        node.logFrom(start).lines().stream()
            .filter(line -> line.type() != WalRecordType.SEQUENCE)
            .toList();
    assertThat(lines.stream().map(LogText.Line::text))
        .containsExactly("INSERT t N(1)", "INSERT t N(2)", "INSERT t N(3)", "COMMIT", "COMMIT");
    int xid = lines.get(0).xid();
    assertThat(lines.stream().map(LogText.Line::xid))
        .containsExactly(xid, xid + 1, xid, xid + 1, xid);
  }

  @Test
  @DisplayName("A statement with much to log goes there early under a subtransaction of its own")
  void earlyAppend() {
    given("CREATE TABLE t (id int PRIMARY KEY, a text)");
    node.run("INSERT INTO t SELECT x, repeat('a', 1000) FROM generate_series(1, 3000) AS s(x)");
    LogText log = node.logFrom(start);
    assertThat(log.of(WalRecordType.INSERT)).hasSize(3000);
    LogText.Line commit = log.of(WalRecordType.COMMIT).get(0);
    assertThat(commit.subxids()).hasSize(1);
    assertThat(log.of(WalRecordType.INSERT))
        .allMatch(line -> line.topXid() == commit.xid() && line.xid() == commit.subxids().get(0));
  }

  @Test
  @DisplayName("An early appended statement that fails is aborted in the log")
  void earlyAppendAborted() {
    given("CREATE TABLE t (id int PRIMARY KEY, a text CHECK (length(a) > 10))");
    try (SqlSession session = node.session()) {
      session.execute("BEGIN; INSERT INTO t VALUES (0, repeat('a', 20)); SAVEPOINT s", List.of());
      assertThatThrownBy(
              () ->
                  session.execute(
                      "INSERT INTO t SELECT x, repeat('a', 3000 - x)"
                          + " FROM generate_series(1, 3000) AS s(x)",
                      List.of()))
          .isInstanceOf(PgException.class);
      session.execute("ROLLBACK TO s; COMMIT", List.of());
    }
    LogText log = node.logFrom(start);
    int early = log.of(WalRecordType.INSERT).get(1).xid();
    assertThat(log.of(WalRecordType.ABORT)).anyMatch(line -> line.xid() == early);
    assertThat(log.of(WalRecordType.COMMIT).get(0).subxids()).doesNotContain(early);
    assertThat(node.rows("SELECT id FROM t")).containsExactly("0");
  }

  @Test
  @DisplayName("A row that does not fit one replication message is refused with 54000")
  void tooLargeRow() {
    given("CREATE TABLE t (id int PRIMARY KEY, a text)");
    assertThatThrownBy(() -> node.run("INSERT INTO t VALUES (1, repeat('x', 1100000))"))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("54000"));
    assertThat(node.rows("SELECT count(*) FROM t")).containsExactly("0");
  }

  @Test
  @DisplayName("Rows changed by foreign-key actions are captured down to grandchildren")
  void cascades() {
    given(
        "CREATE TABLE a (id int PRIMARY KEY);"
            + "CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE);"
            + "CREATE TABLE c (id int PRIMARY KEY, b int REFERENCES b ON DELETE CASCADE);"
            + "INSERT INTO a VALUES (1); INSERT INTO b VALUES (2, 1); INSERT INTO c VALUES (3, 2)");
    node.run("DELETE FROM a");
    assertThat(changes())
        .containsExactlyInAnyOrder("DELETE a K(1)", "DELETE b K(2,n)", "DELETE c K(3,n)", "COMMIT");
  }

  @Test
  @DisplayName("An UPDATE whose rows cannot be repeated one by one is refused with 23505")
  void keyOrder() {
    given("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)");
    assertThatThrownBy(() -> node.run("UPDATE t SET id = id + 1"))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("23505");
              assertThat(e).hasMessageContaining("t_pkey");
              assertThat(e.detail()).isEqualTo("Key (id)=(2) already exists.");
            });
    node.run("UPDATE t SET id = id - 1");
    node.run("UPDATE t SET id = id + 10");
    assertThat(node.rows("SELECT id FROM t ORDER BY id")).containsExactly("10", "11", "12");
  }
}
