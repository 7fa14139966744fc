package dev.millrace.publisher.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.FaultPoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.FileSystemUtils;

/**
 * What a kill at a fault point leaves behind is the files as they are at that moment. So the files
 * are copied each time the point is passed under load, and every copy is opened as a start would.
 */
@DisplayName("A log killed under load")
class WalKillTest {

  private static final int SESSIONS = 4;
  private static final int COMMITS = 120;
  private static final int MAX_KILLS = 12;

  @TempDir Path directory;
  private final Queue<Kill> kills = new ConcurrentLinkedQueue<>();

  /** The files at the moment of a kill, and what had been acknowledged by then. */
  private record Kill(Path files, long flushedLsn) {}

  @AfterEach
  void disarm() {
    FaultPoint.disarmAll();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "wal.before-write",
        "wal.before-force",
        "wal.after-force",
        "wal.create-segment",
        "wal.before-segment-rename"
      })
  @DisplayName("keeps every acknowledged record and goes on")
  void kill(String point) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Path live = directory.resolve("live");
    List<Long> ends = new ArrayList<>();
    try (SegmentedLog log = WalFixture.open(live, WalFixture.SMALL)) {
      arm(point, log, live, random);
      runSessions(log, random, ends);
      FaultPoint.disarmAll();
    }
    assertThat(kills).as("seed %d", seed).isNotEmpty();
    for (Kill kill : kills) {
      checkStart(kill, ends, "killed at " + point + ", seed " + seed);
    }
  }

  private void arm(String point, SegmentedLog log, Path live, Random random) {
    FaultPoint.arm(
        point,
        1 + random.nextInt(5),
        () -> {
          if (kills.size() < MAX_KILLS) {
            long flushedLsn = log.flushLsn();
            kills.add(new Kill(copy(live, directory.resolve("kill" + kills.size())), flushedLsn));
            arm(point, log, live, random);
          }
        });
  }

  /** The position acknowledged is read first: what is flushed later may be in the copy or not. */
  private static Path copy(Path from, Path to) {
    try {
      Files.createDirectories(to);
      while (!copiedWhole(from, to)) {
        FileSystemUtils.deleteRecursively(to);
        Files.createDirectories(to);
      }
      return to;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** False when a file got its name while others were copied: no kill leaves it without any. */
  private static boolean copiedWhole(Path from, Path to) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(from)) {
      for (Path file : files) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static void runSessions(SegmentedLog log, Random random, List<Long> ends)
      throws InterruptedException {
    List<Thread> sessions = new ArrayList<>();
    for (int i = 0; i < SESSIONS; i++) {
      int xid = 1000 * (i + 1);
      int maxLength = 200 + random.nextInt(4000);
      Thread session =
          new Thread(
              () -> {
                for (int commit = 0; commit < COMMITS; commit++) {
                  int length = (commit * 37) % maxLength;
                  log.append(
                      WalFixture.record(xid + commit, length),
                      (startLsn, endLsn) -> {
                        synchronized (ends) {
                          ends.add(endLsn);
                        }
                      });
                  if (commit % 3 == 0) {
                    log.flush(log.insertLsn());
                  }
                }
              });
      sessions.add(session);
      session.start();
    }
    for (Thread session : sessions) {
      session.join();
    }
  }

  private static void checkStart(Kill kill, List<Long> ends, String what) {
    long end;
    int records;
    try (SegmentedLog log = WalFixture.open(kill.files(), WalFixture.SMALL)) {
      end = log.insertLsn();
      assertThat(end).as(what).isGreaterThanOrEqualTo(kill.flushedLsn());
      records = WalFixture.xidsFrom(log, WalFormat.FIRST_LSN).size();
      assertThat(records).as(what).isEqualTo(recordsUpTo(end, ends));
      log.flush(log.append(WalFixture.record(7, 100_000)));
    }
    try (SegmentedLog log = WalFixture.open(kill.files(), WalFixture.SMALL, end)) {
      List<Integer> xids = WalFixture.xidsFrom(log, WalFormat.FIRST_LSN);
      assertThat(xids).as(what).hasSize(records + 1).endsWith(7);
    }
  }

  private static int recordsUpTo(long lsn, List<Long> ends) {
    return (int) ends.stream().filter(end -> end <= lsn).count();
  }
}
