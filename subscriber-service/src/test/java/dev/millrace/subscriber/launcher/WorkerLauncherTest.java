package dev.millrace.subscriber.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.FaultPoint;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import dev.millrace.subscriber.fake.ModelPublisher;
import dev.millrace.subscriber.fake.TestNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The launcher")
class WorkerLauncherTest {

  private static TestNode node;
  private static int serial;
  private ModelPublisher publisher;
  private Subscription subscription;

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
  }

  @AfterEach
  void drop() throws Exception {
    FaultPoint.disarmAll();
    node.drop(subscription);
    publisher.close();
  }

  private void subscribe(RelationState state, boolean enabled, String... tables) {
    String name = "launched" + ++serial;
    publisher.createSlot(name);
    for (String table : tables) {
      publisher.createTable(table, "id");
      node.sql("drop table if exists " + table, "create table " + table + "(id int primary key)");
    }
    subscription = node.subscribe(name, publisher.connection(), state, enabled, tables);
  }

  @Test
  @DisplayName("copies no more tables at once than max_sync_workers_per_subscription")
  void syncLimit() {
    AtomicInteger copying = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch go = new CountDownLatch(1);
    publisher.onCommand(
        command -> {
          if (command.startsWith("COPY public.")) {
            most.accumulateAndGet(copying.incrementAndGet(), Math::max);
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            copying.decrementAndGet();
          }
        });
    subscribe(RelationState.INIT, true, "l1", "l2", "l3", "l4");
    await().until(() -> copying.get() == 2);
    assertThat(node.launcher().workers()).hasSize(3);
    go.countDown();
    await().until(() -> node.states(subscription).equals("rrrr"));
    assertThat(most.get()).isEqualTo(2);
  }

  @Test
  @DisplayName("starts nothing for a disabled subscription; enabling and disabling is seen at once")
  void enabled() {
    subscribe(RelationState.READY, false, "l1");
    node.launcher().wake();
    assertThat(node.launcher().workers()).isEmpty();
    node.bean(SubscriptionStore.class).update(withEnabled(true));
    await().until(() -> node.launcher().workers().size() == 1);
    node.bean(SubscriptionStore.class).update(withEnabled(false));
    await().until(() -> node.launcher().workers().isEmpty());
  }

  private Subscription withEnabled(boolean enabled) {
    subscription =
        new Subscription(
            subscription.oid(),
            subscription.name(),
            10,
            enabled,
            publisher.connection(),
            subscription.name(),
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
    return subscription;
  }

  @Test
  @DisplayName("a suspended subscription gets no worker until the suspension ends")
  void suspension() {
    subscribe(RelationState.READY, false, "l1");
    try (Launcher.Suspension held = node.launcher().suspend(subscription.oid())) {
      node.bean(SubscriptionStore.class).update(withEnabled(true));
      node.launcher().wake();
      await().during(Duration.ofMillis(300)).until(() -> node.launcher().workers().isEmpty());
    }
    await().until(() -> node.launcher().workers().size() == 1);
  }

  @Test
  @DisplayName("shows its workers as pg_stat_subscription does")
  void views() {
    subscribe(RelationState.READY, true, "l1");
    long end = publisher.commit(tx -> tx.insert("l1", "1"));
    await().until(() -> node.launcher().workers().stream().anyMatch(w -> w.appliedLsn() == end));
    await().until(() -> node.launcher().workers().get(0).latestEndTime() != null);
    WorkerView view = node.launcher().workers().get(0);
    assertThat(view.workerType()).isEqualTo("apply");
    assertThat(view.subscriptionName()).isEqualTo(subscription.name());
    assertThat(view.pid()).isPositive();
    assertThat(view.relationOid()).isZero();
    assertThat(view.receivedLsn()).isEqualTo(end);
    assertThat(view.lastMessageSendTime()).isNotNull();
    assertThat(view.lastMessageReceiptTime()).isNotNull();
  }

  @Test
  @DisplayName("a publisher out of reach is tried again at the interval and no error is counted")
  void unreachable() throws Exception {
    publisher.kill();
    subscribe(RelationState.READY, true, "l1");
    await()
        .until(
            () -> {
              String error = node.launcher().lastError(subscription.oid(), 0);
              return error != null && error.contains("could not connect to the publisher");
            });
    publisher.restart();
    long end = publisher.commit(tx -> tx.insert("l1", "1"));
    await().until(() -> node.launcher().workers().stream().anyMatch(w -> w.appliedLsn() == end));
    assertThat(node.catalog().statistics(subscription.oid()).applyErrors.sum()).isZero();
  }
}
