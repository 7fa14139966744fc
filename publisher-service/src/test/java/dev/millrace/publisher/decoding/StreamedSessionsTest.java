package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streaming from SQL in several sessions to the SQL functions that read a slot. */
class StreamedSessionsTest {

  @TempDir static Path directory;
  private static PublisherUnderTest publisher;

  private final List<SqlSession> sessions = new ArrayList<>();
  private SqlSession reader;

  @BeforeAll
  static void start() {
    publisher = PublisherUnderTest.start(directory, "max_prepared_transactions=5");
  }

  @AfterAll
  static void stop() {
    publisher.close();
  }

  @BeforeEach
  void prepare() {
    publisher.sql("CREATE TABLE t (id int PRIMARY KEY, v text); CREATE PUBLICATION p FOR TABLE t");
    publisher.sql("SELECT pg_create_logical_replication_slot('s', 'pgoutput')");
    reader = session();
  }

  @AfterEach
  void cleanUp() {
    sessions.forEach(SqlSession::close);
    publisher.sql("SELECT pg_drop_replication_slot('s')");
    publisher.sql("DROP PUBLICATION p; DROP TABLE t");
  }

  private SqlSession session() {
    SqlSession session = publisher.bean(PublisherNode.class).open();
    sessions.add(session);
    return session;
  }

  private static void run(SqlSession session, String sql) {
    session.execute(sql, List.of());
  }

  /** Consumes the slot by the settings of the reading session; numbers instead of xids. */
  private List<String> read(String streaming) {
    boolean parallel = streaming.equals("parallel");
    PgOutputReader messages = new PgOutputReader(parallel);
    List<PgOutputMessage> parsed = new ArrayList<>();
    String version = streaming.equals("off") ? "1" : "4";
    for (List<Object> row :
        reader
            .execute(
                "SELECT data FROM pg_logical_slot_get_binary_changes('s', NULL, NULL,"
                    + " 'proto_version', '"
                    + version
                    + "', 'publication_names', 'p', 'streaming', '"
                    + streaming
                    + "')",
                List.of())
            .results()
            .get(0)
            .rows()) {
      byte[] bytes = HexFormat.of().parseHex(row.get(0).toString().substring(2));
      parsed.add(messages.read(bytes, 0, bytes.length));
    }
    StreamReplay.of(parsed, DecodingScene::showPlain);
    return parsed.stream().map(DecodingScene::showPlain).toList();
  }

  private static List<String> kinds(List<String> lines) {
    List<String> kinds = new ArrayList<>();
    for (String line : lines) {
      String kind = line.substring(0, 1);
      if (kinds.isEmpty() || !kinds.get(kinds.size() - 1).equals(kind)) {
        kinds.add(kind);
      }
    }
    return kinds;
  }

  private static long count(List<String> lines, String kind) {
    return lines.stream().filter(line -> line.startsWith(kind)).count();
  }

  @Test
  @DisplayName("S19: work memory 64kB, an aborted savepoint with rows and a TRUNCATE in it")
  void abortedSavepoint() {
    run(reader, "SET logical_decoding_work_mem = '64kB'");
    SqlSession writer = session();
    run(writer, "BEGIN; SAVEPOINT s1");
    run(writer, "INSERT INTO t SELECT g, repeat('x', 2000) FROM generate_series(1, 35) g");
    run(writer, "TRUNCATE t; ROLLBACK TO s1");
    run(writer, "INSERT INTO t SELECT g, 'short' FROM generate_series(1, 20) g; COMMIT");
    List<String> streamed = read("on");
    assertThat(kinds(streamed)).startsWith("S", "R", "I").endsWith("A", "S", "R", "I", "E", "c");
    assertThat(streamed.subList(streamed.lastIndexOf("R t d id* v"), streamed.size())).hasSize(23);
  }

  @Test
  @DisplayName("S20: two large transactions interleaved, the second commits first")
  void interleaved() {
    SqlSession one = session();
    SqlSession two = session();
    run(one, "BEGIN; INSERT INTO t SELECT g, repeat('x', 50) FROM generate_series(3, 5000) g");
    run(one, "UPDATE t SET v = repeat('y', 50) WHERE id % 2 = 0; DELETE FROM t WHERE id % 3 = 0");
    run(two, "BEGIN; INSERT INTO t SELECT g, repeat('x', 50) FROM generate_series(5001, 9999) g");
    run(two, "DELETE FROM t WHERE id > 5000; COMMIT");
    run(one, "COMMIT");
    run(reader, "SET logical_decoding_work_mem = '64kB'");
    List<String> lines = read("parallel");
    assertThat(count(lines, "S")).isGreaterThan(10);
    assertThat(count(lines, "S") - count(lines, "E")).isZero();
    assertThat(count(lines, "I")).isEqualTo(4998 + 4999);
    assertThat(count(lines, "U")).isEqualTo(2499);
    assertThat(count(lines, "D")).isEqualTo(1666 + 4999);
    assertThat(count(lines, "c")).isEqualTo(2);
    assertThat(publisher.value("SELECT count(*) FROM t")).isEqualTo(3332L);
    List<Object> statistics =
        publisher
            .sql(
                "SELECT spill_txns, stream_txns, stream_count > 10, stream_bytes > 100000,"
                    + " total_txns FROM pg_stat_replication_slots WHERE slot_name = 's'")
            .get(0);
    assertThat(statistics).containsExactly(0L, 2L, true, true, 2L);
  }

  @Test
  @DisplayName("S21: savepoints rolled back and released in a stream of single changes; ROLLBACK")
  void streamAborts() {
    run(reader, "SET debug_logical_replication_streaming = immediate");
    SqlSession writer = session();
    run(
        writer,
        "BEGIN; INSERT INTO t VALUES (3, 'x'); SAVEPOINT s1; INSERT INTO t VALUES (4, 'x')");
    run(writer, "SAVEPOINT s2; INSERT INTO t VALUES (5, 'x'); SAVEPOINT s3");
    run(writer, "INSERT INTO t VALUES (6, 'x'); ROLLBACK TO s2; INSERT INTO t VALUES (7, 'x')");
    run(writer, "ROLLBACK TO s1; INSERT INTO t VALUES (8, 'x'); SAVEPOINT s4");
    run(writer, "INSERT INTO t VALUES (9, 'x'); SAVEPOINT s5; INSERT INTO t VALUES (10, 'x')");
    run(writer, "COMMIT");
    List<String> lines = read("on");
    assertThat(count(lines, "A")).isEqualTo(4);
    assertThat(count(lines, "I")).isEqualTo(8);
    run(
        writer,
        "BEGIN; INSERT INTO t VALUES (11, 'x'); SAVEPOINT s1; INSERT INTO t VALUES (12, 'x')");
    run(writer, "SAVEPOINT s2; INSERT INTO t VALUES (13, 'x'); SAVEPOINT s3");
    run(writer, "INSERT INTO t VALUES (14, 'x'); RELEASE s2; INSERT INTO t VALUES (15, 'x')");
    run(writer, "ROLLBACK TO s1; COMMIT");
    lines = read("parallel");
    assertThat(lines.stream().filter(line -> line.startsWith("A"))).hasSize(3);
    assertThat(lines).last().asString().startsWith("c");
    run(
        writer,
        "BEGIN; INSERT INTO t VALUES (16, 'x'); SAVEPOINT s1; INSERT INTO t VALUES (17, 'x')");
    run(writer, "SAVEPOINT s2; INSERT INTO t VALUES (18, 'x')");
    run(writer, "ROLLBACK; DELETE FROM t WHERE id = 0; INSERT INTO t VALUES (20, 'flushes')");
    lines = read("on");
    List<String> aborts = lines.stream().filter(line -> line.startsWith("A")).toList();
    assertThat(aborts).hasSize(3);
    String[] whole = aborts.get(2).split(" ");
    assertThat(whole[1]).isEqualTo(whole[2]);
    assertThat(publisher.value("SELECT count(*) FROM t")).isEqualTo(6L);
  }

  @Test
  @DisplayName("S22: a large transaction that has aborted is neither spilled nor streamed")
  void abortedCostsNothing() {
    SqlSession writer = session();
    run(reader, "SET logical_decoding_work_mem = '64kB'");
    for (String streaming : List.of("off", "on")) {
      run(writer, "BEGIN; SAVEPOINT s1; INSERT INTO t VALUES (1, 'x'); RELEASE s1");
      run(writer, "INSERT INTO t SELECT g, repeat('x', 50) FROM generate_series(2, 5001) g");
      run(writer, "ROLLBACK");
      run(writer, "INSERT INTO t VALUES (" + -streaming.length() + ", 'kept')");
      assertThat(kinds(read(streaming))).containsExactly("B", "R", "I", "C");
    }
    assertThat(
            publisher.sql(
                "SELECT spill_txns, spill_count, stream_txns FROM pg_stat_replication_slots"))
        .containsExactly(List.of(0L, 0L, 0L));
  }

  @Test
  @DisplayName(
      "S22: nor is one that was prepared and rolled back; its PREPARE is told without rows")
  void rolledBackPreparedCostsNothing() {
    publisher.sql("SELECT pg_drop_replication_slot('s')");
    publisher.sql("SELECT pg_create_logical_replication_slot('s', 'pgoutput', false, true)");
    SqlSession writer = session();
    run(writer, "BEGIN; INSERT INTO t SELECT g, repeat('x', 50) FROM generate_series(1, 5000) g");
    run(writer, "PREPARE TRANSACTION 'g'");
    run(writer, "ROLLBACK PREPARED 'g'");
    run(reader, "SET logical_decoding_work_mem = '64kB'");
    assertThat(kinds(read("on"))).containsExactly("b", "P", "r");
    assertThat(
            publisher.sql(
                "SELECT spill_txns, spill_count, stream_txns FROM pg_stat_replication_slots"))
        .containsExactly(List.of(0L, 0L, 0L));
  }
}
