package dev.millrace.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One pair of services for all scenarios that do not restart anything, since starting both takes
 * longer than most of them. Every scenario uses names of its own.
 */
final class SharedPair {

  private static Pair pair;

  private SharedPair() {}

  static synchronized Pair get() {
    if (pair == null) {
      try {
        Path directory = Files.createTempDirectory("millrace-e2e");
        pair =
            new Pair(
                directory,
                "--millrace.settings.max_replication_slots=60",
                "--millrace.settings.max_wal_senders=60");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(pair::close, "stop-shared-pair"));
    }
    return pair;
  }
}
