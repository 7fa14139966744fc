package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I1: transactions of the source that are streamed while they are open, and their ends. */
class SourceTransactionsTest {

  @TempDir static Path directory;
  private static SourcePostgres source;
  private static PublisherUnderTest publisher;

  @BeforeAll
  static void start() {
    source = SourcePostgres.create();
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text)", "CREATE PUBLICATION src FOR TABLE t");
    publisher = SourceUnderTest.start(directory, source);
  }

  @AfterAll
  static void stop() {
    publisher.close();
    source.close();
  }

  @BeforeEach
  void createSlot() {
    publisher.sql("select pg_create_logical_replication_slot('s', 'test_decoding')");
  }

  @AfterEach
  void dropSlot() {
    publisher.sql("select pg_drop_replication_slot('s')");
    source.run("TRUNCATE t");
  }

  /** The ids of the rows inserted, in the order the slot shows them. */
  private static List<Integer> inserted() {
    SourceUnderTest.awaitCaughtUp(publisher, source);
    return publisher.sql("select data from pg_logical_slot_get_changes('s', null, null)").stream()
        .map(row -> row.get(0).toString())
        .filter(line -> line.startsWith("table public.t: INSERT"))
        .map(line -> Integer.valueOf(line.replaceAll(".*id\\[integer\\]:(\\d+).*", "$1")))
        .toList();
  }

  private static void insert(Statement session, int from, int to) throws SQLException {
    session.execute(
        "INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(%d, %d) i"
            .formatted(from, to));
  }

  private static boolean somethingRuns() {
    return publisher.bean(PublisherNode.class).oldestRunningLsn() != Long.MAX_VALUE;
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.rangeClosed(from, to).boxed().toList();
  }

  @Test
  @DisplayName("S20: two streamed transactions interleave in the log and leave in commit order")
  void interleaved() throws SQLException {
    try (Connection one = source.connect();
        Connection two = source.connect();
        Statement first = one.createStatement();
        Statement second = two.createStatement()) {
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      insert(first, 1, 1000);
      insert(second, 5001, 6000);
      insert(first, 1001, 2000);
      Awaitility.await().until(SourceTransactionsTest::somethingRuns);
      source.run("INSERT INTO t VALUES (9999, 'alone')");
      assertThat(inserted()).containsExactly(9999);
      insert(second, 6001, 7000);
      two.commit();
      insert(first, 2001, 3000);
      one.commit();
    }
    assertThat(inserted())
        .isEqualTo(Stream.concat(numbers(5001, 7000).stream(), numbers(1, 3000).stream()).toList());
    assertThat(somethingRuns()).isFalse();
  }

  @Test
  @DisplayName("S19, S21: rolled back savepoints of a streamed transaction leave nothing behind")
  void abortedSavepoints() throws SQLException {
    try (Connection connection = source.connect();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      insert(session, 1, 1000);
      session.execute("SAVEPOINT s1");
      insert(session, 1001, 2000);
      session.execute("SAVEPOINT s2");
      insert(session, 2001, 3000);
      session.execute("RELEASE s2");
      insert(session, 3001, 4000);
      session.execute("ROLLBACK TO s1");
      insert(session, 4001, 5000);
      session.execute("SAVEPOINT s3");
      insert(session, 5001, 6000);
      session.execute("RELEASE s3");
      insert(session, 6001, 7000);
      connection.commit();
    }
    assertThat(inserted())
        .isEqualTo(Stream.concat(numbers(1, 1000).stream(), numbers(4001, 7000).stream()).toList());
  }

  @Test
  @DisplayName("S21, S22: a streamed transaction that is rolled back is aborted in the log too")
  void aborted() throws SQLException {
    try (Connection connection = source.connect();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      insert(session, 1, 3000);
      Awaitility.await().until(SourceTransactionsTest::somethingRuns);
      connection.rollback();
    }
    source.run("INSERT INTO t VALUES (1, 'after')");
    assertThat(inserted()).containsExactly(1);
    assertThat(somethingRuns()).isFalse();
  }

  @Test
  @DisplayName("a connection lost inside a streamed transaction: it arrives once, and whole")
  void cutOff() throws SQLException {
    try (Connection connection = source.connect();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      insert(session, 1, 3000);
      Awaitility.await().until(SourceTransactionsTest::somethingRuns);
      source.cutOff(source.database());
      source.run("INSERT INTO t VALUES (9999, 'between')");
      insert(session, 3001, 4000);
      connection.commit();
    }
    assertThat(inserted())
        .isEqualTo(Stream.concat(Stream.of(9999), numbers(1, 4000).stream()).toList());
  }

  @Test
  @DisplayName(
      "S25: a table altered inside a streamed transaction and rolled back keeps its rows' shapes")
  void alteredInside() throws SQLException {
    try (Connection connection = source.connect();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      insert(session, 1, 1000);
      session.execute("SAVEPOINT s");
      session.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 7");
      insert(session, 1001, 2000);
      session.execute("ROLLBACK TO s");
      insert(session, 2001, 3000);
      connection.commit();
    }
    source.run("INSERT INTO t VALUES (9999, 'after')");
    assertThat(inserted())
        .isEqualTo(
            Stream.of(numbers(1, 1000), numbers(2001, 3000), List.of(9999))
                .flatMap(List::stream)
                .toList());
  }
}
