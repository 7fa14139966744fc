package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.ForeignTransactions;
import dev.millrace.publisher.walsender.ReplicationPeer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I1: the changes of a real PostgreSQL server, taken over and decoded from the own log. */
class SourceStreamTest {

  @TempDir Path directory;
  private SourcePostgres source;
  private PublisherUnderTest publisher;

  @BeforeEach
  void start() {
    source = SourcePostgres.create();
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text)", "CREATE PUBLICATION src FOR TABLE t");
    publisher = SourceUnderTest.start(directory, source);
  }

  @AfterEach
  void stop() {
    publisher.close();
    source.close();
  }

  private void restart() {
    publisher.close();
    publisher = SourceUnderTest.start(directory, source);
  }

  /** The rows that the slot shows, one line each. */
  private List<String> rows(String function) {
    SourceUnderTest.awaitCaughtUp(publisher, source);
    return publisher
        .sql("select data from " + function + "('s', null, null, 'include-xids', '0')")
        .stream()
        .map(row -> row.get(0).toString())
        .filter(line -> line.startsWith("table"))
        .toList();
  }

  private void createSlot() {
    publisher.sql("select pg_create_logical_replication_slot('s', 'test_decoding')");
  }

  @Test
  @DisplayName("rows committed on PostgreSQL reach a subscriber's stream as B, R, I, U, D, C")
  void rowsArrive() throws Exception {
    publisher.sql("create publication pub for table t");
    try (ReplicationPeer peer = ReplicationPeer.connect(publisher.port(), "dbname=testdb")) {
      assertThat(
              peer.errorOf("CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'nothing')"))
          .isNull();
      peer.run(
          "START_REPLICATION SLOT \"s\" LOGICAL 0/0 (proto_version '1', publication_names 'pub')");
      source.run(
          "BEGIN",
          "INSERT INTO t VALUES (1, 'one')",
          "UPDATE t SET v = 'uno'",
          "DELETE FROM t",
          "TRUNCATE t",
          "COMMIT");
      StringBuilder letters = new StringBuilder();
      for (int i = 0; i < 7; i++) {
        letters.append((char) peer.nextData().message()[0]);
      }
      assertThat(letters.toString()).isEqualTo("BRIUDTC");
    }
  }

  @Test
  @DisplayName("the source's slot is confirmed up to what is on the publisher's disk")
  void confirmed() {
    source.run("INSERT INTO t VALUES (1, 'one')");
    SourceUnderTest.awaitCaughtUp(publisher, source);
    long taken = publisher.bean(ForeignTransactions.class).sourceLsn();
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                !Lsn.isBefore(
                    Lsn.parse(
                            source.value(
                                "SELECT confirmed_flush_lsn FROM pg_replication_slots"
                                    + " WHERE slot_name = '"
                                    + source.database()
                                    + "'"))
                        .value(),
                    taken));
  }

  @Test
  @DisplayName("a restart of the publisher, and a lost connection, lose nothing and repeat nothing")
  void restarts() {
    createSlot();
    source.run("INSERT INTO t VALUES (1, 'one')");
    assertThat(rows("pg_logical_slot_peek_changes")).hasSize(1);
    publisher.close();
    source.run("INSERT INTO t VALUES (2, 'two')");
    publisher = SourceUnderTest.start(directory, source);
    source.run("INSERT INTO t VALUES (3, 'three')");
    source.cutOff(source.database());
    source.run("INSERT INTO t VALUES (4, 'four')");
    assertThat(rows("pg_logical_slot_get_changes"))
        .containsExactly(
            "table public.t: INSERT: id[integer]:1 v[text]:'one'",
            "table public.t: INSERT: id[integer]:2 v[text]:'two'",
            "table public.t: INSERT: id[integer]:3 v[text]:'three'",
            "table public.t: INSERT: id[integer]:4 v[text]:'four'");
    restart();
    assertThat(rows("pg_logical_slot_get_changes")).isEmpty();
  }

  @Test
  @DisplayName("statements that would change rows or tables are refused and say where to run them")
  void writesAreRefused() {
    for (String sql :
        List.of(
            "insert into t values (1)",
            "create table own (id int)",
            "drop table t",
            "truncate t",
            "alter table t replica identity full")) {
      assertThatThrownBy(() -> publisher.sql(sql))
          .as(sql)
          .isInstanceOfSatisfying(
              PgException.class,
              e -> {
                assertThat(e.sqlState()).isEqualTo("25006");
                assertThat(e.hint()).contains("Run it on that server");
              });
    }
  }
}
