package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.SqlSession;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints, sequences and restarts without a crash. */
class CheckpointTest {

  @TempDir Path directory;

  private static int markers(TestNode node) throws SQLException {
    try (Connection admin = node.database().openAdmin();
        Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM millrace.applied")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  @DisplayName(
      "A checkpoint moves the redo position and removes the markers below it, not later ones")
  void markers() throws SQLException {
    try (TestNode node = TestNode.open(directory);
        SqlSession session = node.session()) {
      node.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
      session.execute("BEGIN; INSERT INTO t VALUES (2)", List.of());
      assertThat(markers(node)).isPositive();
      long before = node.log().insertLsn();
      long redoLsn = node.node().checkpoint();
      assertThat(redoLsn).isGreaterThanOrEqualTo(before);
      assertThat(markers(node)).isZero();
      session.execute("COMMIT", List.of());
      assertThat(markers(node)).isEqualTo(1);
    }
  }

  @Test
  @DisplayName(
      "When H2 gives its file up, the node stops; only the next start opens the file again")
  void lostDatabase() throws SQLException {
    TestNode lost = TestNode.open(directory);
    lost.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
    SqlSession session = lost.session();
    JdbcConnection admin = (JdbcConnection) lost.database().adminConnection();
    ((SessionLocal) admin.getSession()).getDatabase().shutdownImmediately();
    assertThatThrownBy(() -> session.execute("INSERT INTO t VALUES (2)", List.of()))
        .hasMessage("the node failed");
    assertThatThrownBy(lost.database()::openSession)
        .isInstanceOf(PgException.class)
        .hasMessage("the database has been closed");
    try (TestNode next = TestNode.open(directory)) {
      assertThat(next.rows("SELECT id FROM t")).containsExactly("1");
    }
  }

  @Test
  @DisplayName("A row too big for the heap is refused before it is copied, and the node goes on")
  void rowTooBigForTheHeap() {
    try (TestNode node = TestNode.open(directory)) {
      node.run("CREATE TABLE t (id int PRIMARY KEY, v text)");
      long tooLong = Runtime.getRuntime().maxMemory() / 32 + 1;
      assertThatThrownBy(() -> node.run("INSERT INTO t VALUES (1, repeat('x', " + tooLong + "))"))
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("54000"));
      node.run("INSERT INTO t VALUES (2, 'y')");
      assertThat(node.rows("SELECT * FROM t")).containsExactly("2|y");
    }
  }

  @Test
  @DisplayName("A clean stop leaves nothing to redo; data, xids and the catalogue go on after it")
  void restart() {
    int lastXid;
    try (TestNode node = TestNode.open(directory)) {
      node.run("CREATE TABLE t (id serial PRIMARY KEY, a int); INSERT INTO t (a) VALUES (1)");
      long start = node.log().insertLsn();
      node.run("INSERT INTO t (a) VALUES (2)");
      lastXid = node.logFrom(start).of(WalRecordType.COMMIT).get(0).xid();
    }
    try (TestNode node = TestNode.open(directory)) {
      long start = node.log().insertLsn();
      node.run("INSERT INTO t (a) VALUES (3)");
      assertThat(node.rows("SELECT a FROM t ORDER BY id")).containsExactly("1", "2", "3");
      assertThat(node.logFrom(start).of(WalRecordType.COMMIT).get(0).xid()).isGreaterThan(lastXid);
    }
  }

  @Test
  @DisplayName("Commit times never go back, whatever the clock does, also across a restart")
  void commitTimes() {
    Clock early = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
    Clock late = Clock.fixed(Instant.parse("2026-01-01T01:00:00Z"), ZoneOffset.UTC);
    try (TestNode node = TestNode.open(directory, Map.of(), late)) {
      node.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
    }
    try (TestNode node = TestNode.open(directory, Map.of(), early)) {
      long start = node.log().insertLsn();
      node.run("INSERT INTO t VALUES (2)");
      node.log().flush(node.log().insertLsn());
      try (WalReader reader = node.log().openReader(start)) {
        while (reader.next()) {
          if (reader.type() == WalRecordType.COMMIT) {
            long micros = ByteBuffer.wrap(reader.buffer()).getLong(reader.bodyOffset());
            assertThat(PgTime.toInstant(micros)).isEqualTo(late.instant());
          }
        }
      }
    }
  }

  @Test
  @DisplayName("A sequence's bound is in the log before a commit that passed it, for a SELECT too")
  void sequenceBounds() {
    try (TestNode node = TestNode.open(directory)) {
      node.run("CREATE SEQUENCE s; CREATE TABLE t (id serial PRIMARY KEY, a int)");
      long start = node.log().insertLsn();
      node.run("SELECT nextval('s')");
      LogText log = node.logFrom(start);
      assertThat(log.of(WalRecordType.SEQUENCE).stream().map(LogText.Line::text))
          .containsExactly("SEQUENCE 33");
      for (int i = 0; i < 32; i++) {
        node.run("SELECT nextval('s')");
      }
      assertThat(node.logFrom(start).of(WalRecordType.SEQUENCE)).hasSize(1);
      node.run("SELECT nextval('s')");
      assertThat(node.logFrom(start).of(WalRecordType.SEQUENCE)).hasSize(2);
      long insert = node.log().insertLsn();
      node.run("INSERT INTO t (a) VALUES (1)");
      assertThat(node.logFrom(insert).lines().stream().map(line -> line.type().name()))
          .containsExactly("INSERT", "SEQUENCE", "COMMIT");
    }
  }
}
