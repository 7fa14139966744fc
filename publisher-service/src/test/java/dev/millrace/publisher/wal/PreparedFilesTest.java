package dev.millrace.publisher.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("pg_twophase")
class PreparedFilesTest {

  private static final int XID = 0x34A;

  @TempDir Path directory;

  private Path file() {
    return directory.resolve("pg_twophase").resolve("0000034A");
  }

  /** Two records of the transaction, one of another between them, one behind the end. */
  private PreparedFiles written() {
    PreparedFiles files = new PreparedFiles(directory);
    try (SegmentedLog log = WalFixture.open(directory.resolve("pg_wal"), WalFixture.SMALL)) {
      long firstLsn = log.insertLsn();
      log.append(WalFixture.record(XID, 3));
      log.append(WalFixture.record(XID + 1, 5));
      long endLsn = log.append(WalFixture.record(XID, 40_000));
      log.append(WalFixture.record(XID, 7));
      log.flush(log.insertLsn());
      files.write(log, XID, firstLsn, endLsn);
    }
    return files;
  }

  @Test
  @DisplayName("a file holds the transaction's records up to its PREPARE as the log has them")
  void roundTrip() throws IOException {
    PreparedFiles files = written();
    byte[] bytes = Files.readAllBytes(file());
    assertThat(HexFormat.of().formatHex(bytes, 0, 12))
        .isEqualTo("4d525450" + "00000001" + "00000023");
    assertThat(Arrays.copyOfRange(bytes, bytes.length - 4, bytes.length)).containsOnly(0);
    List<Integer> lengths = new ArrayList<>();
    try (WalReader reader = files.open(XID)) {
      while (reader.next()) {
        assertThat(reader.topXid()).isEqualTo(XID);
        assertThat(WalFixture.hasBodyOf(reader, XID, reader.bodyLength())).isTrue();
        lengths.add(reader.bodyLength());
      }
    }
    assertThat(lengths).containsExactly(3, 40_000);
  }

  @Test
  @DisplayName("damage anywhere and a missing file are told")
  void damage() throws IOException {
    PreparedFiles files = written();
    byte[] whole = Files.readAllBytes(file());
    for (int at : new int[] {0, 5, 9, 30, 45, whole.length - 5}) {
      byte[] bad = whole.clone();
      bad[at] ^= 0x55;
      Files.write(file(), bad);
      assertDamaged(files);
    }
    Files.write(file(), Arrays.copyOf(whole, whole.length - 6));
    assertDamaged(files);
    Files.delete(file());
    assertDamaged(files);
  }

  private static void assertDamaged(PreparedFiles files) {
    assertThatThrownBy(
            () -> {
              try (WalReader reader = files.open(XID)) {
                while (reader.next()) {
                  assertThat(reader.bodyLength()).isPositive();
                }
              }
            })
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("XX001"));
  }

  @Test
  @DisplayName("what is not retained goes, leftovers of a kill too")
  void retain() throws IOException {
    PreparedFiles files = written();
    Files.write(file().resolveSibling("0000034B.tmp"), new byte[3]);
    files.retain(Set.of(XID));
    try (var left = Files.list(file().getParent())) {
      assertThat(left).containsExactly(file());
    }
    files.retain(Set.of());
    assertThat(file()).doesNotExist();
  }
}
