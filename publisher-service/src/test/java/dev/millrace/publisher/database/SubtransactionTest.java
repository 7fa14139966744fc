package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.wal.WalRecordType;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * S17, capture side: savepoints have xids of their own and leave with their transaction, or not.
 */
class SubtransactionTest {

  @TempDir Path directory;
  private TestNode node;
  private long start;

  @BeforeEach
  void open() {
    node = TestNode.open(directory);
    node.run("CREATE TABLE t (id int PRIMARY KEY)");
    start = node.log().insertLsn();
  }

  @AfterEach
  void close() {
    node.close();
  }

  private static String insert(int id) {
    return "INSERT INTO t VALUES (" + id + ");";
  }

  /** The ids that one commit makes visible, in log order. */
  private List<String> committedIds() {
    LogText log = node.logFrom(start);
    assertThat(log.of(WalRecordType.COMMIT)).hasSize(1);
    LogText.Line commit = log.of(WalRecordType.COMMIT).get(0);
    Set<Integer> xids = new HashSet<>(commit.subxids());
    xids.add(commit.xid());
    return log.of(WalRecordType.INSERT).stream()
        .filter(line -> xids.contains(line.xid()))
        .map(line -> line.text().replaceAll(".*N\\((.*)\\)", "$1"))
        .toList();
  }

  @Test
  @DisplayName("S17 (1) Released savepoints, one inside the other, commit with their rows in order")
  void releasedTree() {
    node.run(
        "BEGIN; SAVEPOINT a;"
            + insert(1)
            + insert(2)
            + "RELEASE a; SAVEPOINT b; SAVEPOINT c;"
            + insert(3)
            + insert(4)
            + "RELEASE c;"
            + insert(5)
            + "RELEASE b;"
            + insert(6)
            + "COMMIT");
    assertThat(committedIds()).containsExactly("1", "2", "3", "4", "5", "6");
    assertThat(node.logFrom(start).of(WalRecordType.COMMIT).get(0).subxids()).hasSize(3);
  }

  @Test
  @DisplayName("S17 (2) Eighty nested savepoints with rows at the bottom and one after release")
  void deepNesting() {
    StringBuilder sql = new StringBuilder("BEGIN;");
    for (int i = 0; i < 80; i++) {
      sql.append("SAVEPOINT s").append(i).append(';');
    }
    sql.append(insert(1)).append(insert(2)).append(insert(3)).append("RELEASE s0;");
    node.run(sql.append(insert(4)).append("COMMIT").toString());
    assertThat(committedIds()).containsExactly("1", "2", "3", "4");
    assertThat(node.logFrom(start).of(WalRecordType.COMMIT).get(0).subxids()).hasSize(80);
  }

  @Test
  @DisplayName("S17 (3) Rows around a rolled-back savepoint commit, its own do not")
  void rolledBack() {
    node.run(
        "BEGIN;"
            + insert(1)
            + "SAVEPOINT a;"
            + insert(2)
            + "SAVEPOINT b;"
            + insert(3)
            + "RELEASE b; ROLLBACK TO a;"
            + insert(4)
            + "COMMIT");
    assertThat(committedIds()).containsExactly("1", "4");
    assertThat(node.rows("SELECT id FROM t ORDER BY id")).containsExactly("1", "4");
    LogText log = node.logFrom(start);
    int aborted = log.of(WalRecordType.INSERT).get(1).xid();
    assertThat(log.of(WalRecordType.ABORT))
        .anyMatch(line -> line.xid() == aborted && line.subxids().size() == 1);
    assertThat(log.of(WalRecordType.INSERT).get(3).xid()).isNotEqualTo(aborted);
  }

  @Test
  @DisplayName("S17 (4) A first write inside a savepoint gets both xids")
  void firstWriteInside() {
    node.run("BEGIN; SAVEPOINT a;" + insert(1) + "RELEASE a; COMMIT");
    assertThat(committedIds()).containsExactly("1");
    LogText.Line row = node.logFrom(start).of(WalRecordType.INSERT).get(0);
    assertThat(row.xid()).isEqualTo(row.topXid() + 1);
  }

  @Test
  @DisplayName("A savepoint rolled back before any change leaves nothing in the log")
  void emptySavepoint() {
    node.run("BEGIN; SAVEPOINT a; SELECT 1; ROLLBACK TO a;" + insert(1) + "ROLLBACK TO a; COMMIT");
    assertThat(node.rows("SELECT count(*) FROM t")).containsExactly("0");
    LogText log = node.logFrom(start);
    assertThat(log.of(WalRecordType.ABORT)).hasSize(1);
    assertThat(committedIds()).isEmpty();
  }
}
