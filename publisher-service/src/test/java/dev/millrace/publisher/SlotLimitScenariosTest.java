package dev.millrace.publisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.walsender.ReplicationPeer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** S40: slots beyond a limit, on the whole publisher. */
class SlotLimitScenariosTest {

  private static final String CREATE =
      "select * from pg_create_logical_replication_slot('%s', 'pgoutput')";
  private static final String START =
      "START_REPLICATION SLOT \"s\" LOGICAL 0/0 (proto_version '1', publication_names 'pub')";

  @TempDir Path dataDirectory;
  private PublisherUnderTest publisher;

  @BeforeEach
  void start() {
    start("max_slot_wal_keep_size=1MB");
    publisher.sql("create table t (id int primary key, v text)");
    publisher.sql("create publication pub for table t");
    publisher.sql(String.format(CREATE, "s"));
  }

  private void start(String limit) {
    publisher = PublisherUnderTest.start(dataDirectory, "wal_segment_size=1MB", limit);
  }

  @AfterEach
  void stop() {
    publisher.close();
  }

  private void writeMegabytes(int from, int count) {
    for (int i = from; i < from + count; i++) {
      publisher.sql("insert into t values (" + i + ", repeat('x', 1000000))");
    }
  }

  private void checkpoint() {
    publisher.bean(PublisherNode.class).checkpoint();
  }

  private List<Object> slot(String columns) {
    return publisher
        .sql("select " + columns + " from pg_replication_slots where slot_name = 's'")
        .get(0);
  }

  private void refused(String sql, String message) {
    assertThatThrownBy(() -> publisher.sql(sql))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("55000"))
        .hasMessage(message);
  }

  private void isUnusable(String reason) {
    String lost = "can no longer access replication slot \"s\"";
    refused("select * from pg_logical_slot_get_changes('s', null, null)", lost);
    refused("select * from pg_replication_slot_advance('s', pg_current_wal_lsn())", lost);
    refused(
        "select * from pg_copy_logical_replication_slot('s', 'copy')",
        "cannot copy invalidated replication slot \"s\"");
    assertThat(slot("invalidation_reason, wal_status, active"))
        .containsExactly(reason, "lost", false);
  }

  @Test
  @DisplayName("S40: an idle slot beyond max_slot_wal_keep_size is lost for good and frees the log")
  void walRemoved() {
    assertThat(slot("wal_status, invalidation_reason, inactive_since is null, safe_wal_size > 0"))
        .containsExactly("reserved", null, false, true);
    writeMegabytes(1, 3);
    assertThat(slot("wal_status, safe_wal_size < 0")).containsExactly("unreserved", true);
    checkpoint();
    isUnusable("wal_removed");
    assertThat(slot("restart_lsn, safe_wal_size")).containsExactly(null, null);
    checkpoint();
    assertThat(publisher.bean(dev.millrace.publisher.wal.WriteAheadLog.class).segments())
        .hasSizeLessThanOrEqualTo(3);
    publisher.close();
    start("max_slot_wal_keep_size=-1");
    isUnusable("wal_removed");
    publisher.sql("select pg_drop_replication_slot('s')");
    publisher.sql(String.format(CREATE, "s"));
    assertThat(slot("wal_status, invalidation_reason")).containsExactly("reserved", null);
  }

  @Test
  @DisplayName("S40: a walsender that hangs in a send is ended with its slot")
  void frozenWalsender() throws Exception {
    try (ReplicationPeer frozen =
        ReplicationPeer.connectWithoutReading(publisher.port(), "dbname=testdb")) {
      frozen.sendText(START);
      Awaitility.await().until(() -> slot("active").get(0).equals(true));
      assertThat(slot("inactive_since")).containsExactly((Object) null);
      writeMegabytes(1, 8);
      checkpoint();
      Awaitility.await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> slot("active").get(0).equals(false));
      isUnusable("wal_removed");
    }
    try (ReplicationPeer again =
        ReplicationPeer.connect(publisher.port(), "dbname=testdb&application_name=again")) {
      JsonNode error = again.run(START);
      assertThat(error.toString()).contains("can no longer access replication slot");
    }
  }

  @Test
  @DisplayName("S40: idle_replication_slot_timeout is applied at a checkpoint, not to a used slot")
  void idleTimeout() throws Exception {
    publisher.close();
    start("idle_replication_slot_timeout=1s");
    publisher.sql(String.format(CREATE, "used"));
    try (ReplicationPeer peer =
        ReplicationPeer.connect(publisher.port(), "dbname=testdb&application_name=x")) {
      peer.run(START.replace("\"s\"", "\"used\""));
      Awaitility.await()
          .atMost(20, TimeUnit.SECONDS)
          .until(
              () -> {
                checkpoint();
                return slot("invalidation_reason").get(0) != null;
              });
      isUnusable("idle_timeout");
      assertThat(
              publisher.sql(
                  "select invalidation_reason from pg_replication_slots where slot_name = 'used'"))
          .containsExactly(java.util.Collections.singletonList(null));
    }
  }

  @Test
  @DisplayName("C5: a copied slot stands where its source stands and then has its own history")
  void copy() {
    publisher.sql("select * from pg_create_logical_replication_slot('d', 'test_decoding')");
    publisher.sql("insert into t values (1, 'a')");
    List<Object> copied =
        publisher
            .sql("select slot_name, lsn from pg_copy_logical_replication_slot('d', 'e')")
            .get(0);
    assertThat(copied.get(0)).isEqualTo("e");
    String count = "select count(*) from pg_logical_slot_get_changes('%s', null, null)";
    assertThat(publisher.value(String.format(count, "d"))).isEqualTo(3L);
    assertThat(publisher.value(String.format(count, "d"))).isEqualTo(0L);
    assertThat(publisher.value(String.format(count, "e"))).isEqualTo(3L);
    publisher.sql("select * from pg_copy_logical_replication_slot('e', 'f', false, 'pgoutput')");
    assertThat(publisher.value("select plugin from pg_replication_slots where slot_name = 'f'"))
        .isEqualTo("pgoutput");
    publisher.sql("select * from pg_copy_logical_replication_slot('e', 'g', true)");
    assertThat(publisher.value("select count(*) from pg_replication_slots where slot_name = 'g'"))
        .isEqualTo(0L);
    assertThatThrownBy(
            () -> publisher.sql("select * from pg_copy_logical_replication_slot('none', 'h')"))
        .hasMessage("replication slot \"none\" does not exist");
    assertThatThrownBy(
            () -> publisher.sql("select * from pg_copy_logical_replication_slot('e', 'f')"))
        .hasMessage("replication slot \"f\" already exists");
  }
}
