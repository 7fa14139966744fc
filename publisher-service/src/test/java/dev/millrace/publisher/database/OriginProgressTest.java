package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.publisher.origin.ReplicationOrigin;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.sql.SqlSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replication origins on the node: who replays one, and how far it has come (G1, C5). */
class OriginProgressTest {

  @TempDir Path directory;

  private static void run(SqlSession session, String sql) {
    session.execute(sql, List.of());
  }

  @Test
  @DisplayName(
      "A commit moves its origin in the same step, a rollback does not; a kill loses nothing")
  void progress() throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    ReplicationOrigin before;
    Path killed;
    try (TestNode node = TestNode.open(data);
        SqlSession session = node.session()) {
      run(session, "CREATE TABLE t (id int PRIMARY KEY)");
      assertThat(node.origins().create("a")).isEqualTo(1);
      assertThat(node.origins().create("b")).isEqualTo(2);
      SessionOrigin origin = node.node().origin(session);
      origin.setUp("a", session.pid());
      origin.setUpTransaction(0x100, 1000);
      run(session, "INSERT INTO t VALUES (1)");
      origin.setUpTransaction(0x200, 2000);
      run(session, "BEGIN; INSERT INTO t VALUES (2); ROLLBACK");
      assertThat(node.origins().get("a").remoteLsn()).isEqualTo(0x100);
      node.node().checkpoint();
      origin.setUpTransaction(0x300, 3000);
      run(session, "SET synchronous_commit = off");
      run(session, "INSERT INTO t VALUES (3)");
      run(session, "SET synchronous_commit = on; INSERT INTO t VALUES (4)");
      node.origins().advance("b", 0x500, node.log().insertLsn());
      before = node.origins().get("a");
      assertThat(before.remoteLsn()).isEqualTo(0x300);
      assertThat(before.localLsn()).isEqualTo(node.log().insertLsn());
      killed = TestNode.copyAsAfterKill(data, directory.resolve("killed"));
    }
    try (TestNode node = TestNode.open(killed)) {
      assertThat(node.origins().get("a").remoteLsn()).isEqualTo(before.remoteLsn());
      assertThat(node.origins().get("a").localLsn()).isEqualTo(before.localLsn());
      assertThat(node.origins().get("b").remoteLsn()).isEqualTo(0x500);
      assertThat(node.rows("SELECT id FROM t ORDER BY id")).containsExactly("1", "3", "4");
    }
    try (TestNode node = TestNode.open(data)) {
      assertThat(node.origins().get("a").remoteLsn()).isEqualTo(before.remoteLsn());
    }
  }

  @Test
  @DisplayName("A prepared transaction moves the origin at PREPARE, and again where it is finished")
  void preparedTransaction() {
    try (TestNode node = TestNode.open(directory, Map.of("max_prepared_transactions", "5"));
        SqlSession session = node.session()) {
      run(session, "CREATE TABLE t (id int PRIMARY KEY)");
      node.origins().create("a");
      SessionOrigin origin = node.node().origin(session);
      origin.setUp("a", session.pid());
      origin.setUpTransaction(0x100, 1000);
      run(session, "BEGIN; INSERT INTO t VALUES (1); PREPARE TRANSACTION 'g'");
      assertThat(node.origins().get("a").remoteLsn()).isEqualTo(0x100);
      origin.setUpTransaction(0x200, 2000);
      run(session, "COMMIT PREPARED 'g'");
      assertThat(node.origins().get("a").remoteLsn()).isEqualTo(0x200);
    }
  }

  @Test
  @DisplayName("An origin is replayed by one session at a time, and is free when that session ends")
  void exclusive() {
    try (TestNode node = TestNode.open(directory);
        SqlSession second = node.session()) {
      ReplicationOrigins origins = node.origins();
      origins.create("a");
      SessionOrigin other = node.node().origin(second);
      long pid;
      try (SqlSession first = node.session()) {
        pid = first.pid();
        SessionOrigin origin = node.node().origin(first);
        origin.setUp("a", pid);
        String active = "replication origin with ID 1 is already active for PID " + pid;
        assertThatThrownBy(() -> other.setUp("a", second.pid())).hasMessage(active);
        assertThatThrownBy(() -> origins.advance("a", 1, 1)).hasMessage(active);
        assertThatThrownBy(() -> origins.drop("a"))
            .hasMessage("could not drop replication origin with ID 1, in use by PID " + pid);
        assertThatThrownBy(() -> origin.setUp("a", pid))
            .hasMessage("cannot setup replication origin when one is already setup");
      }
      other.setUp("a", second.pid());
      other.reset();
      assertThatThrownBy(other::reset).hasMessage("no replication origin is configured");
      origins.drop("a");
      assertThat(origins.all()).isEmpty();
    }
  }

  @Test
  @DisplayName("A damaged file of origins stops the start; names are bounded, some are reserved")
  void names() throws IOException {
    ReplicationOrigins origins = ReplicationOrigins.open(directory, () -> 1);
    for (String reserved : List.of("any", "NONE", "pg_x")) {
      assertThatThrownBy(() -> origins.create(reserved))
          .hasMessage("replication origin name \"" + reserved + "\" is reserved");
    }
    assertThatThrownBy(() -> origins.create("é".repeat(257))).hasMessageContaining("too long");
    assertThat(origins.findOrCreate("pg_16392")).isEqualTo(1);
    assertThat(origins.findOrCreate("pg_16392")).isEqualTo(1);
    assertThat(origins.create("unicode é")).isEqualTo(2);
    assertThatThrownBy(() -> origins.create("unicode é"))
        .hasMessageContaining("pg_replication_origin_roname_index");
    assertThatThrownBy(() -> origins.get("none there"))
        .hasMessage("replication origin \"none there\" does not exist");
    assertThat(ReplicationOrigins.open(directory, () -> 1).all()).isEqualTo(origins.all());
    Path file = directory.resolve("pg_logical").resolve("replorigin_checkpoint");
    byte[] bytes = Files.readAllBytes(file);
    bytes[20] ^= 1;
    Files.write(file, bytes);
    assertThatThrownBy(() -> ReplicationOrigins.open(directory, () -> 1))
        .hasMessageContaining("is damaged");
  }
}
