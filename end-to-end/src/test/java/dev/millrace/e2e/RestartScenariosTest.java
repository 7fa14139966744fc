package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Clean restarts of either side")
class RestartScenariosTest {

  @TempDir Path directory;

  @Test
  @DisplayName(
      "S11 S46 writes around restarts arrive once, and the subscriber resumes after what it applied")
  void restarts() {
    try (Pair pair = new Pair(directory)) {
      pair.both("CREATE TABLE r1 (a int PRIMARY KEY, b text); CREATE TABLE r2 (a int, b text)");
      pair.publisher().sql("INSERT INTO r1 VALUES (1, 'copied')");
      pair.publisher().sql("CREATE PUBLICATION rp FOR TABLE r1, r2");
      pair.subscribe("rs", "rp", null);
      pair.awaitSynced("rs");
      pair.publisher()
          .sql("INSERT INTO r1 VALUES (2, 'before'); INSERT INTO r2 VALUES (2, 'before')");
      pair.publisherNode.stop();
      pair.publisherNode.start();
      pair.publisher()
          .sql("INSERT INTO r1 VALUES (3, 'after'); INSERT INTO r2 VALUES (3, 'after')");
      pair.awaitCaughtUp("rs");
      pair.subscriberNode.stop();
      pair.publisher().sql("INSERT INTO r1 VALUES (4, 'away'); INSERT INTO r2 VALUES (4, 'away')");
      pair.subscriberNode.start();
      pair.awaitCaughtUp("rs");
      pair.assertEqual("SELECT * FROM r1 ORDER BY a");
      pair.assertEqual("SELECT * FROM r2 ORDER BY a");
      assertThat(pair.subscriber().value("SELECT count(*) FROM r2")).isEqualTo("3");
      String remote =
          pair.subscriber().value("SELECT remote_lsn FROM pg_replication_origin_status");
      assertThat(remote).isNotEqualTo("0/0");
    }
  }
}
