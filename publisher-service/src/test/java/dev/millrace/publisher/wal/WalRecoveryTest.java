package dev.millrace.publisher.wal;

import static dev.millrace.publisher.wal.WalFixture.SMALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The log's first segment is cut and damaged at every byte of its tail. Records 1 to 6 were flushed
 * one by one, so that every one of them but the last lies below a flush mark; 7 and 8 came in the
 * write after that.
 */
@DisplayName("At a start the log")
class WalRecoveryTest {

  private static final int SEGMENT_SIZE = 64 * 1024;

  @TempDir Path directory;
  private final List<Long> starts = new ArrayList<>();
  private final List<Long> ends = new ArrayList<>();
  private byte[] good;
  private Path segment;

  @BeforeEach
  void writeLog() throws IOException {
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      for (int xid = 1; xid <= 6; xid++) {
        append(log, WalFixture.record(xid, 20 + xid));
        log.flush(log.insertLsn());
      }
      WalBatch last = WalFixture.record(7, 40);
      WalFixture.addRecord(last, 8, 50);
      log.append(
          last,
          (startLsn, endLsn) -> {
            starts.add(startLsn);
            ends.add(startLsn + 72);
            starts.add(startLsn + 72);
            ends.add(endLsn);
          });
      log.flush(log.insertLsn());
      segment = directory.resolve(log.segments().get(0));
    }
    good = Files.readAllBytes(segment);
  }

  private void append(SegmentedLog log, WalBatch batch) {
    log.append(
        batch,
        (startLsn, endLsn) -> {
          starts.add(startLsn);
          ends.add(endLsn);
        });
  }

  private int offset(long lsn) {
    return (int) (lsn - WalFormat.FIRST_LSN);
  }

  /** The position flushed before the last write: the end of record 6. */
  private long lastMark() {
    return ends.get(5);
  }

  /** Starts of the records and of the flush marks between them. */
  private List<Long> allStarts() {
    List<Long> all = new ArrayList<>(starts);
    all.addAll(ends.subList(0, 6));
    Collections.sort(all);
    return all;
  }

  /** The greatest flushed position that a mark still whole in the bytes speaks of. */
  private long proven(byte[] bytes) {
    long proven = WalFormat.FIRST_LSN;
    for (long mark : ends.subList(0, 6)) {
      int from = offset(mark);
      int to = from + WalFormat.FLUSH_MARK_SIZE;
      if (Arrays.equals(bytes, from, to, good, from, to)) {
        proven = mark;
      }
    }
    return proven;
  }

  private void openAndCheck(byte[] bytes, String what) throws IOException {
    Files.write(segment, bytes);
    int mismatch = Arrays.mismatch(bytes, good);
    long firstBad = ends.get(7);
    for (long start : allStarts()) {
      if (mismatch >= 0 && offset(start) <= mismatch) {
        firstBad = start;
      }
    }
    if (Lsn.isBefore(firstBad, proven(bytes))) {
      assertThatThrownBy(() -> WalFixture.open(directory, SMALL).close())
          .as(what + " at %d", mismatch)
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("XX001"))
          .hasMessage("damaged record in the write-ahead log at " + Lsn.format(firstBad));
      return;
    }
    List<Integer> whole = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      if (Lsn.isBefore(starts.get(i), firstBad)) {
        whole.add(i + 1);
      }
    }
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      assertThat(log.insertLsn()).as(what + " at %d", mismatch).isEqualTo(firstBad);
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN)).isEqualTo(whole);
      log.flush(log.append(WalFixture.record(99, 10)));
    }
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      whole.add(99);
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN))
          .as("after going on, " + what + " at %d", mismatch)
          .isEqualTo(whole);
    }
  }

  @Test
  @DisplayName("cuts what was torn off by zeros at any byte of the last write")
  void zeroedTail() throws IOException {
    for (int at = offset(lastMark()); at < offset(ends.get(7)); at++) {
      byte[] bytes = good.clone();
      Arrays.fill(bytes, at, SEGMENT_SIZE, (byte) 0);
      openAndCheck(bytes, "zeros");
    }
  }

  @Test
  @DisplayName("cuts or reports a flipped byte anywhere, as a flush mark behind it tells")
  void flippedByte() throws IOException {
    for (int at = 0; at < offset(ends.get(7)); at++) {
      byte[] bytes = good.clone();
      bytes[at] ^= 0x15;
      openAndCheck(bytes, "a flipped byte");
    }
  }

  @Test
  @DisplayName("takes a file cut short inside the last write for a torn tail")
  void shortFile() throws IOException {
    for (int at = offset(lastMark()); at < offset(ends.get(7)); at += 3) {
      byte[] bytes = Arrays.copyOf(Arrays.copyOf(good, at), SEGMENT_SIZE);
      Files.write(segment, Arrays.copyOf(good, at));
      try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
        assertThat(log.insertLsn()).isLessThanOrEqualTo(WalFormat.FIRST_LSN + at);
        assertThat(Files.size(segment)).isEqualTo(SEGMENT_SIZE);
      }
      openAndCheck(bytes, "the end");
    }
  }

  @Test
  @DisplayName("does not revive a whole record behind a torn one")
  void noRevival() throws IOException {
    byte[] bytes = good.clone();
    // Record 7 is torn, record 8 behind it is whole; then a record of exactly 7's length is
    // written.
    bytes[offset(starts.get(6)) + 40] ^= 1;
    Files.write(segment, bytes);
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      assertThat(log.insertLsn()).isEqualTo(starts.get(6));
      log.flush(log.append(WalFixture.record(77, 40)));
      assertThat(log.insertLsn()).isEqualTo(starts.get(7));
    }
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      assertThat(WalFixture.xidsFrom(log, WalFormat.FIRST_LSN))
          .containsExactly(1, 2, 3, 4, 5, 6, 77);
    }
  }

  @Test
  @DisplayName("reports damage below the position the control file knows to be flushed")
  void knownFlushed() throws IOException {
    byte[] bytes = good.clone();
    Arrays.fill(bytes, offset(starts.get(7)), SEGMENT_SIZE, (byte) 0);
    Files.write(segment, bytes);
    assertThatThrownBy(
            () ->
                SegmentedLog.open(
                    directory, SMALL, WalFormat.FIRST_LSN, ends.get(7), failure -> {}))
        .hasMessage("damaged record in the write-ahead log at " + Lsn.format(starts.get(7)));
  }

  @Test
  @DisplayName("names a segment that is missing")
  void missingSegment() throws IOException {
    try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
      for (int xid = 10; xid < 60; xid++) {
        log.append(WalFixture.record(xid, 5000));
      }
      log.flush(log.insertLsn());
    }
    Files.delete(
        directory.resolve(new WalSegments(directory, SMALL).name(0x1000000 / SEGMENT_SIZE + 2)));
    assertThatThrownBy(() -> WalFixture.open(directory, SMALL))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("58P01"));
  }

  @Test
  @DisplayName("removes a half made segment and survives random garbage after the end")
  void garbageAfterEnd() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Files.write(directory.resolve("xlogtemp.77"), new byte[100]);
    for (int round = 0; round < 20; round++) {
      byte[] bytes = good.clone();
      byte[] garbage = new byte[random.nextInt(5000) + 1];
      random.nextBytes(garbage);
      System.arraycopy(garbage, 0, bytes, offset(ends.get(7)), garbage.length);
      Files.write(segment, bytes);
      try (SegmentedLog log = WalFixture.open(directory, SMALL)) {
        assertThat(log.insertLsn()).as("seed %d", seed).isEqualTo(ends.get(7));
      }
    }
    assertThat(directory.resolve("xlogtemp.77")).doesNotExist();
  }

  @Test
  @DisplayName(
      "leaves a reader that meets damage below the flushed position with XX001 and the LSN")
  void readerMeetsDamage() throws IOException {
    byte[] bytes = good.clone();
    bytes[offset(starts.get(2)) + 35] ^= 1;
    Files.write(segment, bytes);
    try (SegmentedLog log = WalFixture.open(directory, SMALL, starts.get(4));
        WalReader reader = log.openReader(WalFormat.FIRST_LSN)) {
      assertThatThrownBy(
              () -> {
                while (reader.next()) {
                  assertThat(reader.lsn()).isLessThan(starts.get(2));
                }
              })
          .hasMessage("damaged record in the write-ahead log at " + Lsn.format(starts.get(2)));
    }
  }
}
