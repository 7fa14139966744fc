package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.walsender.ReplicationPeer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** I1: copies of the source's tables and the stream behind them. */
class SourceSnapshotTest {

  private static final String BEGIN = "BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ";

  @TempDir Path directory;
  private SourcePostgres source;
  private PublisherUnderTest publisher;
  private final AtomicBoolean writing = new AtomicBoolean(true);
  private final List<Thread> writers = new ArrayList<>();

  @BeforeEach
  void start() {
    source = SourcePostgres.create();
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text)", "CREATE PUBLICATION src FOR TABLE t");
    publisher =
        SourceUnderTest.start(directory, source, "--millrace.source.refresh-interval=200ms");
    publisher.sql("create publication pub for table t");
  }

  @AfterEach
  void stop() throws InterruptedException {
    endWriters();
    publisher.close();
    source.close();
  }

  private void endWriters() throws InterruptedException {
    writing.set(false);
    for (Thread writer : writers) {
      writer.join();
    }
  }

  /** Three rows a transaction, one of them behind a savepoint. */
  private void write(int first) {
    Thread writer =
        new Thread(
            () -> {
              try (Connection connection = source.connect();
                  Statement statement = connection.createStatement()) {
                for (int i = first; writing.get(); i += 3) {
                  statement.execute(
                      ("BEGIN; INSERT INTO t VALUES (%d, 'a'), (%d, 'b'); SAVEPOINT s;"
                              + " INSERT INTO t VALUES (%d, 'c'); COMMIT")
                          .formatted(i, i + 1, i + 2));
                }
              } catch (SQLException e) {
                throw new AssertionError(e);
              }
            });
    writer.start();
    writers.add(writer);
  }

  private long rows() {
    return Long.parseLong(source.value("SELECT count(*) FROM t"));
  }

  @Test
  @DisplayName("T4: copy and stream of a slot made under write load hold each row once")
  void snapshotUnderLoad() throws Exception {
    for (int w = 0; w < 3; w++) {
      write(w * 1_000_000);
    }
    Set<Integer> seen = new HashSet<>();
    try (ReplicationPeer peer = ReplicationPeer.connect(publisher.port(), "dbname=testdb")) {
      Awaitility.await().until(() -> rows() > 300);
      assertThat(peer.run(BEGIN).get("command").asString()).isEqualTo("BEGIN");
      assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use')"))
          .isNull();
      JsonNode counted = peer.run("SELECT count(*) FROM \"public\".\"t\"");
      JsonNode published =
          peer.run("SELECT pubname, tablename FROM pg_publication_tables WHERE pubname IN ('pub')");
      assertThat(published.get("rows").toString()).isEqualTo("[[\"pub\",\"t\"]]");
      assertThat(peer.run("COPY public.t (id, v) TO STDOUT").get("mode").asString())
          .isEqualTo("out");
      for (ReplicationPeer.Copied row = peer.nextCopied(); !row.done(); row = peer.nextCopied()) {
        String line = new String(row.payload(), StandardCharsets.UTF_8);
        assertThat(seen.add(Integer.parseInt(line.substring(0, line.indexOf('\t'))))).isTrue();
      }
      assertThat(peer.answer().get("command").asString()).isEqualTo("COPY " + seen.size());
      assertThat(counted.get("rows").get(0).get(0).asLong()).isEqualTo(seen.size());
      assertThat(seen).hasSizeGreaterThan(300);
      assertThat(seen.size() % 3).isZero();
      assertThat(peer.run("COMMIT").get("command").asString()).isEqualTo("COMMIT");
      int copied = seen.size();
      peer.run("START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '1', publication_names 'pub')");
      Awaitility.await().until(() -> rows() > copied + 300);
      endWriters();
      long total = rows();
      while (seen.size() < total) {
        byte[] message = peer.nextData().message();
        if (message[0] == 'I') {
          assertThat(seen.add(id(message))).isTrue();
        }
      }
      assertThat(source.rows("SELECT slot_name FROM pg_replication_slots WHERE temporary"))
          .isEmpty();
    }
  }

  @Test
  @DisplayName(
      "a copy has a table's own rows under the filters of both sides, whatever its schema and kind")
  void schemasAndKinds() throws Exception {
    source.run(
        "CREATE SCHEMA \"Odd.One\"",
        "CREATE TABLE \"Odd.One\".\"T\" (id int PRIMARY KEY, tags int[])",
        "INSERT INTO \"Odd.One\".\"T\" VALUES (1, '{1}'), (2, '{2}')",
        "CREATE TABLE parent (id int PRIMARY KEY)",
        "CREATE TABLE child () INHERITS (parent)",
        "INSERT INTO parent VALUES (1)",
        "INSERT INTO child VALUES (2)",
        "CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id)",
        "CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10)",
        "INSERT INTO parted VALUES (3)",
        "ALTER PUBLICATION src SET (publish_via_partition_root = true)",
        "CREATE TABLE filtered (id int PRIMARY KEY)",
        "INSERT INTO filtered SELECT generate_series(1, 6)",
        "ALTER PUBLICATION src ADD TABLE \"Odd.One\".\"T\", ONLY parent, parted,"
            + " filtered WHERE (id > 3)");
    Awaitility.await()
        .until(() -> publisher.sql("select relname from pg_class").toString().contains("filtered"));
    try (ReplicationPeer peer = ReplicationPeer.connect(publisher.port(), "dbname=testdb")) {
      peer.run(BEGIN);
      assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use')"))
          .isNull();
      assertThat(peer.run("SELECT count(*) FROM \"Odd.One\".\"T\"").get("rows").toString())
          .isEqualTo("[[2]]");
      assertThat(
              copied(
                  peer,
                  "COPY (SELECT id FROM \"Odd.One\".\"T\" WHERE tags = '{2}'::int[]) TO STDOUT"))
          .containsExactly("2");
      assertThat(copied(peer, "COPY public.parent (id) TO STDOUT")).containsExactly("1");
      assertThat(copied(peer, "COPY public.parted (id) TO STDOUT")).containsExactly("3");
      assertThat(copied(peer, "COPY (SELECT id FROM public.filtered WHERE id < 6) TO STDOUT"))
          .containsExactly("4", "5");
      peer.run("COMMIT");
    }
  }

  @Test
  @DisplayName("a table that leaves the source's publication leaves the own publications, too")
  void leavesThePublication() {
    source.run("CREATE TABLE other (id int PRIMARY KEY)", "ALTER PUBLICATION src ADD TABLE other");
    Awaitility.await()
        .until(() -> publisher.sql("select relname from pg_class").toString().contains("other"));
    publisher.sql("create publication every for all tables; alter publication pub add table other");
    source.run("ALTER PUBLICATION src DROP TABLE other");
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(publisher.sql("select pubname, tablename from pg_publication_tables"))
                    .containsExactlyInAnyOrder(List.of("pub", "t"), List.of("every", "t")));
  }

  private static List<String> copied(ReplicationPeer peer, String copy) throws Exception {
    assertThat(peer.run(copy).get("mode").asString()).isEqualTo("out");
    List<String> lines = new ArrayList<>();
    for (ReplicationPeer.Copied row = peer.nextCopied(); !row.done(); row = peer.nextCopied()) {
      lines.add(new String(row.payload(), StandardCharsets.UTF_8).strip());
    }
    peer.answer();
    return lines;
  }

  /** Of an INSERT: type 1, relation 4, 'N' 1, columns 2, 't' 1, length 4, text. */
  private static int id(byte[] insert) {
    return Integer.parseInt(new String(insert, 13, insert[12], StandardCharsets.UTF_8));
  }
}
