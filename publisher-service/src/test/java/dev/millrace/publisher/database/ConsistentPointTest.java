package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.publisher.database.PublisherNode.ConsistentPoint;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Slots' consistent points: LSN, restart LSN and snapshot agree exactly (T4, storage.md 3). */
class ConsistentPointTest {

  @TempDir Path directory;
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open(directory, Map.of("max_prepared_transactions", "4"));
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  @Timeout(60)
  @DisplayName(
      "Under write load a snapshot shows exactly the transactions committed before its LSN,"
          + " prepared ones included")
  void snapshotEqualsLog() throws Exception {
    node.run("CREATE TABLE t (id int PRIMARY KEY, a int)");
    node.run("CREATE TABLE u (a int)");
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService writers = Executors.newFixedThreadPool(4);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      running.add(writers.submit(() -> write(number, stop)));
    }
    List<Observed> observed = new ArrayList<>();
    try {
      for (int i = 0; i < 15; i++) {
        ConsistentPoint point = node.node().createConsistentPoint(true);
        try (PublisherNode.PinnedSnapshot snapshot = point.snapshot()) {
          observed.add(new Observed(point, rows(snapshot, "t"), rows(snapshot, "u")));
        }
      }
    } finally {
      stop.set(true);
      for (Future<?> each : running) {
        each.get(40, TimeUnit.SECONDS);
      }
      writers.shutdown();
    }
    for (Observed each : observed) {
      LogModel model = LogModel.before(node.log(), node.catalog(), each.point.lsn());
      assertThat(each.t).isEqualTo(model.rows(node.table("t")));
      assertThat(each.u).isEqualTo(model.rows(node.table("u")));
      assertRestartLsn(each.point);
    }
  }

  /** What a snapshot showed. */
  private record Observed(ConsistentPoint point, List<String> t, List<String> u) {}

  private Void write(int number, AtomicBoolean stop) {
    Random random = new Random(number);
    try (SqlSession session = node.session()) {
      if (number == 0) {
        session.execute("SET synchronous_commit = off", List.of());
      }
      for (int i = number; !stop.get(); i += 4) {
        session.execute("BEGIN; INSERT INTO t VALUES (" + i + ", 0)", List.of());
        session.execute("INSERT INTO u VALUES (" + i + ")", List.of());
        session.execute("UPDATE t SET a = a + 1 WHERE id = " + (i - 4), List.of());
        String end = random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT";
        if (random.nextInt(3) == 0) {
          session.execute("PREPARE TRANSACTION 'w" + number + "'", List.of());
          session.execute(end + " PREPARED 'w" + number + "'", List.of());
        } else {
          session.execute(end, List.of());
        }
      }
    }
    return null;
  }

  private static List<String> rows(PublisherNode.PinnedSnapshot snapshot, String table)
      throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = snapshot.connection().createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM " + table)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        rows.add(result.getString(1) + (columns > 1 ? "|" + result.getString(2) : ""));
      }
    }
    rows.sort(null);
    return rows;
  }

  /** Whatever commits at or after the point has its first record at or after the restart LSN. */
  private void assertRestartLsn(ConsistentPoint point) {
    Map<Integer, Long> firstLsns = new HashMap<>();
    try (WalReader reader = node.log().openReader(node.log().oldestLsn())) {
      while (reader.next()) {
        if (reader.topXid() != 0) {
          firstLsns.putIfAbsent(reader.topXid(), reader.lsn());
        }
        boolean commits =
            reader.type() == WalRecordType.COMMIT || reader.type() == WalRecordType.COMMIT_PREPARED;
        if (commits && !Lsn.isBefore(reader.lsn(), point.lsn())) {
          assertThat(Lsn.isBefore(firstLsns.get(reader.xid()), point.restartLsn())).isFalse();
        }
      }
    }
    try (WalReader reader = node.log().openReader(point.restartLsn())) {
      reader.next();
    }
  }

  @Test
  @DisplayName("More snapshots than max_slot_snapshots are refused with 53400")
  void tooManySnapshots() {
    node.settings().set("max_slot_snapshots", "2");
    ConsistentPoint first = node.node().createConsistentPoint(true);
    ConsistentPoint second = node.node().createConsistentPoint(true);
    assertThat(Errors.of(() -> node.node().createConsistentPoint(true))).startsWith("53400");
    assertThat(node.node().createConsistentPoint(false).snapshot()).isNull();
    first.snapshot().close();
    node.node().createConsistentPoint(true).snapshot().close();
    second.snapshot().close();
  }

  @Test
  @DisplayName(
      "ALTER and DROP of a table wait for open snapshots, then fail with 55006 naming the holder")
  void ddlWaitsForSnapshots() throws Exception {
    node.run("CREATE TABLE t (id int PRIMARY KEY)");
    ConsistentPoint point = node.node().createConsistentPoint(true);
    point.snapshot().describe("walsender 7");
    try (SqlSession session = node.session()) {
      session.execute("SET lock_timeout = '100ms'", List.of());
      assertThatThrownBy(() -> session.execute("ALTER TABLE t ADD COLUMN a int", List.of()))
          .isInstanceOfSatisfying(
              PgException.class,
              e -> {
                assertThat(e.sqlState()).isEqualTo("55006");
                assertThat(e.detail()).contains("walsender 7");
              });
      session.execute("SET lock_timeout = 0", List.of());
      ExecutorService other = Executors.newSingleThreadExecutor();
      Future<?> drop = other.submit(() -> session.execute("DROP TABLE t", List.of()));
      assertThat(drop.isDone()).isFalse();
      point.snapshot().close();
      drop.get(10, TimeUnit.SECONDS);
      other.shutdown();
    }
    assertThat(node.table("t")).isNull();
  }
}
