package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.StatementResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("N11: RETURNING and INSERT .. ON CONFLICT")
class OnConflictTest {

  @TempDir Path directory;
  private TestNode node;
  private SqlSession session;

  @BeforeEach
  void open() {
    node = TestNode.open(directory);
    session = node.session();
    run("CREATE TABLE t (id int PRIMARY KEY, k varchar(9) UNIQUE, n int DEFAULT 7)");
  }

  @AfterEach
  void close() {
    session.close();
    node.close();
  }

  private StatementResult run(String sql, Object... parameters) {
    List<StatementResult> results = session.execute(sql, List.of(parameters)).results();
    return results.get(results.size() - 1);
  }

  private void refused(String sql, String state, String message) {
    assertThatThrownBy(() -> run(sql))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo(state))
        .hasMessage(message);
  }

  @Test
  @DisplayName("RETURNING answers the rows as they are after INSERT and UPDATE, before DELETE")
  void returning() {
    StatementResult inserted =
        run("INSERT INTO t (id, k) VALUES (1, 'a'), (2, 'b') RETURNING id, n + 1, t.k AS key");
    assertThat(inserted.command()).isEqualTo("INSERT 0 2");
    assertThat(inserted.columns())
        .extracting(ResultColumn::name)
        .containsExactly("id", "?column?", "key");
    assertThat(inserted.rows()).containsExactly(List.of(1, 8, "a"), List.of(2, 8, "b"));
    assertThat(run("UPDATE t AS x SET n = x.n * 2 WHERE id = 1 RETURNING x.*").rows())
        .containsExactly(List.of(1, "a", 14));
    StatementResult deleted = run("DELETE FROM t WHERE id = $1 RETURNING *", 2);
    assertThat(deleted.command()).isEqualTo("DELETE 1");
    assertThat(deleted.rows()).containsExactly(List.of(2, "b", 7));
    assertThat(run("DELETE FROM t WHERE id = 99 RETURNING id").rows()).isEmpty();
  }

  @Test
  @DisplayName("a table without key shows no row number, and its rows are captured")
  void returningWithoutKey() {
    run("CREATE TABLE f (a int, b text)");
    long start = node.log().insertLsn();
    assertThat(run("INSERT INTO f VALUES (1, 'x') RETURNING *").rows())
        .containsExactly(List.of(1, "x"));
    assertThat(node.logFrom(start).of(WalRecordType.INSERT)).hasSize(1);
  }

  @Test
  @DisplayName("DO NOTHING leaves conflicting rows out, those of another index are an error")
  void doNothing() {
    run("INSERT INTO t VALUES (1, 'a', 1)");
    assertThat(run("INSERT INTO t VALUES (1, 'z'), (2, 'b'), (3, 'a') ON CONFLICT DO NOTHING"))
        .isEqualTo(StatementResult.ofCommand("INSERT 0 1"));
    assertThat(
            run("INSERT INTO t VALUES (1, 'y'), (4, 'd') ON CONFLICT (id) DO NOTHING RETURNING id")
                .rows())
        .containsExactly(List.of(4));
    refused(
        "INSERT INTO t VALUES (5, 'a') ON CONFLICT (id) DO NOTHING",
        "23505",
        "duplicate key value violates unique constraint \"t_k_key\"");
  }

  @Test
  @DisplayName("DO UPDATE sees the row and EXCLUDED, and is captured as INSERT or UPDATE")
  void doUpdate() {
    run("INSERT INTO t VALUES (1, 'a', 1)");
    long start = node.log().insertLsn();
    StatementResult result =
        run(
            "INSERT INTO t AS x (k, id, n) VALUES ('a', $1, 10), ('new', 2, 20) ON"
                + " CONFLICT (k) DO UPDATE SET n = x.n + EXCLUDED.n WHERE x.n < 5 RETURNING *",
            9);
    assertThat(result.command()).isEqualTo("INSERT 0 2");
    assertThat(result.rows()).containsExactly(List.of(1, "a", 11), List.of(2, "new", 20));
    assertThat(node.logFrom(start).of(WalRecordType.INSERT)).hasSize(1);
    assertThat(node.logFrom(start).of(WalRecordType.UPDATE)).hasSize(1);
    assertThat(
            run("INSERT INTO t VALUES (1, 'a', DEFAULT) ON CONFLICT ON CONSTRAINT t_pkey DO UPDATE"
                    + " SET k = 'b' WHERE t.n < 5")
                .command())
        .isEqualTo("INSERT 0 0");
    run("INSERT INTO t (id, k) SELECT 3, 'c' ON CONFLICT (id) DO UPDATE SET k = EXCLUDED.k");
    assertThat(node.rows("SELECT * FROM t ORDER BY id"))
        .containsExactly("1|a|11", "2|new|20", "3|c|7");
  }

  @Test
  @DisplayName(
      "DO NOTHING takes the first of several proposed rows with the same key, and every NULL")
  void sameKeyTwice() {
    assertThat(
            run("INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, NULL, 3), (4, NULL, 4) ON"
                    + " CONFLICT (k) DO NOTHING RETURNING id")
                .rows())
        .containsExactly(List.of(1), List.of(3), List.of(4));
    assertThat(
            run(
                "INSERT INTO t SELECT x, 'q' || (x % 2) FROM generate_series(5, 9) x ON CONFLICT"
                    + " (k) DO NOTHING"))
        .isEqualTo(StatementResult.ofCommand("INSERT 0 2"));
    assertThat(run("INSERT INTO t VALUES (20, 'z'), (21, 'z') ON CONFLICT DO NOTHING"))
        .isEqualTo(StatementResult.ofCommand("INSERT 0 1"));
    assertThat(node.rows("SELECT id, k FROM t ORDER BY id"))
        .containsExactly("1|a", "3|null", "4|null", "5|q1", "6|q0", "20|z");
  }

  @Test
  @DisplayName("a key that the INSERT does not name is the row's own: it meets no other")
  void keyNotNamed() {
    run("CREATE TABLE r (id serial PRIMARY KEY, k text UNIQUE, n int)");
    run("INSERT INTO r (k) VALUES ('a'), ('b') ON CONFLICT (id) DO NOTHING");
    run("INSERT INTO r (k) VALUES ('c') ON CONFLICT (id) DO UPDATE SET n = 1");
    assertThat(node.rows("SELECT k, n FROM r ORDER BY id"))
        .containsExactly("a|null", "b|null", "c|null");
  }

  @Test
  @DisplayName("DO UPDATE that sets a key which another row has violates the constraint")
  void keySetToTakenOne() {
    run("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)");
    refused(
        "INSERT INTO t VALUES (3, 'a') ON CONFLICT (k) DO UPDATE SET n = 5, k = 'b'",
        "23505",
        "duplicate key value violates unique constraint \"t_k_key\"");
    run("INSERT INTO t VALUES (3, 'a') ON CONFLICT (k) DO UPDATE SET k = 'c'");
    assertThat(node.rows("SELECT * FROM t ORDER BY id")).containsExactly("1|c|1", "2|b|2");
  }

  @Test
  @DisplayName("a query with fewer expressions than columns leaves the rest to their defaults")
  void fewerExpressions() {
    run("INSERT INTO t SELECT 1");
    run("INSERT INTO t (SELECT DISTINCT 2, max(k) || 'x' FROM t)");
    run("INSERT INTO t WITH w AS (SELECT 3 AS a) SELECT a, 'w' FROM w");
    run("INSERT INTO t SELECT 3, 'v' ON CONFLICT (id) DO UPDATE SET k = EXCLUDED.k");
    assertThat(node.rows("SELECT * FROM t ORDER BY id"))
        .containsExactly("1|null|7", "2|null|7", "3|v|7");
  }

  @Test
  @DisplayName("what PostgreSQL refuses is refused in its words")
  void refusals() {
    refused(
        "INSERT INTO t VALUES (1, 'a') ON CONFLICT (n) DO NOTHING",
        "42P10",
        "there is no unique or exclusion constraint matching the ON CONFLICT specification");
    refused(
        "INSERT INTO t VALUES (1, 'a') ON CONFLICT ON CONSTRAINT x DO NOTHING",
        "42704",
        "constraint \"x\" for table \"t\" does not exist");
    refused(
        "INSERT INTO t VALUES (1, 'a') ON CONFLICT DO UPDATE SET n = 1",
        "42601",
        "ON CONFLICT DO UPDATE requires inference specification or constraint name");
    refused(
        "INSERT INTO t VALUES (1, 'a'), (1, 'b') ON CONFLICT (id) DO UPDATE SET n = 1",
        "21000",
        "ON CONFLICT DO UPDATE command cannot affect row a second time");
    refused(
        "INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n",
        "0A000",
        "EXCLUDED for a column that the INSERT does not name is not supported");
    refused(
        "UPDATE t SET n = 1 FROM t u RETURNING *",
        "0A000",
        "RETURNING of UPDATE .. FROM is not supported");
  }

  @Test
  @DisplayName("sessions that count on the same rows at the same time lose no count")
  void concurrentCounts() throws Exception {
    int sessions = 4;
    int rounds = 50;
    ExecutorService threads = Executors.newFixedThreadPool(sessions);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < sessions; i++) {
      running.add(
          threads.submit(
              () -> {
                try (SqlSession own = node.session()) {
                  for (int round = 0; round < rounds; round++) {
                    own.execute(
                        "INSERT INTO t VALUES ($1, NULL, 1) ON CONFLICT (id) DO UPDATE SET n = t.n"
                            + " + 1",
                        List.of(round));
                  }
                }
              }));
    }
    for (Future<?> each : running) {
      each.get();
    }
    threads.shutdown();
    assertThat(node.rows("SELECT count(*), min(n), max(n) FROM t"))
        .containsExactly(rounds + "|" + sessions + "|" + sessions);
  }
}
