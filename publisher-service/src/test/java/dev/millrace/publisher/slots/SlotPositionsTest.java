package dev.millrace.publisher.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgException;
import dev.millrace.publisher.slots.ReplicationSlots.SlotRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a slot's positions promise, in memory and over crashes (C3, S39). */
class SlotPositionsTest {

  private static final Instant NOW = Instant.parse("2026-05-13T22:03:45Z");

  @TempDir Path root;
  private ReplicationSlot slot;

  @BeforeEach
  void create() {
    slot = open().create(new SlotRequest("s", true, "pgoutput", "testdb", false, false, false), 7);
    slot.makeReady(1000, 900, 731);
  }

  @AfterEach
  void disarm() {
    FaultPoint.disarmAll();
  }

  private SlotStore open() {
    return SlotStore.open(root, () -> 10, Clock.fixed(NOW, ZoneOffset.UTC));
  }

  /** The slot as a start after a crash finds it. */
  private ReplicationSlot afterCrash() {
    return open().find("s");
  }

  @Test
  @DisplayName("S39: a created slot survives a crash with all it was created with")
  void created() {
    ReplicationSlot again = afterCrash();
    assertThat(again.plugin()).isEqualTo("pgoutput");
    assertThat(again.database()).isEqualTo("testdb");
    assertThat(again.logical()).isTrue();
    assertThat(again.temporary()).isFalse();
    assertThat(again.confirmedFlushLsn()).isEqualTo(1000);
    assertThat(again.restartLsn()).isEqualTo(900);
    assertThat(again.catalogXmin()).isEqualTo(731);
    assertThat(again.activePid()).isZero();
    assertThat(again.inactiveSince()).isEqualTo(NOW);
  }

  @Test
  @DisplayName("confirmed_flush_lsn never moves back")
  void neverBack() {
    slot.confirm(1500);
    slot.confirm(1200);
    assertThat(slot.confirmedFlushLsn()).isEqualTo(1500);
  }

  @Test
  @DisplayName("positions are compared unsigned")
  void unsigned() {
    slot.confirm(0xF000000000000000L);
    slot.confirm(2000);
    assertThat(slot.confirmedFlushLsn()).isEqualTo(0xF000000000000000L);
  }

  @Test
  @DisplayName(
      "restart_lsn belongs to the confirmed position: sent but not confirmed frees nothing")
  void restartBelongsToConfirmed() {
    slot.noteRestartCandidate(1100, 1200, 740);
    slot.noteRestartCandidate(1300, 1400, 750);
    slot.confirm(1199);
    assertThat(slot.restartLsn()).isEqualTo(900);
    slot.confirm(1399);
    assertThat(slot.restartLsn()).isEqualTo(1100);
    assertThat(slot.catalogXmin()).isEqualTo(740);
    slot.confirm(1400);
    assertThat(slot.restartLsn()).isEqualTo(1300);
  }

  @Test
  @DisplayName("a new restart_lsn is on disk when confirm returns; confirmed_flush_lsn alone waits")
  void whatIsForced() {
    slot.confirm(1050);
    assertThat(afterCrash().confirmedFlushLsn()).isEqualTo(1000);
    slot.noteRestartCandidate(1100, 1100, 740);
    slot.confirm(1200);
    assertThat(afterCrash().restartLsn()).isEqualTo(1100);
    assertThat(afterCrash().confirmedFlushLsn()).isEqualTo(1200);
    slot.confirm(1250);
    slot.save();
    assertThat(afterCrash().confirmedFlushLsn()).isEqualTo(1250);
  }

  @Test
  @DisplayName("candidates of a consumer that has gone are forgotten")
  void candidatesEndWithTheirSession() {
    SlotStore store = open();
    ReplicationSlot acquired = store.acquire("s", 7, "testdb");
    acquired.noteRestartCandidate(1100, 1200, 740);
    store.release(acquired);
    acquired.confirm(2000);
    assertThat(acquired.restartLsn()).isEqualTo(900);
  }

  @Test
  @DisplayName("candidates are bounded, and thinning them never frees too much")
  void boundedCandidates() {
    long seed = System.nanoTime();
    System.out.println("SlotPositionsTest.boundedCandidates seed " + seed);
    Random random = new Random(seed);
    RestartCandidates candidates = new RestartCandidates();
    long validFrom = 1_000_000;
    for (int i = 0; i < 10_000; i++) {
      validFrom += 1 + random.nextInt(50);
      candidates.add(validFrom - random.nextInt(20), validFrom, 731 + i);
      assertThat(candidates.size()).isLessThanOrEqualTo(RestartCandidates.CAPACITY);
      if (random.nextInt(100) == 0) {
        long confirmed = validFrom - random.nextInt(2000);
        RestartCandidates.Candidate adopted = candidates.adopt(confirmed);
        if (adopted != null) {
          assertThat(adopted.validFrom()).isLessThanOrEqualTo(confirmed);
          assertThat(adopted.restartLsn()).isLessThanOrEqualTo(adopted.validFrom());
        }
      }
    }
    candidates.add(++validFrom, validFrom, 20_000);
    assertThat(candidates.adopt(validFrom).restartLsn()).isGreaterThan(validFrom - 2000);
  }

  @Test
  @DisplayName("statistics survive a restart and can be reset")
  void statistics() {
    slot.statistics().spillTxns.add(2);
    slot.statistics().totalBytes.add(1L << 40);
    slot.save();
    assertThat(afterCrash().statistics().spillTxns.sum()).isEqualTo(2);
    assertThat(afterCrash().statistics().totalBytes.sum()).isEqualTo(1L << 40);
    assertThat(afterCrash().statistics().statsReset()).isNull();
    slot.statistics().reset(NOW);
    slot.save();
    assertThat(afterCrash().statistics().spillTxns.sum()).isZero();
    assertThat(afterCrash().statistics().statsReset()).isEqualTo(NOW);
  }

  @Test
  @DisplayName("crash before the rename of a save: the state before it counts, the rest is removed")
  void crashBeforeRename() throws IOException {
    byte[] whole = Files.readAllBytes(root.resolve("s/state"));
    Path aside = root.resolve("s/state.tmp");
    for (int written = 0; written <= whole.length; written += 7) {
      Files.write(aside, java.util.Arrays.copyOf(whole, written));
      assertThat(afterCrash().confirmedFlushLsn()).isEqualTo(1000);
      assertThat(aside).doesNotExist();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"file.before-rename", "file.after-rename"})
  @DisplayName("S39: a crash between any two steps of a save leaves the old state or the new one")
  void crashWithinSave(String step) {
    FaultPoint.arm(
        step,
        1,
        () -> {
          throw new IllegalStateException("crash");
        });
    slot.noteRestartCandidate(1100, 1100, 740);
    assertThatThrownBy(() -> slot.confirm(1200)).hasMessage("crash");
    ReplicationSlot again = afterCrash();
    if (step.equals("file.before-rename")) {
      assertThat(again.restartLsn()).isEqualTo(900);
      assertThat(again.confirmedFlushLsn()).isEqualTo(1000);
    } else {
      assertThat(again.restartLsn()).isEqualTo(1100);
      assertThat(again.confirmedFlushLsn()).isEqualTo(1200);
    }
  }

  @Test
  @DisplayName("log is not freed by a restart_lsn whose save has failed")
  void failedSaveFreesNothing() {
    SlotStore store = open();
    ReplicationSlot acquired = store.acquire("s", 7, "testdb");
    FaultPoint.arm(
        "file.before-rename",
        1,
        () -> {
          throw new IllegalStateException("crash");
        });
    acquired.noteRestartCandidate(1100, 1100, 740);
    assertThatThrownBy(() -> acquired.confirm(1200)).hasMessage("crash");
    assertThat(store.oldestRestartLsn()).isEqualTo(900);
    acquired.save();
    assertThat(store.oldestRestartLsn()).isEqualTo(1100);
  }

  @Test
  @DisplayName("S39: a crash in the middle of a drop leaves no slot")
  void crashWithinDrop() {
    SlotStore store = open();
    FaultPoint.arm(
        "slot.half-dropped",
        1,
        () -> {
          throw new IllegalStateException("crash");
        });
    assertThatThrownBy(() -> store.drop("s", 7)).hasMessage("crash");
    assertThat(open().all()).isEmpty();
    assertThat(root).isEmptyDirectory();
  }

  @Test
  @DisplayName("crash in a creation: the half-made slot is gone after the start")
  void crashInCreation() throws IOException {
    open().create(new SlotRequest("half", true, "pgoutput", "testdb", false, false, false), 7);
    Files.write(root.resolve("half/state.tmp"), new byte[] {1, 2});
    assertThat(open().find("half")).isNull();
    assertThat(root.resolve("half")).doesNotExist();
  }

  @Test
  @DisplayName("crash in a drop: the slot is gone after the start, whole")
  void crashInDrop() throws IOException {
    Files.write(root.resolve("s/xid-840-lsn-0-1000000.spill"), new byte[10]);
    Files.move(root.resolve("s"), root.resolve("s.dropped"));
    assertThat(open().all()).isEmpty();
    assertThat(root.resolve("s.dropped")).doesNotExist();
  }

  @Test
  @DisplayName("spill files of an interrupted decoding are removed at the start")
  void spillFiles() throws IOException {
    Path spill = root.resolve("s/xid-840-lsn-0-1000000.spill");
    Files.write(spill, new byte[10]);
    assertThat(afterCrash()).isNotNull();
    assertThat(spill).doesNotExist();
  }

  @Test
  @DisplayName("a damaged state file stops the start and is named, whichever byte is wrong")
  void damage() throws IOException {
    Path file = root.resolve("s/state");
    byte[] whole = Files.readAllBytes(file);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x40;
      Files.write(file, damaged);
      assertThatThrownBy(this::open)
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("XX001"))
          .hasMessageContaining(file.toString());
    }
    for (int length = 0; length < whole.length; length++) {
      Files.write(file, java.util.Arrays.copyOf(whole, length));
      assertThatThrownBy(this::open).isInstanceOf(PgException.class);
    }
  }
}
