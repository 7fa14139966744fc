package dev.millrace.publisher.wal;

import static dev.millrace.publisher.wal.WalFixture.SMALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The log")
class SegmentedLogTest {

  @TempDir Path directory;

  @AfterEach
  void disarm() {
    FaultPoint.disarmAll();
  }

  @Test
  @DisplayName("begins at 0/1000000 in segment 000000010000000000000001, zero-filled to full size")
  void newLog() throws Exception {
    try (SegmentedLog log = WalFixture.open(directory, WalOptions.defaults())) {
      assertThat(log.insertLsn()).isEqualTo(0x1000000L);
      assertThat(log.segments()).containsExactly("000000010000000000000001");
      assertThat(Files.size(directory.resolve("000000010000000000000001"))).isEqualTo(16 << 20);
      assertThat(log.segmentName(0x1_0000_0000L)).isEqualTo("000000010000000100000000");
    }
  }

  @Test
  @DisplayName("survives interrupts of the threads that wait for a flush, and so does their bit")
  void interruptedFlush() throws Exception {
    List<Integer> written = new ArrayList<>();
    long end;
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      Thread session = Thread.currentThread();
      ExecutorService other = Executors.newSingleThreadExecutor();
      Future<?> interrupting =
          other.submit(
              () -> {
                while (!Thread.currentThread().isInterrupted()) {
                  session.interrupt();
                  Thread.yield();
                }
              });
      for (int xid = 1; xid <= 400; xid++) {
        log.flush(log.append(WalFixture.record(xid, 500)));
        written.add(xid);
      }
      other.shutdownNow();
      while (!interrupting.isDone()) {
        Thread.onSpinWait();
      }
      assertThat(Thread.interrupted()).isTrue();
      assertThat(log.failure()).isNull();
      end = log.insertLsn();
      assertThat(log.flushLsn()).isEqualTo(end);
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN)).isEqualTo(written);
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  @DisplayName(
      "gives positions without gaps and reads back what was appended, also after a restart")
  void roundTripOverSegments() {
    List<Integer> written = new ArrayList<>();
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Integer> lengths = new ArrayList<>();
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      long expected = log.insertLsn();
      for (int xid = 1; xid <= 3000; xid++) {
        int length = random.nextInt(300);
        lengths.add(length);
        long end = log.append(WalFixture.record(xid, length));
        assertThat(end - expected)
            .as("seed %d", seed)
            .isIn(32L + length, 32L + length + WalFormat.FLUSH_MARK_SIZE);
        expected = end;
        written.add(xid);
      }
      log.flush(expected);
      assertThat(log.flushLsn()).isEqualTo(expected);
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN)).isEqualTo(written);
      assertThat(log.segments()).hasSizeGreaterThan(5);
    }
    try (SegmentedLog log = WalFixture.open(directory, SMALL);
        WalReader reader = log.openReader(WalFormat.FIRST_LSN)) {
      int xid = 1;
      long position = WalFormat.FIRST_LSN;
      while (reader.next()) {
        assertThat(reader.lsn()).isEqualTo(position);
        position = reader.endLsn();
        if (reader.type() != WalRecordType.FLUSH_MARK) {
          assertThat(reader.xid()).isEqualTo(xid);
          assertThat(WalFixture.hasBodyOf(reader, xid, lengths.get(xid - 1)))
              .as("body of %d, seed %d", xid, seed)
              .isTrue();
          xid++;
        }
      }
      assertThat(xid).isEqualTo(3001);
      assertThat(log.insertLsn()).isEqualTo(position);
    }
  }

  @Test
  @DisplayName("takes records larger than its ring, its segments and a reader's buffer")
  void hugeRecords() {
    int[] lengths = {10, 500_000, 20, 64 * 1024, 64 * 1024 - 32, 1_200_000, 0};
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      for (int i = 0; i < lengths.length; i++) {
        log.append(WalFixture.record(i + 1, lengths[i]));
      }
      log.flush(log.insertLsn());
    }
    try (SegmentedLog log = WalFixture.open(directory, SMALL);
        WalReader reader = log.openReader(WalFormat.FIRST_LSN)) {
      int xid = 1;
      while (reader.next()) {
        if (reader.type() == WalRecordType.MESSAGE) {
          assertThat(WalFixture.hasBodyOf(reader, xid, lengths[xid - 1])).isTrue();
          xid++;
        }
      }
      assertThat(xid).isEqualTo(lengths.length + 1);
    }
  }

  @Test
  @DisplayName("goes on after a stop exactly at a segment's end")
  void segmentBoundary() {
    long boundary;
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      boundary = log.append(WalFixture.record(1, 64 * 1024 - WalFormat.HEADER_SIZE));
      assertThat(boundary % (64 * 1024)).isZero();
      log.flush(boundary);
    }
    try (SegmentedLog log = WalFixture.open(directory, SMALL, boundary)) {
      assertThat(log.insertLsn()).isEqualTo(boundary);
      log.flush(log.append(WalFixture.record(2, 100)));
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN)).containsExactly(1, 2);
    }
  }

  @Test
  @DisplayName("runs the hook before the records can be read, with their positions")
  void hookBeforeFlush() {
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      long[] seen = new long[3];
      long end =
          log.append(
              WalFixture.record(1, 10),
              (startLsn, endLsn) -> {
                seen[0] = startLsn;
                seen[1] = endLsn;
                seen[2] = log.flushLsn();
              });
      assertThat(seen).containsExactly(WalFormat.FIRST_LSN, end, WalFormat.FIRST_LSN);
    }
  }

  @Test
  @DisplayName("shares forces between sessions that commit at the same time")
  void groupCommit() throws Exception {
    int sessions = 8;
    int commits = 300;
    ExecutorService threads = Executors.newFixedThreadPool(sessions);
    try (SegmentedLog log = WalFixture.open(directory, WalOptions.defaults())) {
      Callable<Void> session =
          () -> {
            WalBatch batch = WalFixture.record(1, 60);
            for (int i = 0; i < commits; i++) {
              long end = log.append(batch);
              log.flush(end);
              assertThat(log.flushLsn()).isGreaterThanOrEqualTo(end);
            }
            return null;
          };
      for (Future<Void> done :
          threads.invokeAll(IntStream.range(0, sessions).mapToObj(i -> session).toList())) {
        done.get();
      }
      assertThat(log.forces()).isLessThan(sessions * commits * 3 / 4);
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN)).hasSize(sessions * commits);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  @DisplayName(
      "writes by itself after wal_writer_delay, so that a reader follows an open transaction")
  void readerFollowsWriter() throws Exception {
    try (SegmentedLog log = WalFixture.open(directory, SMALL);
        WalReader reader = log.openReader(WalFormat.FIRST_LSN)) {
      assertThat(reader.next()).isFalse();
      for (int xid = 1; xid <= 50; xid++) {
        log.append(WalFixture.record(xid, 5000));
        long position = reader.position();
        assertThat(log.awaitFlushBeyond(position, 10_000)).isGreaterThan(position);
        int expected = xid;
        Awaitility.await()
            .until(
                () -> {
                  while (reader.next()) {
                    if (reader.xid() == expected) {
                      return true;
                    }
                  }
                  return false;
                });
      }
    }
  }

  @Test
  @DisplayName("does not show a reader what was appended and not yet flushed")
  void readerStopsAtFlushed() {
    WalOptions slow = SMALL.withWriterDelayMs(TimeUnit.MINUTES.toMillis(10));
    try (SegmentedLog log = WalFixture.open(directory, slow);
        WalReader reader = log.openReader(WalFormat.FIRST_LSN)) {
      long end = log.append(WalFixture.record(1, 10));
      assertThat(reader.next()).isFalse();
      log.flush(end);
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isFalse();
    }
  }

  @Test
  @DisplayName("obeys a changed wal_writer_delay")
  void changedDelay() throws Exception {
    WalOptions slow = SMALL.withWriterDelayMs(TimeUnit.MINUTES.toMillis(10));
    try (SegmentedLog log = WalFixture.open(directory, slow)) {
      log.writerDelayMs(5);
      long end = log.append(WalFixture.record(1, 10));
      assertThat(log.awaitFlushBeyond(end - 1, 10_000)).isEqualTo(end);
    }
  }

  @Test
  @DisplayName("removes whole segments before a position and refuses to read there with 58P01")
  void removal() {
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      for (int xid = 1; xid <= 100; xid++) {
        log.append(WalFixture.record(xid, 4000));
      }
      log.flush(log.insertLsn());
      List<String> before = log.segments();
      long kept = WalFormat.FIRST_LSN + 3 * 64 * 1024 + 17;
      assertThat(log.removeSegmentsBefore(kept)).isEqualTo(3);
      assertThat(log.segments()).isEqualTo(before.subList(3, before.size()));
      assertThat(log.oldestLsn()).isEqualTo(WalFormat.FIRST_LSN + 3 * 64 * 1024);
      assertThatThrownBy(() -> log.openReader(WalFormat.FIRST_LSN))
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("58P01"))
          .hasMessageContaining("has already been removed");
      assertThat(log.removeSegmentsBefore(Long.MAX_VALUE))
          .as("never the segment being written")
          .isEqualTo(before.size() - 4);
    }
  }

  @Test
  @DisplayName("refuses an append with 53100 when no segment can be made, and appends nothing")
  void diskFull() {
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      for (int attempt = 1; attempt <= 3; attempt++) {
        armDiskFull();
        long before = log.insertLsn();
        assertThatThrownBy(() -> log.append(WalFixture.record(1, 200_000)))
            .isInstanceOfSatisfying(
                PgException.class, e -> assertThat(e.sqlState()).isEqualTo("53100"));
        assertThat(log.insertLsn()).isEqualTo(before);
        armDiskFull();
        assertThat(log.refusal().sqlState()).isEqualTo("53100");
      }
      FaultPoint.disarmAll();
      assertThat(log.refusal()).isNull();
      log.flush(log.append(WalFixture.record(2, 200_000)));
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN)).containsExactly(2);
    }
  }

  private static void armDiskFull() {
    FaultPoint.arm(
        "wal.create-segment",
        1,
        () -> {
          throw new UncheckedIOException(new java.io.IOException("No space left on device"));
        });
  }

  @Test
  @DisplayName("stops for good when a force fails: waiters and later appends get the error")
  void failedForce() {
    AtomicReference<Throwable> reported = new AtomicReference<>();
    SegmentedLog log =
        SegmentedLog.open(
            directory, SMALL, WalFormat.FIRST_LSN, WalFormat.FIRST_LSN, reported::set);
    FaultPoint.arm(
        "wal.before-force",
        1,
        () -> {
          throw new UncheckedIOException(new java.io.IOException("Input/output error"));
        });
    long end = log.append(WalFixture.record(1, 10));
    assertThatThrownBy(() -> log.flush(end)).hasMessageContaining("Input/output error");
    assertThatThrownBy(() -> log.append(WalFixture.record(2, 10)))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("58030"));
    assertThat(log.flushLsn()).isEqualTo(WalFormat.FIRST_LSN);
    Awaitility.await().until(() -> reported.get() != null);
    assertThat(log.failure()).isSameAs(reported.get());
    log.close();
  }
}
