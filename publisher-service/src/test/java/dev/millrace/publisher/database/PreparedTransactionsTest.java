package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.TransactionStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PREPARE TRANSACTION, COMMIT PREPARED and ROLLBACK PREPARED on the node (Z1, S28). */
class PreparedTransactionsTest {

  private static final Map<String, String> SETTINGS =
      Map.of("max_prepared_transactions", "3", "lock_timeout", "100ms");

  @TempDir Path directory;
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open(directory, SETTINGS);
    node.run("CREATE TABLE t (id int PRIMARY KEY, v text)");
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void restart() {
    node.close();
    node = TestNode.open(directory, SETTINGS);
  }

  private void prepare(String gid, String sql) {
    try (SqlSession session = node.session()) {
      session.execute("BEGIN; " + sql + "; PREPARE TRANSACTION '" + gid + "'", List.of());
      assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
    }
  }

  private List<String> gids() {
    return node.node().preparedTransactions().stream()
        .map(PublisherNode.PreparedXact::gid)
        .toList();
  }

  private static void fails(String sqlState, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo(sqlState))
        .hasMessage(message);
  }

  @Test
  @DisplayName("what is prepared is seen by nobody until another session commits it")
  void commit() {
    prepare("g", "INSERT INTO t VALUES (1, 'a')");
    assertThat(gids()).containsExactly("g");
    assertThat(node.rows("SELECT * FROM t")).isEmpty();
    node.run("COMMIT PREPARED 'g'");
    assertThat(gids()).isEmpty();
    assertThat(node.rows("SELECT * FROM t")).containsExactly("1|a");
  }

  @Test
  @DisplayName("a rolled back one leaves nothing, and its identifier can be used again")
  void rollback() {
    prepare("g", "INSERT INTO t VALUES (1, 'a')");
    node.run("ROLLBACK PREPARED 'g'");
    assertThat(node.rows("SELECT * FROM t")).isEmpty();
    prepare("g", "INSERT INTO t VALUES (1, 'b')");
    node.run("COMMIT PREPARED 'g'");
    assertThat(node.rows("SELECT * FROM t")).containsExactly("1|b");
  }

  @Test
  @DisplayName("the session goes on with another connection while its transaction stays prepared")
  void sessionGoesOn() {
    try (SqlSession session = node.session()) {
      session.execute("BEGIN; INSERT INTO t VALUES (1, 'a'); PREPARE TRANSACTION ''", List.of());
      session.execute("INSERT INTO t VALUES (2, 'b')", List.of());
      assertThat(node.rows("SELECT id FROM t")).containsExactly("2");
      session.execute("COMMIT PREPARED ''", List.of());
      assertThat(node.rows("SELECT id FROM t ORDER BY id")).containsExactly("1", "2");
    }
  }

  @Test
  @DisplayName("the log has the subtransactions that commit, and the end repeats the beginning")
  void records() {
    long start = node.log().insertLsn();
    prepare(
        "g",
        "INSERT INTO t VALUES (21, 'a'); SAVEPOINT s; INSERT INTO t VALUES (22, 'b'); ROLLBACK TO"
            + " s; INSERT INTO t VALUES (23, 'c'); RELEASE s");
    node.run("COMMIT PREPARED 'g'");
    LogText log = node.logFrom(start);
    assertThat(log.changes())
        .containsExactly(
            "INSERT t N(21,a)",
            "INSERT t N(22,b)",
            "ABORT",
            "INSERT t N(23,c)",
            "PREPARE",
            "COMMIT_PREPARED");
    LogText.Line kept = log.of(WalRecordType.INSERT).get(2);
    for (WalRecordType type : List.of(WalRecordType.PREPARE, WalRecordType.COMMIT_PREPARED)) {
      LogText.Line line = log.of(type).get(0);
      assertThat(line.subxids()).containsExactly(kept.xid());
      assertThat(line.xid()).isEqualTo(kept.topXid());
    }
    assertThat(node.rows("SELECT id FROM t ORDER BY id")).containsExactly("21", "23");
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"COMMIT", "ROLLBACK"})
  @DisplayName("S28 a restart finds it prepared, with its rows and locks, and can end it")
  void restarted(String end) {
    node.run("CREATE TABLE bare (a int); INSERT INTO bare VALUES (1), (1)");
    node.run("INSERT INTO t VALUES (1, 'old'), (2, 'gone')");
    prepare(
        "g",
        "INSERT INTO t VALUES (3, 'new'); UPDATE t SET v = 'changed' WHERE id = 1; DELETE FROM t"
            + " WHERE id = 2; UPDATE bare SET a = 2; INSERT INTO bare VALUES (3)");
    for (int i = 0; i < 3; i++) {
      restart();
      assertThat(gids()).containsExactly("g");
      assertThat(node.rows("SELECT * FROM t WHERE id < 10 ORDER BY id"))
          .containsExactly("1|old", "2|gone");
      fails(
          "55P03",
          "canceling statement due to lock timeout",
          () -> node.run("UPDATE t SET v = 'x' WHERE id = 1"));
      fails(
          "55P03",
          "canceling statement due to lock timeout",
          () -> node.run("ALTER TABLE t ADD COLUMN c int"));
      node.run("INSERT INTO t VALUES (" + (10 + i) + ", 'beside'); CHECKPOINT");
    }
    node.run(end + " PREPARED 'g'");
    node.run("DELETE FROM t WHERE v = 'beside'");
    boolean committed = end.equals("COMMIT");
    for (int i = 0; i < 2; i++) {
      assertThat(node.rows("SELECT * FROM t ORDER BY id"))
          .isEqualTo(committed ? List.of("1|changed", "3|new") : List.of("1|old", "2|gone"));
      assertThat(node.rows("SELECT a FROM bare ORDER BY a"))
          .isEqualTo(committed ? List.of("2", "2", "3") : List.of("1", "1"));
      assertThat(gids()).isEmpty();
      restart();
    }
    node.run("ALTER TABLE t ADD COLUMN c int");
  }

  @Test
  @DisplayName("a checkpoint puts it into a file that goes with the first checkpoint after its end")
  void files() throws IOException {
    prepare("g", "INSERT INTO t VALUES (1, 'a'); SAVEPOINT s; INSERT INTO t VALUES (2, 'b')");
    prepare("h", "INSERT INTO t VALUES (3, 'c')");
    assertThat(files("pg_twophase")).isEmpty();
    node.run("CHECKPOINT");
    assertThat(files("pg_twophase")).hasSize(2);
    node.run("ROLLBACK PREPARED 'h'");
    restart();
    assertThat(files("pg_twophase")).hasSize(1);
    assertThat(gids()).containsExactly("g");
    node.run("COMMIT PREPARED 'g'");
    assertThat(files("pg_twophase")).hasSize(1);
    restart();
    assertThat(files("pg_twophase")).isEmpty();
    assertThat(node.rows("SELECT id FROM t ORDER BY id")).containsExactly("1", "2");
  }

  @Test
  @Timeout(60)
  @DisplayName("checkpoints beside it list exactly what is prepared, neither before nor after")
  void checkpointsBeside() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; !stop.get(); i++) {
                prepare("g", "INSERT INTO t VALUES (" + i + ", 'a')");
                node.run((i % 3 == 0 ? "ROLLBACK" : "COMMIT") + " PREPARED 'g'");
              }
            });
    writer.start();
    for (int i = 0; i < 60; i++) {
      node.node().checkpoint();
    }
    stop.set(true);
    writer.join();
    assertThat(LogModel.of(node.log(), node.catalog()).rows(node.table("t")))
        .hasSameElementsAs(node.rows("SELECT * FROM t"));
  }

  @Test
  @DisplayName("a damaged file stops the start, naming it")
  void damagedFile() throws IOException {
    prepare("g", "INSERT INTO t VALUES (1, 'a')");
    node.close();
    Path file = directory.resolve("pg_twophase").resolve(files("pg_twophase").get(0));
    byte[] bytes = Files.readAllBytes(file);
    bytes[60] ^= 1;
    Files.write(file, bytes);
    fails(
        "XX001",
        "two-phase file \"" + file + "\" is damaged",
        () -> TestNode.open(directory, SETTINGS));
    bytes[60] ^= 1;
    Files.write(file, bytes);
    node = TestNode.open(directory, SETTINGS);
    assertThat(gids()).containsExactly("g");
  }

  private List<String> files(String name) throws IOException {
    Path path = directory.resolve(name);
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  @DisplayName("tables tied by foreign keys stay locked as a group, restarted or not")
  void groups() {
    node.run(
        "CREATE TABLE parent (id int PRIMARY KEY);"
            + " CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent)");
    node.run("INSERT INTO parent VALUES (1)");
    prepare("g", "INSERT INTO child VALUES (1, 1)");
    for (int i = 0; i < 2; i++) {
      fails(
          "55P03", "canceling statement due to lock timeout", () -> node.run("DELETE FROM parent"));
      restart();
    }
    node.run("COMMIT PREPARED 'g'");
    assertThat(node.rows("SELECT count(*) FROM child")).containsExactly("1");
    fails(
        "23503",
        "update or delete on table \"parent\" violates foreign key constraint"
            + " \"child_p_fkey\" on table \"child\"",
        () -> node.run("DELETE FROM parent"));
  }

  @Test
  @DisplayName("TRUNCATE .. RESTART IDENTITY counts from COMMIT PREPARED on, after a restart too")
  void restartIdentity() {
    node.run("CREATE TABLE s (id serial PRIMARY KEY, v text); INSERT INTO s (v) VALUES ('a')");
    prepare("g", "TRUNCATE s RESTART IDENTITY");
    restart();
    assertThat(node.rows("SELECT count(*) FROM s")).containsExactly("1");
    node.run("COMMIT PREPARED 'g'");
    node.run("INSERT INTO s (v) VALUES ('b')");
    assertThat(node.rows("SELECT * FROM s")).containsExactly("1|b");
    prepare("h", "TRUNCATE s RESTART IDENTITY; INSERT INTO s (v) VALUES ('c')");
    restart();
    node.run("ROLLBACK PREPARED 'h'");
    node.run("INSERT INTO s (v) VALUES ('d')");
    assertThat(node.rows("SELECT v FROM s ORDER BY id")).containsExactly("b", "d");
    prepare("i", "TRUNCATE s RESTART IDENTITY; INSERT INTO s (v) VALUES ('e')");
    restart();
    node.run("COMMIT PREPARED 'i'");
    restart();
    node.run("INSERT INTO s (v) VALUES ('f')");
    assertThat(node.rows("SELECT v FROM s ORDER BY id")).containsExactly("e", "f");
  }

  @Test
  @DisplayName("catalogue changes wait for COMMIT PREPARED and keep their names locked meanwhile")
  void publications() {
    node.run("CREATE TABLE r (a int NOT NULL, b int NOT NULL UNIQUE)");
    node.run("INSERT INTO r VALUES (1, 1)");
    prepare(
        "g",
        "CREATE PUBLICATION p FOR TABLE t; ALTER TABLE r REPLICA IDENTITY FULL;"
            + " UPDATE r SET a = 2");
    for (int i = 0; i < 2; i++) {
      assertThat(node.catalog().current().publication("p")).isNull();
      fails(
          "55P03",
          "canceling statement due to lock timeout",
          () -> node.run("CREATE PUBLICATION p"));
      restart();
    }
    node.run("COMMIT PREPARED 'g'");
    assertThat(node.catalog().current().publication("p")).isNotNull();
    assertThat(node.rows("SELECT a FROM r")).containsExactly("2");
    restart();
    assertThat(node.catalog().current().publication("p")).isNotNull();
    node.run("DROP PUBLICATION p");
  }

  @Test
  @DisplayName("a transaction that changed nothing can be prepared and ended too")
  void nothingChanged() {
    node.run("INSERT INTO t VALUES (1, 'a')");
    prepare("g", "SELECT * FROM t FOR UPDATE");
    restart();
    assertThat(gids()).containsExactly("g");
    node.run("COMMIT PREPARED 'g'");
    assertThat(gids()).isEmpty();
  }

  @Test
  @DisplayName("errors are PostgreSQL's")
  void errors() {
    prepare("g", "INSERT INTO t VALUES (1, 'a')");
    fails(
        "42710",
        "transaction identifier \"g\" is already in use",
        () -> prepare("g", "INSERT INTO t VALUES (2, 'b')"));
    fails(
        "22023",
        "transaction identifier \"" + "x".repeat(200) + "\" is too long",
        () -> prepare("x".repeat(200), "INSERT INTO t VALUES (2, 'b')"));
    fails(
        "42704",
        "prepared transaction with identifier \"h\" does not exist",
        () -> node.run("COMMIT PREPARED 'h'"));
    prepare("g2", "INSERT INTO t VALUES (2, 'b')");
    prepare("g3", "INSERT INTO t VALUES (3, 'c')");
    fails(
        "53200",
        "maximum number of prepared transactions reached",
        () -> prepare("g4", "INSERT INTO t VALUES (4, 'd')"));
    node.run("ROLLBACK PREPARED 'g2'");
    node.run("INSERT INTO t VALUES (2, 'free'), (4, 'free')");
    assertThat(gids()).containsExactly("g", "g3");
  }

  @Test
  @DisplayName("max_prepared_transactions = 0 disables them, but not the end of those there are")
  void disabled() {
    prepare("g", "INSERT INTO t VALUES (1, 'a')");
    node.close();
    node = TestNode.open(directory);
    fails(
        "55000",
        "prepared transactions are disabled",
        () -> prepare("h", "INSERT INTO t VALUES (2, 'b')"));
    node.run("COMMIT PREPARED 'g'");
    assertThat(node.rows("SELECT id FROM t")).containsExactly("1");
  }
}
