package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A data directory")
class DataDirectoryLockTest {

  @TempDir Path directory;

  /** Another process that holds the directory until it is killed. */
  static final class Holder {
    public static void main(String[] arguments) throws Exception {
      DataDirectoryLock.acquire(Path.of(arguments[0]));
      System.out.println("held");
      System.in.read();
    }
  }

  @Test
  @DisplayName("serves one node of a process; it is free again once that one has closed")
  void sameProcess() {
    Path data = directory.resolve("a/b");
    DataDirectoryLock first = DataDirectoryLock.acquire(data);
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> DataDirectoryLock.acquire(data))
          .isInstanceOfSatisfying(
              PgException.class,
              e -> {
                assertThat(e.sqlState()).isEqualTo("55006");
                assertThat(e.hint())
                    .contains("PID " + ProcessHandle.current().pid())
                    .contains(data.toString());
              })
          .hasMessageContaining("is held already");
    }
    first.close();
    DataDirectoryLock.acquire(data).close();
  }

  @Test
  @DisplayName("held by another process is refused with its PID, and free after a kill")
  void otherProcess() throws Exception {
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(holder.inputReader().readLine()).isEqualTo("held");
      assertThatThrownBy(() -> DataDirectoryLock.acquire(directory))
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.hint()).contains("PID " + holder.pid()));
    } finally {
      holder.destroyForcibly();
      assertThat(holder.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(Files.exists(directory.resolve(DataDirectoryLock.FILE_NAME))).isTrue();
    DataDirectoryLock.acquire(directory).close();
  }
}
