package dev.millrace.publisher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.walsender.ReplicationPeer;
import dev.millrace.replication.PrimaryKeepalive;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The publisher as a whole: start, stop, start again. */
class PublisherApplicationTest {

  @TempDir Path dataDirectory;

  @Test
  @DisplayName("S39: tables, slots and positions survive a clean stop, and the log goes on")
  void restart() {
    String lsn;
    try (PublisherUnderTest publisher = PublisherUnderTest.start(dataDirectory)) {
      publisher.sql("create table t (id int primary key, v text)");
      publisher.sql("insert into t values (1, 'one')");
      publisher.sql("select * from pg_create_logical_replication_slot('s', 'test_decoding')");
      publisher.sql("insert into t values (2, 'two')");
      lsn = (String) publisher.value("select pg_current_wal_lsn()");
    }
    try (PublisherUnderTest publisher = PublisherUnderTest.start(dataDirectory)) {
      assertThat(publisher.value("select count(*) from t")).isEqualTo(2L);
      assertThat(publisher.value("select pg_wal_lsn_diff(pg_current_wal_lsn(), '" + lsn + "') > 0"))
          .isEqualTo(true);
      assertThat(
              publisher.sql(
                  "select data from pg_logical_slot_get_changes('s', null, null,"
                      + " 'include-xids', '0')"))
          .extracting(row -> row.get(0))
          .containsExactly(
              "BEGIN", "table public.t: INSERT: id[integer]:2 v[text]:'two'", "COMMIT");
      assertThat(
              publisher.sql(
                  "select slot_name, plugin, slot_type, database, temporary, active, wal_status"
                      + " from pg_replication_slots"))
          .containsExactly(
              java.util.List.of(
                  "s", "test_decoding", "logical", "testdb", false, false, "reserved"));
    }
  }

  @Test
  @DisplayName("S39: a clean stop sends what there is, and the next start repeats nothing")
  void cleanStopOfStream() throws Exception {
    String start =
        "START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '1', publication_names 'pub')";
    PublisherUnderTest publisher = PublisherUnderTest.start(dataDirectory);
    publisher.sql("create table t (id int primary key, v text)");
    publisher.sql("create publication pub for table t");
    publisher.sql("select * from pg_create_logical_replication_slot('s', 'pgoutput')");
    try (ReplicationPeer peer = ReplicationPeer.connect(publisher.port(), "dbname=testdb")) {
      peer.run(start);
      publisher.sql("insert into t values (1, 'one')");
      Thread stopping = new Thread(publisher::close);
      stopping.start();
      List<Character> received = new ArrayList<>();
      for (var next = peer.nextCopied(); !next.done(); next = peer.nextCopied()) {
        if (next.isData()) {
          received.add((char) next.message()[0]);
        } else {
          long end = ((PrimaryKeepalive) next.frame()).endLsn();
          peer.report(end, end, false);
        }
      }
      assertThat(received).containsExactly('B', 'R', 'I', 'C');
      assertThat(peer.closeCode()).isEqualTo(1001);
      stopping.join();
    }
    try (PublisherUnderTest again = PublisherUnderTest.start(dataDirectory);
        ReplicationPeer peer = ReplicationPeer.connect(again.port(), "dbname=testdb")) {
      peer.run(start);
      again.sql("insert into t values (2, 'two')");
      peer.nextData();
      peer.nextData();
      assertThat(new String(peer.nextData().message(), StandardCharsets.UTF_8)).contains("two");
    }
  }
}
