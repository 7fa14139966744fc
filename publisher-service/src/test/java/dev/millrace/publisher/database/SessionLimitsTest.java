package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long statements, waits and idle sessions may last, and how many sessions there may be. */
class SessionLimitsTest {

  @TempDir Path directory;
  private final ExecutorService other = Executors.newCachedThreadPool();
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open(directory, Map.of("max_connections", "4"));
    node.run("CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 0)");
  }

  @AfterEach
  void close() {
    node.close();
    other.shutdownNow();
  }

  @Test
  @DisplayName("More sessions than max_connections are refused with 53300")
  void tooManySessions() {
    List<SqlSession> open = List.of(node.session(), node.session(), node.session(), node.session());
    assertThat(Errors.of(node::session)).isEqualTo("53300 sorry, too many clients already");
    open.get(0).close();
    node.session().close();
    open.forEach(SqlSession::close);
  }

  @Test
  @DisplayName("A statement stops after statement_timeout, while it waits for a row too")
  void statementTimeout() {
    try (SqlSession holder = node.session();
        SqlSession session = node.session()) {
      session.execute("SET statement_timeout = '150ms'", List.of());
      assertThat(
              Errors.of(
                  () ->
                      session.execute(
                          "SELECT count(*) FROM generate_series(1, 2000000) AS a(x),"
                              + " generate_series(1, 2000000) AS b(y)",
                          List.of())))
          .isEqualTo("57014 canceling statement due to statement timeout");
      holder.execute("BEGIN; UPDATE t SET a = 1", List.of());
      assertThat(Errors.of(() -> session.execute("UPDATE t SET a = 2", List.of())))
          .isEqualTo("57014 canceling statement due to statement timeout");
    }
  }

  @Test
  @DisplayName("A wait for a row or a table ends after lock_timeout with 55P03")
  void lockTimeout() {
    try (SqlSession holder = node.session();
        SqlSession session = node.session()) {
      holder.execute("BEGIN; UPDATE t SET a = 1", List.of());
      session.execute("SET lock_timeout = '100ms'", List.of());
      assertThat(Errors.of(() -> session.execute("UPDATE t SET a = 2", List.of())))
          .isEqualTo("55P03 canceling statement due to lock timeout");
      assertThat(Errors.of(() -> session.execute("TRUNCATE t", List.of())))
          .isEqualTo("55P03 canceling statement due to lock timeout");
      assertThat(Errors.of(() -> session.execute("DROP TABLE t", List.of())))
          .isEqualTo("55P03 canceling statement due to lock timeout");
    }
  }

  @Test
  @DisplayName("A waiting statement is cancelled by another thread")
  void cancel() throws Exception {
    try (SqlSession holder = node.session();
        SqlSession session = node.session()) {
      holder.execute("BEGIN; UPDATE t SET a = 1", List.of());
      Future<String> waiting =
          other.submit(() -> Errors.of(() -> session.execute("TRUNCATE t", List.of())));
      await()
          .until(
              () -> {
                session.cancel();
                return waiting.isDone();
              });
      assertThat(waiting.get()).isEqualTo("57014 canceling statement due to user request");
    }
  }

  @Test
  @DisplayName("A session that idles in a transaction is ended, its transaction rolled back")
  void idleInTransaction() {
    try (SqlSession session = node.session()) {
      session.execute("SET idle_in_transaction_session_timeout = '100ms'", List.of());
      session.execute("BEGIN; UPDATE t SET a = 1", List.of());
      await()
          .atMost(10, TimeUnit.SECONDS)
          .untilAsserted(() -> assertThat(node.node().openSessions()).isZero());
      assertThat(Errors.of(() -> session.execute("SELECT 1", List.of())))
          .isEqualTo("25P03 terminating connection due to idle-in-transaction timeout");
    }
    node.run("UPDATE t SET a = a + 10");
    assertThat(node.rows("SELECT a FROM t")).containsExactly("10");
  }

  @Test
  @DisplayName("A session takes one call at a time")
  void oneCallAtATime() throws Exception {
    try (SqlSession holder = node.session();
        SqlSession session = node.session()) {
      holder.execute("BEGIN; UPDATE t SET a = 1", List.of());
      Future<?> running = other.submit(() -> session.execute("UPDATE t SET a = 2", List.of()));
      await()
          .untilAsserted(
              () ->
                  assertThat(Errors.of(() -> session.execute("SELECT 1", List.of())))
                      .startsWith("55006"));
      holder.execute("COMMIT", List.of());
      running.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  @DisplayName("A read-only transaction refuses to write")
  void readOnly() {
    assertThat(Errors.of(() -> node.run("BEGIN READ ONLY; INSERT INTO t VALUES (2, 2)")))
        .isEqualTo("25006 cannot execute INSERT in a read-only transaction");
    assertThat(Errors.of(() -> node.run("BEGIN READ ONLY; TRUNCATE t")))
        .isEqualTo("25006 cannot execute TRUNCATE TABLE in a read-only transaction");
  }

  @Test
  @DisplayName("A stopping node takes no sessions, rolls back idle ones and tells them why")
  void stopping() {
    SqlSession session = node.session();
    session.execute("BEGIN; INSERT INTO t VALUES (2, 2)", List.of());
    node.node().refuseSessions();
    assertThat(Errors.of(() -> session.execute("COMMIT", List.of())))
        .isEqualTo("57P01 terminating connection due to administrator command");
    assertThat(Errors.of(node::session)).isEqualTo("57P01 the database system is shutting down");
  }
}
