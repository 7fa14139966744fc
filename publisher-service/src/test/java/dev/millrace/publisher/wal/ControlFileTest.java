package dev.millrace.publisher.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.FaultPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The control file")
class ControlFileTest {

  @TempDir Path directory;

  @AfterEach
  void disarm() {
    FaultPoint.disarmAll();
  }

  private ControlFile open() {
    return ControlFile.open(directory, "testdb", WalOptions.defaults());
  }

  @Test
  @DisplayName("gives a new node its identifier, which later starts keep")
  void identity() {
    ControlFile first = open();
    assertThat(first.created()).isTrue();
    assertThat(first.state().systemIdentifier()).isPositive();
    assertThat(first.state().nextXid()).isEqualTo(731);
    ControlFile second = ControlFile.open(directory, "other", WalOptions.defaults());
    assertThat(second.created()).isFalse();
    assertThat(second.state()).isEqualTo(first.state());
    assertThat(second.state().databaseName()).isEqualTo("testdb");
  }

  @Test
  @DisplayName("never gives an OID or pid twice, whether the node was killed or stopped")
  void bounds() {
    ControlFile control = open();
    int lastOid = control.state().databaseOid();
    long lastPid = 0;
    for (int start = 0; start < 4; start++) {
      for (int i = 0; i < 700; i++) {
        int oid = control.nextOid();
        long pid = control.nextPid();
        assertThat(oid).isGreaterThan(lastOid);
        assertThat(pid).isGreaterThan(lastPid);
        lastOid = oid;
        lastPid = pid;
      }
      boolean cleanStop = start % 2 == 1;
      if (cleanStop) {
        control.releaseBlocks();
      }
      control = open();
      if (cleanStop) {
        assertThat(control.nextOid()).isEqualTo(lastOid + 1);
        lastOid++;
      }
    }
  }

  @Test
  @DisplayName("is the old or the new one when the process dies around the rename")
  void crashAroundRename() {
    ControlFile control = open();
    ControlState before = control.state();
    for (String point : new String[] {"file.before-rename", "file.after-rename"}) {
      FaultPoint.arm(
          point,
          1,
          () -> {
            throw new IllegalStateException("killed");
          });
      ControlFile dying = open();
      assertThatThrownBy(() -> dying.update(s -> s.withCheckpoint(0x2000000, 0x2000100, 900, 5)))
          .hasMessage("killed");
      long redo = open().state().redoLsn();
      assertThat(redo).isEqualTo(point.contains("before") ? before.redoLsn() : 0x2000000);
    }
  }

  @Test
  @DisplayName("is not made anew beside an existing log")
  void missing() throws IOException {
    Files.createDirectories(directory.resolve("pg_wal"));
    assertThatThrownBy(this::open).hasMessageContaining("is missing beside a log");
  }
}
