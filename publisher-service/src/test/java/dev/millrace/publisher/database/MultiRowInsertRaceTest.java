package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.PgException;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Multi-row INSERTs side by side on a table with a second unique key. */
class MultiRowInsertRaceTest {

  private static final int RACES = 1_000;

  @TempDir Path directory;

  @Test
  @Timeout(120)
  @DisplayName(
      "A multi-row INSERT that meets an uncommitted unique key adds each row once, 1,000 times")
  void race() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (TestNode node = TestNode.open(directory);
        SqlSession a = node.session();
        SqlSession b = node.session()) {
      node.run("CREATE TABLE t (id int PRIMARY KEY, k int UNIQUE)");
      long start = node.log().insertLsn();
      int duplicates = 0;
      for (int race = 0; race < RACES; race++) {
        int base = race * 100;
        boolean rollback = race % 2 == 0;
        CyclicBarrier barrier = new CyclicBarrier(2);
        Future<?> holder =
            threads.submit(
                () -> {
                  a.execute("BEGIN; INSERT INTO t VALUES (" + base + ", " + base + ")", List.of());
                  barrier.await();
                  return a.execute(rollback ? "ROLLBACK" : "COMMIT", List.of());
                });
        Future<Boolean> inserter =
            threads.submit(
                () -> {
                  barrier.await();
                  try {
                    b.execute(
                        "INSERT INTO t SELECT x + 10, x FROM generate_series("
                            + (base - 4)
                            + ", "
                            + (base + 5)
                            + ") AS s(x)",
                        List.of());
                    return true;
                  } catch (PgException e) {
                    assertThat(e.sqlState()).isEqualTo("23505");
                    return false;
                  }
                });
        holder.get(20, TimeUnit.SECONDS);
        boolean inserted = inserter.get(20, TimeUnit.SECONDS);
        assertThat(inserted).as("race " + race).isEqualTo(rollback);
        duplicates += inserted ? 0 : 1;
        String count =
            node.rows("SELECT count(*) FROM t WHERE k BETWEEN " + (base - 4) + " AND " + (base + 5))
                .get(0);
        assertThat(count).as("race " + race).isEqualTo(rollback ? "10" : "1");
      }
      assertThat(duplicates).isEqualTo(RACES / 2);
      assertThat(LogModel.of(node.log(), node.catalog()).rows(node.table("t")))
          .hasSize(RACES / 2 * 11);
      assertThat(node.logFrom(start).of(WalRecordType.COMMIT)).hasSize(RACES);
    } finally {
      threads.shutdownNow();
      assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }
}
