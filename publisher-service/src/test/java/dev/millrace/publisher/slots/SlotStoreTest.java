package dev.millrace.publisher.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.publisher.slots.ReplicationSlots.SlotRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, limits, consumers and drops of slots (C3, C5, S39). */
class SlotStoreTest {

  private static final Instant NOW = Instant.parse("2026-05-13T22:03:45Z");

  @TempDir Path root;

  private SlotStore open() {
    return open(3);
  }

  private SlotStore open(int max) {
    return SlotStore.open(root, () -> max, Clock.fixed(NOW, ZoneOffset.UTC));
  }

  private static SlotRequest named(String name) {
    return new SlotRequest(name, true, "pgoutput", "testdb", false, false, false);
  }

  private static SlotRequest temporary(String name) {
    return new SlotRequest(name, true, "pgoutput", "testdb", true, false, false);
  }

  private static ReplicationSlot make(SlotStore store, String name, long lsn) {
    ReplicationSlot slot = store.create(named(name), 1);
    slot.makeReady(lsn, lsn, 731);
    store.release(slot);
    return slot;
  }

  private static void refused(ThrowingCallable call, String sqlState, String message) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo(sqlState))
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bad", "a b", "a-b", "ä", "a.b", "a/b", "s\n"})
  @DisplayName("S39: a name with any other character is refused with PostgreSQL's hint")
  void illegalNames(String name) {
    SlotStore store = open();
    assertThatThrownBy(() -> store.create(named(name), 1))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("42602");
              assertThat(e.hint())
                  .isEqualTo(
                      "Replication slot names may only contain lower case letters, numbers, and"
                          + " the underscore character.");
            })
        .hasMessage("replication slot name \"" + name + "\" contains invalid character");
    assertThat(store.all()).isEmpty();
  }

  @Test
  @DisplayName("a name is 1 to 63 characters long")
  void nameLengths() {
    SlotStore store = open();
    refused(() -> store.create(named(""), 1), "42602", "replication slot name \"\" is too short");
    String tooLong = "s".repeat(64);
    refused(
        () -> store.create(named(tooLong), 1),
        "42602",
        "replication slot name \"" + tooLong + "\" is too long");
    make(store, "s".repeat(63), 100);
  }

  @Test
  @DisplayName("S39: a second slot of that name is refused, an absent one does not exist")
  void duplicatesAndAbsentOnes() {
    SlotStore store = open();
    make(store, "s", 100);
    refused(() -> store.create(named("s"), 2), "42710", "replication slot \"s\" already exists");
    refused(() -> store.drop("x", 2), "42704", "replication slot \"x\" does not exist");
    refused(
        () -> store.acquire("x", 2, "testdb"), "42704", "replication slot \"x\" does not exist");
  }

  @Test
  @DisplayName("max_replication_slots bounds the slots, also at a start")
  void limit() {
    SlotStore store = open(2);
    make(store, "a", 100);
    make(store, "b", 100);
    refused(() -> store.create(named("c"), 1), "53400", "all replication slots are in use");
    refused(() -> open(1), "53400", "too many replication slots active before shutdown");
    store.drop("a", 1);
    make(store, "c", 100);
  }

  @Test
  @DisplayName("S39: a second consumer is told who holds the slot; it is free after release")
  void oneConsumer() {
    SlotStore store = open();
    make(store, "s", 100);
    ReplicationSlot slot = store.acquire("s", 7, "testdb");
    assertThat(slot.activePid()).isEqualTo(7);
    assertThat(slot.inactiveSince()).isNull();
    refused(
        () -> store.acquire("s", 8, "testdb"),
        "55006",
        "replication slot \"s\" is active for PID 7");
    refused(() -> store.drop("s", 8), "55006", "replication slot \"s\" is active for PID 7");
    store.release(slot);
    assertThat(slot.activePid()).isZero();
    assertThat(slot.inactiveSince()).isEqualTo(NOW);
    store.acquire("s", 8, "testdb");
  }

  @Test
  @DisplayName("S39: a slot of another database is refused")
  void otherDatabase() {
    SlotStore store = open();
    make(store, "s", 100);
    refused(
        () -> store.acquire("s", 7, "elsewhere"),
        "55000",
        "replication slot \"s\" was not created in this database");
  }

  @Test
  @DisplayName("DROP .. WAIT returns once the consumer has gone and the directory with it")
  void dropWaits() throws Exception {
    SlotStore store = open();
    make(store, "s", 100);
    ReplicationSlot slot = store.acquire("s", 7, "testdb");
    Thread[] waiter = new Thread[1];
    CompletableFuture<Void> drop =
        CompletableFuture.runAsync(
            () -> {
              waiter[0] = Thread.currentThread();
              store.drop("s", 8, () -> true);
            });
    Awaitility.await()
        .until(() -> waiter[0] != null && waiter[0].getState() == Thread.State.TIMED_WAITING);
    assertThat(store.find("s")).isNotNull();
    store.release(slot);
    drop.get(10, TimeUnit.SECONDS);
    assertThat(store.find("s")).isNull();
    assertThat(root.resolve("s")).doesNotExist();
  }

  @Test
  @DisplayName("S39: a temporary slot stays its session's, ends with it and is gone after a start")
  void temporarySlots() {
    SlotStore store = open();
    ReplicationSlot slot = store.create(temporary("t"), 7);
    slot.makeReady(100, 90, 731);
    store.release(slot);
    refused(
        () -> store.acquire("t", 8, "testdb"),
        "55006",
        "replication slot \"t\" is active for PID 7");
    assertThat(store.oldestRestartLsn()).isEqualTo(90);
    assertThat(open().all()).isEmpty();

    ReplicationSlot other = store.create(temporary("u"), 9);
    other.makeReady(100, 100, 731);
    store.dropTemporarySlotsOf(7);
    assertThat(store.all()).containsExactly(other);
  }

  @Test
  @DisplayName("a slot whose state file is missing is not dropped: the start says so and stops")
  void lostState() throws Exception {
    make(open(), "s", 100);
    Files.delete(root.resolve("s").resolve("state"));
    refused(
        () -> open(),
        "58P01",
        "could not open file \""
            + root.resolve("s").resolve("state")
            + "\": No such file or directory");
    assertThat(root.resolve("s")).isDirectory();
  }

  @Test
  @DisplayName("a slot that was not finished goes at the next start, with whatever it had")
  void unfinishedSlotGoes() throws Exception {
    open().create(named("s"), 1);
    Files.createFile(root.resolve("s").resolve("xid-731-lsn-0-1000000.spill"));
    Files.createDirectory(root.resolve("t.tmp"));
    assertThat(open().all()).isEmpty();
    assertThat(root).isEmptyDirectory();
  }

  @Test
  @DisplayName("a slot being made holds back everything until its position is known")
  void unfinishedSlotHoldsBackLog() {
    SlotStore store = open();
    assertThat(store.oldestRestartLsn()).isEqualTo(Long.MAX_VALUE);
    ReplicationSlot slot = store.create(named("s"), 1);
    assertThat(store.oldestRestartLsn()).isZero();
    slot.makeReady(200, 150, 731);
    assertThat(store.oldestRestartLsn()).isEqualTo(150);
    make(store, "t", 120);
    assertThat(store.oldestRestartLsn()).isEqualTo(120);
    assertThat(store.oldestCatalogLsn()).isEqualTo(120);
  }

  @Test
  @DisplayName("two slots move side by side without touching each other")
  void sideBySide() throws Exception {
    SlotStore store = open();
    make(store, "a", 1000);
    make(store, "b", 1000);
    CompletableFuture<Void> first = CompletableFuture.runAsync(() -> walk(store, "a", 1));
    CompletableFuture<Void> second = CompletableFuture.runAsync(() -> walk(store, "b", 2));
    CompletableFuture.allOf(first, second).get(60, TimeUnit.SECONDS);
    SlotStore again = open();
    assertThat(again.find("a").restartLsn()).isEqualTo(1000 + 200);
    assertThat(again.find("b").restartLsn()).isEqualTo(1000 + 400);
    assertThat(Files.exists(root.resolve("a").resolve("state.tmp"))).isFalse();
  }

  private static void walk(SlotStore store, String name, int step) {
    ReplicationSlot slot = store.acquire(name, step, "testdb");
    for (long i = 1; i <= 200; i++) {
      slot.noteRestartCandidate(1000 + i * step, 1000 + i * step, 731);
      slot.confirm(1000 + i * step);
    }
    store.release(slot);
  }
}
