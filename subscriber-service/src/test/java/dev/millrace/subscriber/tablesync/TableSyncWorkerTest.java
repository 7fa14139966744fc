package dev.millrace.subscriber.tablesync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.ReplicationOrigin;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import dev.millrace.subscriber.fake.ModelPublisher;
import dev.millrace.subscriber.fake.TestNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Table synchronization")
class TableSyncWorkerTest {

  private static TestNode node;
  private static int serial;
  private ModelPublisher publisher;
  private Subscription subscription;
  private String slot;
  private final AtomicInteger nextId = new AtomicInteger(1);

  @BeforeAll
  static void start() {
    Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    node = TestNode.shared();
  }

  @AfterAll
  static void stop() {
    Awaitility.reset();
  }

  @BeforeEach
  void prepare() throws Exception {
    publisher = new ModelPublisher();
    slot = "sub" + ++serial;
    publisher.createSlot(slot);
    for (String table : List.of("t", "t2")) {
      publisher.createTable(table, "id", "v");
      node.sql(
          "drop table if exists " + table,
          "create table " + table + "(id int primary key, v varchar)");
    }
  }

  @AfterEach
  void drop() throws Exception {
    FaultPoint.disarmAll();
    node.drop(subscription);
    publisher.close();
  }

  private void subscribe(String... tables) {
    subscription = node.subscribe(slot, publisher.connection(), RelationState.INIT, true, tables);
  }

  private void write(int transactions) {
    for (int i = 0; i < transactions; i++) {
      String id = String.valueOf(nextId.getAndIncrement());
      publisher.commit(tx -> tx.insert("t", id, "v" + id).insert("t2", id, "w"));
    }
  }

  private void awaitReadyAndEqual(String... tables) {
    await().until(() -> node.states(subscription).equals("r".repeat(tables.length)));
    for (String table : tables) {
      await()
          .until(
              () ->
                  node.rows("select id || ',' || v from " + table + " order by 1")
                      .equals(publisher.rows(table)));
    }
  }

  private void assertNothingLeft() {
    await().until(() -> publisher.slotNames().equals(List.of(slot)));
    await()
        .until(
            () ->
                node.catalog().origins().stream()
                    .map(ReplicationOrigin::name)
                    .noneMatch(name -> name.startsWith(subscription.originName() + "_")));
    await().until(() -> node.bean(SlotIntents.class).open().isEmpty());
    await().until(() -> node.launcher().workers().size() == 1);
  }

  @Test
  @DisplayName("Y1 an idle table goes from i to r; slot, origin and intents are gone")
  void idleTable() {
    write(10);
    subscribe("t");
    awaitReadyAndEqual("t");
    assertNothingLeft();
    String sysid = node.workers().node().systemIdentifier();
    String name = "pg_" + subscription.oid() + "_sync_" + node.oid("t") + "_" + sysid;
    assertThat(publisher.commands())
        .containsSubsequence(
            "BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ",
            "CREATE_REPLICATION_SLOT \"" + name + "\" LOGICAL pgoutput (SNAPSHOT 'use')",
            "SELECT count(*) FROM public.t",
            "COPY public.t (id, v) TO STDOUT",
            "COMMIT",
            "DROP_REPLICATION_SLOT \"" + name + "\" WAIT");
  }

  @Test
  @DisplayName("S15 tables copied under write load hold each row once")
  void underWriteLoad() throws Exception {
    write(500);
    AtomicBoolean writing = new AtomicBoolean(true);
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; writing.get() && i < 500; i++) {
                write(20);
                LockSupport.parkNanos(5_000_000);
              }
            });
    writer.start();
    subscribe("t", "t2");
    await().until(() -> node.states(subscription).matches("[sr][sr]"));
    writing.set(false);
    writer.join();
    awaitReadyAndEqual("t", "t2");
    assertNothingLeft();
    assertThat(node.catalog().statistics(subscription.oid()).syncErrors.sum()).isZero();
    assertThat(node.catalog().statistics(subscription.oid()).applyErrors.sum()).isZero();
  }

  @Test
  @DisplayName("Y1 changes between the copy and the apply worker's position are caught up")
  void catchUp() {
    write(5);
    CountDownLatch copying = new CountDownLatch(1);
    publisher.onCommand(
        command -> {
          if (command.startsWith("COPY public.t ")) {
            copying.countDown();
            write(20);
            publisher.commit(tx -> tx.update("t", "1", "changed").delete("t", "2"));
          }
        });
    subscribe("t", "t2");
    awaitReadyAndEqual("t", "t2");
    assertThat(copying.getCount()).isZero();
    assertNothingLeft();
  }

  @ParameterizedTest(name = "killed at {0}")
  @ValueSource(
      strings = {
        "tablesync.after-slot",
        "tablesync.before-finished-copy",
        "tablesync.after-finished-copy",
        "tablesync.after-sync-done",
        "tablesync.after-slot-drop"
      })
  @DisplayName(
      "Y1 a worker that dies in any state is followed by one that loses and doubles nothing")
  void diesInAnyState(String point) throws Exception {
    write(50);
    FaultPoint.arm(
        point,
        1,
        () -> {
          write(10);
          throw new PgException("XX000", "killed at " + point);
        });
    AtomicBoolean writing = new AtomicBoolean(true);
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; writing.get() && i < 1000; i++) {
                write(5);
                LockSupport.parkNanos(5_000_000);
              }
            });
    writer.start();
    subscribe("t");
    await().until(() -> node.catalog().statistics(subscription.oid()).syncErrors.sum() == 1);
    await().until(() -> node.states(subscription).matches("[sr]"));
    writing.set(false);
    writer.join();
    awaitReadyAndEqual("t");
    assertNothingLeft();
  }

  @Test
  @DisplayName(
      "Y1 what the apply worker left to the copy and confirmed is caught up after both died")
  void confirmedBeforeCrash() {
    write(10);
    FaultPoint.arm(
        "tablesync.after-finished-copy",
        1,
        () -> {
          write(20);
          long end = publisher.currentLsn();
          await().until(() -> !Lsn.isBefore(publisher.confirmedLsn(slot), end));
          try {
            publisher.cut();
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
          throw new PgException("08006", "killed");
        });
    subscribe("t");
    awaitReadyAndEqual("t");
    assertThat(node.count("t")).isEqualTo(30);
    assertNothingLeft();
  }

  @Test
  @DisplayName("S14 a copy that fails is counted and retried, and succeeds when its cause is gone")
  void failingCopy() {
    write(20);
    for (int id = 1; id <= 10; id++) {
      node.sql("insert into t values (" + id + ", 'local')");
    }
    subscribe("t");
    await().until(() -> node.catalog().statistics(subscription.oid()).syncErrors.sum() >= 2);
    assertThat(node.states(subscription)).isEqualTo("d");
    assertThat(node.launcher().lastError(subscription.oid(), node.oid("t")))
        .contains("duplicate key value");
    assertThat(node.count("t")).isEqualTo(10);
    node.sql("delete from t");
    awaitReadyAndEqual("t");
    assertThat(node.count("t")).isEqualTo(20);
    assertNothingLeft();
  }

  @Test
  @DisplayName("S03 a table that does not fit fails alone; repaired, it completes by itself")
  void tableDoesNotFit() {
    write(5);
    node.sql("alter table t drop column v");
    subscribe("t", "t2");
    await().until(() -> node.states(subscription).equals("dr"));
    assertThat(node.launcher().lastError(subscription.oid(), node.oid("t")))
        .isEqualTo(
            "logical replication target relation \"public.t\" is missing replicated column: \"v\"");
    node.sql("alter table t add column v varchar");
    awaitReadyAndEqual("t", "t2");
    assertNothingLeft();
  }

  @Test
  @DisplayName("a table that left the publication is an error until it comes back")
  void notPublished() {
    write(3);
    publisher.unpublish("t");
    subscribe("t");
    await()
        .until(
            () ->
                "table \"public.t\" not found on publisher"
                    .equals(node.launcher().lastError(subscription.oid(), node.oid("t"))));
  }

  @Test
  @DisplayName("progress of a running copy: rows, bytes and the total")
  void progress() throws Exception {
    write(100);
    CountDownLatch go = new CountDownLatch(1);
    publisher.onCommand(
        command -> {
          if (command.startsWith("COPY public.t ")) {
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });
    subscribe("t");
    await()
        .until(
            () -> {
              var progress = node.launcher().copyProgress(subscription.oid(), node.oid("t"));
              return progress != null && progress.rowsTotal() == 100 && progress.rowsCopied() == 0;
            });
    assertThat(node.states(subscription)).isEqualTo("d");
    go.countDown();
    awaitReadyAndEqual("t");
    assertThat(node.launcher().copyProgress(subscription.oid(), node.oid("t"))).isNull();
  }

  @Test
  @DisplayName("dropping out of the subscription stops a table's worker")
  void tableLeaves() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    publisher.onCommand(
        command -> {
          if (command.startsWith("COPY public.t ")) {
            try {
              never.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });
    subscribe("t");
    await().until(() -> node.launcher().workers().size() == 2);
    await().until(() -> publisher.commands().stream().anyMatch(c -> c.startsWith("COPY ")));
    node.bean(SubscriptionStore.class).refresh(subscription, List.of(), List.of(node.oid("t")));
    never.countDown();
    await().until(() -> node.launcher().workers().size() == 1);
  }
}
