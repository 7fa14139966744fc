package dev.millrace.publisher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
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
}
