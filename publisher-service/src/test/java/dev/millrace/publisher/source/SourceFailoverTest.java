package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.ForeignTransactions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * I1: the source fails over to one of two physical standbys: one that has all the publisher took
 * over, with a copy of its slot, and one that does not.
 */
@DisplayName("A source that fails over")
class SourceFailoverTest {

  @TempDir Path directory;
  private FailoverServer primary;
  private FailoverServer lagging;
  private FailoverServer complete;
  private SourceProxy proxy;
  private PublisherUnderTest publisher;

  @BeforeEach
  void start() throws Exception {
    primary = FailoverServer.primary(Files.createDirectory(directory.resolve("primary")));
    primary.run("CREATE TABLE t (id int PRIMARY KEY)", "CREATE PUBLICATION src FOR TABLE t");
    lagging = primary.standby(directory.resolve("lagging"), "lagging", "");
    complete =
        primary.standby(directory.resolve("complete"), "complete", "sync_replication_slots = on");
    proxy = new SourceProxy(primary.port());
    startPublisher();
    SourceUnderTest.awaitState(publisher, SourceState.STREAMING);
    publisher.sql("select pg_create_logical_replication_slot('s', 'test_decoding')");
  }

  private void startPublisher() {
    publisher =
        PublisherUnderTest.startWith(
            directory.resolve("publisher"),
            "--millrace.source.url=" + proxy.url("postgres"),
            "--millrace.source.publication=src",
            "--millrace.source.failover=true",
            "--millrace.source.receive-timeout=2s",
            "--millrace.source.retry-interval=200ms");
  }

  @AfterEach
  void stop() {
    publisher.close();
    proxy.close();
    complete.close();
    lagging.close();
    primary.close();
  }

  private void insert(FailoverServer server, int id) {
    server.run("INSERT INTO t VALUES (" + id + ")");
  }

  private List<String> inserted() {
    return publisher.sql("select data from pg_logical_slot_peek_changes('s', null, null)").stream()
        .map(row -> row.get(0).toString())
        .filter(line -> line.startsWith("table"))
        .map(line -> line.replaceAll(".*id\\[integer\\]:(\\d+).*", "$1"))
        .toList();
  }

  private void awaitTaken(FailoverServer server) {
    long lsn = Lsn.parse(server.value("SELECT pg_current_wal_insert_lsn()")).value();
    server.run("SELECT pg_logical_emit_message(true, 'caught up', '')");
    ForeignTransactions taken = publisher.bean(ForeignTransactions.class);
    await().atMost(Duration.ofSeconds(30)).until(() -> !Lsn.isBefore(taken.sourceLsn(), lsn));
  }

  /** The standby's copy of the slot follows once the publisher has confirmed something newer. */
  private void copySlot() {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              primary.run("SELECT pg_log_standby_snapshot()");
              awaitTaken(primary);
              complete.awaitReplayed(primary);
              return "t"
                  .equals(
                      complete.value(
                          "SELECT synced AND NOT temporary FROM pg_replication_slots"
                              + " WHERE slot_name = 'millrace'"));
            });
  }

  private void leadTo(FailoverServer server, SourceState state, String... reasons) {
    proxy.leadTo(0);
    SourceUnderTest.awaitState(publisher, SourceState.AWAY);
    proxy.leadTo(server.port());
    SourceUnderTest.awaitState(publisher, state);
    if (reasons.length > 0) {
      assertThat(SourceUnderTest.get(publisher, "/api/v1/status")).contains(reasons);
      assertThat(SourceUnderTest.get(publisher, "/actuator/health/readiness"))
          .contains("\"status\":\"DOWN\"");
    }
  }

  @Test
  @DisplayName(
      "is followed when nothing is missing there, and reported, not read, when something is")
  void failover() {
    insert(primary, 1);
    lagging.awaitReplayed(primary);
    lagging.run("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
    lagging.await("SELECT count(*) = 0 FROM pg_stat_wal_receiver");
    insert(primary, 2);
    copySlot();
    insert(primary, 3);
    awaitTaken(primary);
    complete.awaitReplayed(primary);
    assertThat(inserted()).containsExactly("1", "2", "3");
    proxy.leadTo(complete.port());
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> SourceUnderTest.get(publisher, "/api/v1/status").contains("not been promoted"));
    primary.stop();

    lagging.promote();
    insert(lagging, 100);
    leadTo(lagging, SourceState.DIVERGED, "on timeline 2", "It forked at", "from timeline 1");

    complete.promote();
    complete.run(
        "SELECT pg_copy_logical_replication_slot('millrace', 'kept')",
        "SELECT pg_drop_replication_slot('millrace')");
    insert(complete, 4);
    leadTo(
        complete,
        SourceState.SLOT_LOST,
        "has failed over to timeline 2",
        "does not exist any more");
    assertThat(inserted()).containsExactly("1", "2", "3");

    complete.run("SELECT pg_copy_logical_replication_slot('kept', 'millrace')");
    leadTo(complete, SourceState.STREAMING);
    insert(complete, 5);
    awaitTaken(complete);
    assertThat(inserted()).containsExactly("1", "2", "3", "4", "5");
    assertThat(SourceUnderTest.get(publisher, "/actuator/health/readiness")).doesNotContain("DOWN");

    primary.start();
    insert(primary, 200);
    leadTo(primary, SourceState.DIVERGED, "on timeline 1", "primary that was replaced");
    publisher.close();
    startPublisher();
    SourceUnderTest.awaitState(publisher, SourceState.DIVERGED);
    assertThat(inserted()).containsExactly("1", "2", "3", "4", "5");
  }
}
