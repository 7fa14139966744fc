package dev.millrace.publisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S45, the slot's half: pg_stat_replication_slots on the whole publisher. */
class SlotStatisticsScenariosTest {

  private static final String READ =
      "select count(*) from pg_logical_slot_get_binary_changes('%s', null, null,"
          + " 'proto_version', '4', 'publication_names', 'pub', 'streaming', '%s')";

  @TempDir Path dataDirectory;
  private PublisherUnderTest publisher;

  @BeforeEach
  void start() {
    publisher = PublisherUnderTest.start(dataDirectory, "logical_decoding_work_mem=64kB");
  }

  @AfterEach
  void stop() {
    publisher.close();
  }

  private List<Object> statistics(String slot) {
    return publisher
        .sql(
            "select spill_txns, spill_count > 0, spill_bytes > 0, stream_txns, stream_count > 0,"
                + " stream_bytes > 0, total_txns, total_bytes > 0, stats_reset is null"
                + " from pg_stat_replication_slots where slot_name = '"
                + slot
                + "'")
        .get(0);
  }

  @Test
  @DisplayName("S45: spilled and streamed count, survive a restart, and are reset by name or all")
  void countedKeptAndReset() {
    publisher.sql(
        "create table t (id int primary key, v text); create publication pub for table t");
    for (String slot : List.of("spilling", "streaming")) {
      publisher.sql("select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
    }
    publisher.sql("insert into t select x, repeat('v', 100) from generate_series(1, 2000) as g(x)");
    publisher.sql(READ.formatted("spilling", "off"));
    publisher.sql(READ.formatted("streaming", "on"));
    List<Object> spilled = List.of(1L, true, true, 0L, false, false, 1L, true, true);
    List<Object> streamed = List.of(0L, false, false, 1L, true, true, 1L, true, true);
    assertThat(statistics("spilling")).isEqualTo(spilled);
    assertThat(statistics("streaming")).isEqualTo(streamed);

    publisher.close();
    start();
    assertThat(statistics("spilling")).isEqualTo(spilled);
    assertThat(statistics("streaming")).isEqualTo(streamed);

    List<Object> zeros = List.of(0L, false, false, 0L, false, false, 0L, false, false);
    publisher.sql("select pg_stat_reset_replication_slot('spilling')");
    assertThat(statistics("spilling")).isEqualTo(zeros);
    assertThat(statistics("streaming")).isEqualTo(streamed);
    publisher.sql("select pg_stat_reset_replication_slot(null)");
    assertThat(statistics("streaming")).isEqualTo(zeros);
  }

  @Test
  @DisplayName(
      "S45: statistics of a slot that does not exist cannot be reset, and go with the slot")
  void unknownAndDropped() {
    assertThatThrownBy(() -> publisher.sql("select pg_stat_reset_replication_slot('nobody')"))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo("22023"))
        .hasMessage("replication slot \"nobody\" does not exist");
    publisher.sql("select pg_create_logical_replication_slot('s', 'pgoutput')");
    publisher.sql("select pg_drop_replication_slot('s')");
    assertThat(publisher.sql("select slot_name from pg_stat_replication_slots")).isEmpty();
  }
}
