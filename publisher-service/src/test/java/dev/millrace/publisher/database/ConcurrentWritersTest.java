package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Statements side by side: foreign keys, deadlocks, commits that do not wait (storage.md 2). */
class ConcurrentWritersTest {

  @TempDir Path directory;
  private final ExecutorService other = Executors.newCachedThreadPool();
  private TestNode node;

  @BeforeEach
  void open() {
    node =
        TestNode.open(
            directory, Map.of("deadlock_timeout", "100ms", "max_prepared_transactions", "10"));
  }

  @AfterEach
  void close() {
    node.close();
    other.shutdownNow();
  }

  @Test
  @DisplayName("A child row waits for the transaction that deletes its parent, and is then refused")
  void noOrphan() throws Exception {
    node.run("CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p)");
    node.run("INSERT INTO p VALUES (1)");
    try (SqlSession session = node.session()) {
      session.execute("BEGIN; DELETE FROM p", List.of());
      Future<String> child =
          other.submit(() -> Errors.of(() -> node.run("INSERT INTO c VALUES (1)")));
      assertThat(child.isDone()).isFalse();
      session.execute("COMMIT", List.of());
      assertThat(child.get(10, TimeUnit.SECONDS)).startsWith("23503");
    }
    assertThat(node.rows("SELECT count(*) FROM c")).containsExactly("0");
  }

  @Test
  @Timeout(30)
  @DisplayName("A circle of table locks and row locks ends with 40P01 for one, the other goes on")
  void mixedDeadlock() throws Exception {
    node.run("CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p)");
    node.run("CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 0)");
    try (SqlSession a = node.session();
        SqlSession b = node.session()) {
      a.execute("BEGIN; INSERT INTO p VALUES (1)", List.of());
      b.execute("BEGIN; UPDATE t SET a = 1", List.of());
      Callable<String> first = () -> Errors.of(() -> a.execute("UPDATE t SET a = 2", List.of()));
      Future<String> waiting = other.submit(first);
      String second = Errors.of(() -> b.execute("INSERT INTO p VALUES (2)", List.of()));
      b.execute("ROLLBACK", List.of());
      assertThat(second).isEqualTo("40P01 deadlock detected");
      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo("no error");
      a.execute("COMMIT", List.of());
    }
  }

  @Test
  @DisplayName(
      "A deadlock of row locks fails its transaction for good; ROLLBACK TO does not revive it")
  void rowDeadlock() throws Exception {
    node.run("CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 0), (2, 0)");
    try (SqlSession a = node.session();
        SqlSession b = node.session()) {
      a.execute("BEGIN; SAVEPOINT s; UPDATE t SET a = 1 WHERE id = 1", List.of());
      b.execute("BEGIN; SAVEPOINT s; UPDATE t SET a = 2 WHERE id = 2", List.of());
      Future<String> first =
          other.submit(
              () -> Errors.of(() -> a.execute("UPDATE t SET a = 1 WHERE id = 2", List.of())));
      String second = Errors.of(() -> b.execute("UPDATE t SET a = 2 WHERE id = 1", List.of()));
      SqlSession loser = second.equals("no error") ? a : b;
      SqlSession winner = loser == a ? b : a;
      assertThat(loser == b ? second : first.get()).startsWith("40");
      assertThat(Errors.of(() -> loser.execute("ROLLBACK TO s", List.of()))).startsWith("40001");
      loser.execute("ROLLBACK", List.of());
      first.get(10, TimeUnit.SECONDS);
      winner.execute("COMMIT", List.of());
      String left = winner == a ? "1" : "2";
      assertThat(node.rows("SELECT DISTINCT a FROM t")).containsExactly(left);
    }
  }

  @Test
  @DisplayName("With synchronous_commit off a commit becomes visible only after its flush")
  void asynchronousCommit() {
    node.run("CREATE TABLE t (id int PRIMARY KEY)");
    try (SqlSession session = node.session()) {
      session.execute("SET synchronous_commit = off; INSERT INTO t VALUES (1)", List.of());
      assertThat(session.execute("SELECT id FROM t", List.of()).results().get(0).rows())
          .isEqualTo(List.of(List.of(1)));
      session.execute("INSERT INTO t VALUES (2)", List.of());
      await()
          .untilAsserted(
              () -> assertThat(node.rows("SELECT count(*) FROM t")).containsExactly("2"));
      assertThat(node.log().flushLsn()).isEqualTo(node.log().insertLsn());
    }
  }

  @Test
  @Timeout(60)
  @DisplayName("Many writers of all kinds leave tables that equal the log")
  void soak() throws Exception {
    node.run("CREATE TABLE t (id int PRIMARY KEY, k int UNIQUE, a int)");
    node.run("CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (p int REFERENCES p)");
    long seed = System.nanoTime();
    System.out.println("concurrent writers seed " + seed);
    List<Future<Void>> writers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Random random = new Random(seed + i);
      writers.add(other.submit(() -> write(random)));
    }
    for (Future<Void> writer : writers) {
      writer.get(50, TimeUnit.SECONDS);
    }
    LogModel model = LogModel.of(node.log(), node.catalog());
    for (String table : List.of("t", "p", "c")) {
      List<String> rows = new ArrayList<>(node.rows("SELECT * FROM " + table));
      rows.sort(null);
      assertThat(rows).as("seed " + seed + " " + table).isEqualTo(model.rows(node.table(table)));
    }
    assertThat(node.rows("SELECT count(*) FROM c LEFT JOIN p ON p.id = c.p WHERE p.id IS NULL"))
        .containsExactly("0");
    assertThat(node.logFrom(node.log().oldestLsn()).of(WalRecordType.ABORT)).isNotEmpty();
  }

  private Void write(Random random) {
    try (SqlSession session = node.session()) {
      for (int i = 0; i < 150; i++) {
        int n = random.nextInt(40);
        String sql =
            switch (random.nextInt(9)) {
              case 0 ->
                  "INSERT INTO t SELECT x, x, 0 FROM generate_series("
                      + n
                      + ", "
                      + (n + 4)
                      + ") AS s(x)";
              case 1 -> "BEGIN; DELETE FROM t WHERE k < " + n + "; SELECT 1; ROLLBACK";
              case 2 -> "UPDATE t SET k = k + 100 WHERE id = " + n;
              case 3 -> "DELETE FROM t WHERE id BETWEEN " + n + " AND " + (n + 6);
              case 4 ->
                  "BEGIN; UPDATE t SET a = a + 1 WHERE id > "
                      + n
                      + "; INSERT INTO t VALUES ("
                      + (n + 50)
                      + ", "
                      + n
                      + ", 9); COMMIT";
              case 5 -> "INSERT INTO p VALUES (" + n + ")";
              case 6 ->
                  "BEGIN; UPDATE t SET a = a - 1 WHERE id <= "
                      + n
                      + "; DELETE FROM t WHERE id = "
                      + n
                      + "; PREPARE TRANSACTION '"
                      + session.pid()
                      + "'";
              case 7 -> "INSERT INTO c SELECT id FROM p WHERE id < " + n;
              default ->
                  "BEGIN; DELETE FROM c WHERE p = "
                      + n
                      + "; DELETE FROM p WHERE id = "
                      + n
                      + "; COMMIT";
            };
        String error = Errors.of(() -> session.execute(sql, List.of()));
        assertThat(error.substring(0, 2)).as(sql + ": " + error).isIn("no", "23", "40");
        Errors.of(() -> session.execute("ROLLBACK", List.of()));
        if (sql.contains("PREPARE") && error.equals("no error")) {
          String end = random.nextInt(3) == 0 ? "ROLLBACK" : "COMMIT";
          Errors.of(() -> session.execute("INSERT INTO p VALUES (" + n + ")", List.of()));
          session.execute(end + " PREPARED '" + session.pid() + "'", List.of());
        }
      }
    }
    return null;
  }
}
