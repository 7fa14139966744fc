package dev.millrace.subscriber.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionError;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import dev.millrace.subscriber.fake.ModelPublisher;
import dev.millrace.subscriber.fake.TestNode;
import dev.millrace.subscriber.launcher.WorkerView;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The apply worker and its feedback")
class ApplyWorkerTest {

  private static TestNode node;
  private static int serial;
  private ModelPublisher publisher;
  private Subscription subscription;
  private String slot;

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
  void subscribe() throws Exception {
    publisher = new ModelPublisher();
    publisher.createTable("t", "id", "v");
    slot = "sub" + ++serial;
    publisher.createSlot(slot);
    node.sql("drop table if exists t", "create table t(id int primary key, v varchar)");
  }

  private void begin() {
    subscription = node.subscribe(slot, publisher.connection(), RelationState.READY, true, "t");
  }

  @AfterEach
  void drop() throws Exception {
    FaultPoint.disarmAll();
    if (subscription != null) {
      node.drop(subscription);
    }
    publisher.close();
  }

  private void awaitConfirmed(long lsn) {
    await().until(() -> !Lsn.isBefore(publisher.confirmedLsn(slot), lsn));
  }

  private void awaitEqual() {
    await()
        .until(
            () -> node.rows("select id || ',' || v from t order by 1").equals(publisher.rows("t")));
  }

  @Test
  @DisplayName("A4 starts at the origin's position with the publications quoted, and applies")
  void startsAtOrigin() throws Exception {
    begin();
    await().until(() -> publisher.commands().stream().anyMatch(c -> c.startsWith("START_")));
    assertThat(publisher.commands())
        .contains(
            "IDENTIFY_SYSTEM",
            "START_REPLICATION SLOT \""
                + slot
                + "\" LOGICAL 0/0 (proto_version '1', origin 'any',"
                + " publication_names '\"pub\"')");
    assertThat(publisher.requests().get(0)).contains("application_name=" + slot);
    long end = publisher.commit(tx -> tx.insert("t", "1", "a"));
    awaitEqual();
    awaitConfirmed(end);
    publisher.cut();
    await()
        .until(
            () ->
                publisher.commands().stream()
                    .anyMatch(c -> c.contains("LOGICAL " + Lsn.format(end))));
    publisher.commit(tx -> tx.insert("t", "2", "b"));
    awaitEqual();
  }

  @Test
  @DisplayName("A6 flush follows commits within the sync interval, and never runs ahead of apply")
  void feedback() {
    begin();
    long end = 0;
    for (int i = 0; i < 50; i++) {
      String id = String.valueOf(i);
      end = publisher.commit(tx -> tx.insert("t", id, "x"));
    }
    awaitConfirmed(end);
    for (long[] status : publisher.feedback()) {
      assertThat(Lsn.isBefore(status[2], status[1])).as("flush after apply").isFalse();
      assertThat(Lsn.isBefore(status[0], status[2])).as("apply after write").isFalse();
    }
  }

  @Test
  @DisplayName("S09 T3 an idle or filtered stream confirms what keepalives tell")
  void idleStream() {
    publisher.createTable("other", "id");
    publisher.unpublish("other");
    begin();
    publisher.commit(tx -> tx.insert("other", "1"));
    awaitConfirmed(publisher.idleWrite());
    assertThat(node.catalog().originProgress(subscription.originName())).isZero();
  }

  @Test
  @DisplayName("S46 killed after its commit and before the feedback, it applies nothing twice")
  void killedBeforeFeedback() {
    FaultPoint.arm(
        "apply.after-commit",
        2,
        () -> {
          throw new PgException("08006", "killed");
        });
    begin();
    publisher.commit(tx -> tx.insert("t", "1", "a"));
    publisher.commit(tx -> tx.insert("t", "2", "b"));
    long end = publisher.commit(tx -> tx.insert("t", "3", "c"));
    awaitConfirmed(end);
    awaitEqual();
    assertThat(node.catalog().statistics(subscription.oid()).applyErrors.sum()).isZero();
    assertThat(publisher.commands().stream().filter(c -> c.startsWith("START_"))).hasSize(2);
  }

  @Test
  @DisplayName("an error is counted and retried until its cause is gone")
  void retriesAfterError() {
    node.sql("insert into t values (1, 'local')");
    begin();
    publisher.commit(tx -> tx.insert("t", "1", "remote").insert("t", "2", "b"));
    await().until(() -> node.catalog().statistics(subscription.oid()).applyErrors.sum() >= 2);
    assertThat(node.launcher().lastError(subscription.oid(), 0)).contains("conflict=insert_exists");
    assertThat(node.count("t")).isEqualTo(1);
    node.sql("delete from t");
    awaitEqual();
    await().until(() -> node.launcher().lastError(subscription.oid(), 0) == null);
  }

  @Test
  @DisplayName("A8 a table that was renamed on both sides goes on, also under an idle worker")
  void renamedTable() {
    begin();
    long end = publisher.commit(tx -> tx.insert("t", "1", "a"));
    awaitEqual();
    awaitConfirmed(end);
    node.sql("drop table if exists renamed", "alter table t rename to renamed");
    QualifiedName to = new QualifiedName("public", "renamed");
    node.bean(LocalRelations.class).rename(new QualifiedName("public", "t"), to);
    node.workers().target().definitionChanged();
    publisher.createTable("renamed", "id", "v");
    long later = publisher.commit(tx -> tx.insert("renamed", "2", "b"));
    awaitConfirmed(later);
    assertThat(node.rows("select id, v from renamed order by id")).containsExactly("1,a", "2,b");
  }

  @Test
  @DisplayName("A10 disable_on_error disables at the first error, not at a lost connection")
  void disableOnError() throws Exception {
    node.sql("insert into t values (1, 'local')");
    subscription =
        node.subscribe(
            new Subscription(
                node.workers().node().nextOid(),
                slot,
                10,
                true,
                publisher.connection(),
                slot,
                List.of("pub"),
                false,
                'f',
                'd',
                true,
                true,
                false,
                false,
                "off",
                "any",
                0),
            RelationState.READY,
            "t");
    await().until(() -> publisher.commands().stream().anyMatch(c -> c.startsWith("START_")));
    publisher.cut();
    long endLsn = publisher.commit(tx -> tx.insert("t", "1", "remote"));
    await().until(() -> !node.catalog().subscription(subscription.oid()).enabled());
    SubscriptionError why = node.catalog().disableError(subscription.oid());
    assertThat(why.lsn()).as("the transaction's finish LSN").isEqualTo(endLsn - 0x30);
    assertThat(why.message()).contains("finished at " + Lsn.format(why.lsn()));
    assertThat(node.catalog().statistics(subscription.oid()).applyErrors.sum()).isEqualTo(1);
    await().until(() -> node.launcher().workers().isEmpty());
  }

  @Test
  @DisplayName("a worker blocked by a local lock goes on telling the publisher that it lives")
  void blockedByLock() throws Exception {
    begin();
    publisher.commit(tx -> tx.insert("t", "1", "a"));
    awaitEqual();
    try (Connection local = node.workers().target().openConnection();
        Statement statement = local.createStatement()) {
      statement.execute("update t set v = 'locked'");
      long end = publisher.commit(tx -> tx.update("t", "1", "b"));
      int before = publisher.feedback().size();
      await().until(() -> publisher.feedback().size() >= before + 2);
      assertThat(Lsn.isBefore(publisher.confirmedLsn(slot), end)).isTrue();
      local.rollback();
    }
    awaitEqual();
  }

  @Test
  @DisplayName("A6 a publisher that falls silent is asked, then left after wal_receiver_timeout")
  void silentPublisher() {
    begin();
    long end = publisher.commit(tx -> tx.insert("t", "1", "a"));
    awaitConfirmed(end);
    node.workers().settings().set("wal_receiver_timeout", "1s");
    try {
      publisher.freeze(true);
      long streams = streams();
      await().until(() -> streams() > streams);
      publisher.freeze(false);
      publisher.commit(tx -> tx.insert("t", "2", "b"));
      awaitEqual();
      assertThat(node.catalog().statistics(subscription.oid()).applyErrors.sum()).isZero();
    } finally {
      node.workers().settings().set("wal_receiver_timeout", "60s");
    }
  }

  private long streams() {
    return publisher.commands().stream().filter(c -> c.startsWith("START_")).count();
  }

  @Test
  @DisplayName(
      "S11 a changed subscription restarts its worker, a publisher that comes back finds it")
  void restarts() throws Exception {
    begin();
    publisher.commit(tx -> tx.insert("t", "1", "a"));
    awaitEqual();
    long pid = apply().pid();
    subscription =
        new Subscription(
            subscription.oid(),
            slot,
            10,
            true,
            publisher.connection() + " options='-c x.y=1'",
            slot,
            List.of("pub"),
            false,
            'f',
            'd',
            false,
            true,
            false,
            false,
            "off",
            "any",
            0);
    node.bean(SubscriptionStore.class).update(subscription);
    await()
        .until(
            () -> publisher.requests().stream().anyMatch(r -> r.contains("options=-c%20x.y%3D1")));
    await().until(() -> apply() != null && apply().pid() != pid);
    publisher.kill();
    publisher.commit(tx -> tx.insert("t", "2", "b"));
    publisher.restart();
    publisher.commit(tx -> tx.insert("t", "3", "c"));
    awaitEqual();
  }

  private static WorkerView apply() {
    return node.launcher().workers().stream()
        .filter(w -> w.workerType().equals("apply"))
        .findFirst()
        .orElse(null);
  }

  @Test
  @DisplayName(
      "stopping ends the stream in order: everything confirmed, slot free, nothing restarts")
  void stopsInOrder() {
    begin();
    publisher.commit(tx -> tx.insert("t", "1", "a"));
    awaitEqual();
    long end = publisher.commit(tx -> tx.insert("t", "2", "b"));
    awaitEqual();
    try (var held = node.launcher().suspend(subscription.oid())) {
      node.launcher().stopWorkers(subscription.oid());
      assertThat(node.launcher().workers()).isEmpty();
      assertThat(Lsn.isBefore(publisher.confirmedLsn(slot), end)).isFalse();
    }
    await().until(() -> apply() != null);
  }

  @Test
  @DisplayName("a stream that ends, a message of unknown type: the worker ends and comes again")
  void refusedStream() throws Exception {
    publisher.onCommand(
        command -> {
          if (command.startsWith("START_") && publisher.commands().size() < 4) {
            throw new PgException("55006", "replication slot is active for PID 1");
          }
        });
    begin();
    publisher.commit(tx -> tx.insert("t", "1", "a"));
    awaitEqual();
    assertThat(node.catalog().statistics(subscription.oid()).applyErrors.sum()).isZero();
  }

  @Test
  @DisplayName("synchronous_commit on: each commit is durable when it is reported as applied")
  void synchronousCommit() {
    subscription =
        node.subscribe(
            new Subscription(
                node.workers().node().nextOid(),
                slot,
                10,
                true,
                publisher.connection(),
                slot,
                List.of("pub"),
                false,
                'f',
                'd',
                false,
                true,
                false,
                false,
                "on",
                "any",
                0),
            RelationState.READY,
            "t");
    long end = 0;
    for (int i = 0; i < 20; i++) {
      String id = String.valueOf(i);
      end = publisher.commit(tx -> tx.insert("t", id, "x"));
    }
    awaitConfirmed(end);
    awaitEqual();
  }
}
