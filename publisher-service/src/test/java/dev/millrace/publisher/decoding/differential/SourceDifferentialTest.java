package dev.millrace.publisher.decoding.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.source.SourcePostgres;
import dev.millrace.publisher.source.SourceUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random transactions on a real PostgreSQL: its own slot, and that of a publisher that takes it for
 * its source, show the same, for publications with filters and column lists that change between
 * transactions, and tables that change between and inside them.
 *
 * <p>Other seeds can be given as {@code -Dmillrace.source-seeds=8-40}.
 */
@DisplayName("Random transactions on PostgreSQL, and behind a publisher that reads from it")
class SourceDifferentialTest {

  private static final int ROUNDS = 10;
  private static final int STEPS = 60;

  private static final List<String> PUBLICATIONS =
      List.of("pall", "pevery", "pfil", "pins", "pfil,pins", "plist");

  @TempDir Path directory;

  static LongStream seeds() {
    String[] given = System.getProperty("millrace.source-seeds", "1-1").split("-");
    return LongStream.rangeClosed(
        Long.parseLong(given[0]), Long.parseLong(given[given.length - 1]));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName("I1, C2, O2, O3 both show the same messages, as text, binary and streamed")
  void sameAsItsSource(long seed) {
    System.out.println("source differential test with seed " + seed);
    RandomTransactions transactions = new RandomTransactions(seed, "unused");
    List<String> setup =
        transactions.setup().stream().filter(sql -> !sql.contains("origin")).toList();
    try (SourcePostgres source = SourcePostgres.create()) {
      source.run("SET TimeZone = 'UTC'");
      source.run(setup.toArray(String[]::new));
      source.run("CREATE PUBLICATION src FOR ALL TABLES WITH (publish_generated_columns = stored)");
      try (PublisherUnderTest publisher =
              SourceUnderTest.start(directory, source, "--millrace.source.refresh-interval=50ms");
          DifferentialTest.Theirs theirs = new DifferentialTest.Theirs(source)) {
        setup.stream()
            .filter(sql -> sql.startsWith("CREATE PUBLICATION"))
            .forEach(sql -> accept(publisher, sql));
        String slot = source.database() + "_truth";
        String create = "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')";
        source.rows(create);
        publisher.sql(create);
        RandomDefinitions definitions =
            new RandomDefinitions(new Random(seed), transactions.tables());
        for (int round = 0; round < ROUNDS; round++) {
          for (int i = 0; i < STEPS; i++) {
            run(transactions, transactions.next(), theirs);
          }
          for (Step step = transactions.last(); step != null; step = transactions.last()) {
            run(transactions, step, theirs);
          }
          alter(definitions.publication(), publisher, source, theirs);
        }
        SourceUnderTest.awaitCaughtUp(publisher, source);
        StreamComparison streams =
            new StreamComparison(seed, slot, publisher, source, theirs.ends, Set.of());
        PUBLICATIONS.forEach(streams::compareWithSource);
        assertThat(theirs.ends).hasSizeGreaterThan(ROUNDS * 10);
      }
    }
  }

  /**
   * Publications change on both between transactions only. Origins are left out: PostgreSQL does
   * not send all of them.
   */
  private static void run(
      RandomTransactions transactions, Step step, DifferentialTest.Theirs theirs) {
    if (step.sql().contains("PUBLICATION") || step.sql().contains("pg_replication_origin")) {
      return;
    }
    String answer = theirs.run(step.session(), step.sql());
    theirs.noteEnd(step.session());
    if (!answer.equals("ok")) {
      transactions.failed(step);
    }
  }

  /** No transaction is open, and the publisher has all there is: it means the same on both. */
  private static void alter(
      String sql,
      PublisherUnderTest publisher,
      SourcePostgres source,
      DifferentialTest.Theirs theirs) {
    SourceUnderTest.awaitCaughtUp(publisher, source);
    if (theirs.run(0, sql).equals("ok")) {
      theirs.noteEnd(0);
      accept(publisher, sql);
    }
  }

  /** A table that was made or renamed over there is known here a little later. */
  private static void accept(PublisherUnderTest publisher, String sql) {
    await(sql)
        .atMost(Duration.ofSeconds(10))
        .pollDelay(Duration.ZERO)
        .ignoreExceptionsMatching(
            e -> e instanceof PgException known && known.sqlState().startsWith("42"))
        .until(
            () -> {
              publisher.sql(sql);
              return true;
            });
  }
}
