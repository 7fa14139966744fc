package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.PublisherUnderTest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I1: somebody else has a hand on the source's slot while the publisher is away. */
class SourceSlotLossTest {

  @TempDir Path directory;
  private SourcePostgres source;
  private SourceProxy proxy;
  private PublisherUnderTest publisher;

  @BeforeEach
  void start() {
    source = SourcePostgres.create();
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text)", "CREATE PUBLICATION src FOR TABLE t");
    proxy = new SourceProxy(source.port());
    publisher = SourceUnderTest.startVia(proxy, directory, source);
    publisher.sql("select pg_create_logical_replication_slot('s', 'test_decoding')");
  }

  @AfterEach
  void stop() {
    publisher.close();
    proxy.close();
    source.close();
  }

  private List<String> inserted() {
    return publisher.sql("select data from pg_logical_slot_peek_changes('s', null, null)").stream()
        .map(row -> row.get(0).toString())
        .filter(line -> line.startsWith("table"))
        .map(line -> line.replaceAll(".*id\\[integer\\]:(\\d+).*", "$1"))
        .toList();
  }

  private void reportsLoss(String reason, String... sql) {
    source.run(sql);
    proxy.leadTo(source.port());
    SourceUnderTest.awaitState(publisher, SourceState.SLOT_LOST);
    assertThat(SourceUnderTest.get(publisher, "/api/v1/status"))
        .contains("The source cannot be read: replication slot")
        .contains(reason)
        .contains("may be lost")
        .contains("new data directory");
    assertThat(SourceUnderTest.get(publisher, "/actuator/health/readiness")).contains("DOWN");
    assertThat(inserted()).as(reason).containsExactly("1");
    proxy.leadTo(0);
    SourceUnderTest.awaitState(publisher, SourceState.AWAY);
  }

  @Test
  @DisplayName("a slot that was moved, read, dropped or made again is reported, and not read")
  void movedWhileAway() {
    String slot = source.database();
    String drop = "SELECT pg_drop_replication_slot('" + slot + "')";
    source.run("INSERT INTO t VALUES (1)");
    source.awaitConfirmed();
    assertThat(inserted()).containsExactly("1");
    proxy.leadTo(0);
    SourceUnderTest.awaitState(publisher, SourceState.AWAY);
    source.awaitInactive(slot);
    String copy = "SELECT pg_copy_logical_replication_slot('%s', '%s')";
    String keep = copy.formatted(slot, slot + "_kept");
    String restore = copy.formatted(slot + "_kept", slot);
    source.run(keep, "INSERT INTO t VALUES (2)");
    reportsLoss(
        "was moved to", "SELECT pg_replication_slot_advance('" + slot + "', pg_current_wal_lsn())");
    reportsLoss(
        "was moved to",
        drop,
        restore,
        "SELECT count(*) FROM pg_logical_slot_get_binary_changes('%s', NULL, 1, %s)"
            .formatted(slot, "'proto_version', '1', 'publication_names', 'src'"));
    reportsLoss("does not exist any more", drop);
    reportsLoss(
        "dropped and made again",
        "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput', false, true)");
    source.run(drop, restore, "INSERT INTO t VALUES (3)");
    proxy.leadTo(source.port());
    SourceUnderTest.awaitState(publisher, SourceState.STREAMING);
    SourceUnderTest.awaitCaughtUp(publisher, source);
    assertThat(inserted()).containsExactly("1", "2", "3");
  }

  @Test
  @DisplayName(
      "a source that only writes elsewhere moves the slot, and a restart finds nothing lost")
  void idlePositions() {
    source.run("CREATE TABLE unpublished (id int)");
    source.run("INSERT INTO t VALUES (1)");
    source.awaitConfirmed();
    source.run("INSERT INTO unpublished SELECT generate_series(1, 1000)");
    source.awaitPassed(source.value("SELECT pg_current_wal_lsn()"));
    publisher.close();
    publisher = SourceUnderTest.startVia(proxy, directory, source);
    source.run("INSERT INTO t VALUES (2)");
    SourceUnderTest.awaitCaughtUp(publisher, source);
    assertThat(inserted()).containsExactly("1", "2");
  }
}
