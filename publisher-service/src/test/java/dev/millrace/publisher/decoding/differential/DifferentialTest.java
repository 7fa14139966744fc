package dev.millrace.publisher.decoding.differential;

import static dev.millrace.publisher.decoding.differential.StreamComparison.TWO_PHASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.source.SourcePostgres;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;

/**
 * The same random transactions on a real PostgreSQL and on the embedded database: each statement
 * succeeds or fails alike, the tables end up equal, and pgoutput sends the same for every set of
 * publications and options, while publications and tables change.
 *
 * <p>Other seeds can be given as {@code -Dmillrace.seeds=8-40}; {@code -Dmillrace.statements=true}
 * prints what is done.
 */
@DisplayName("Random transactions on PostgreSQL and on the embedded database")
class DifferentialTest {

  private static final int STEPS = 300;
  private static final List<String> PUBLICATIONS =
      List.of("pall", "pevery", "pfil", "pins", "pfil,pins", "plist", "pfil,plist");

  @TempDir static Path directory;
  private static PublisherUnderTest publisher;
  private static int runs;

  @BeforeAll
  static void start() {
    publisher =
        PublisherUnderTest.start(
            directory, "max_prepared_transactions=10", "max_replication_slots=30");
  }

  @AfterAll
  static void stop() {
    publisher.close();
  }

  static LongStream seeds() {
    String[] given = System.getProperty("millrace.seeds", "1-7").split("-");
    return LongStream.rangeClosed(
        Long.parseLong(given[0]), Long.parseLong(given[given.length - 1]));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName("C2, O2, O3, D3, D5 give the same answers, the same tables and the same messages")
  void sameAsPostgres(long seed) throws Exception {
    System.out.println("differential test with seed " + seed);
    String slot = "diff_" + runs++;
    RandomTransactions transactions = new RandomTransactions(seed, slot + "_");
    try (SourcePostgres postgres = SourcePostgres.create();
        AutoCloseable ignored = postgres::dropOrigins) {
      postgres.run("SET TimeZone = 'UTC'");
      try (Theirs theirs = new Theirs(postgres);
          Ours ours = new Ours()) {
        for (String sql : Stream.concat(transactions.setup().stream(), slots(slot)).toList()) {
          assertThat(theirs.run(0, sql)).as(sql).isEqualTo("ok");
          assertThat(ours.run(0, sql)).as(sql).isEqualTo("ok");
        }
        StreamComparison.spareSlots(slot).forEach(postgres::rows);
        for (int i = 0; i < STEPS; i++) {
          runBoth(transactions, transactions.next(), seed, ours, theirs);
        }
        for (Step step = transactions.last(); step != null; step = transactions.last()) {
          runBoth(transactions, step, seed, ours, theirs);
        }
        compareTables(seed, transactions, postgres);
        StreamComparison streams =
            new StreamComparison(
                seed, slot, publisher, postgres, theirs.ends, transactions.withFailures());
        PUBLICATIONS.forEach(streams::compareAll);
      }
    } finally {
      cleanUp(slot, transactions);
    }
  }

  /** One that decodes prepared transactions at their end, and one at their PREPARE. */
  private static Stream<String> slots(String slot) {
    String create = "SELECT pg_create_logical_replication_slot('";
    return Stream.of(
        create + slot + "', 'pgoutput')",
        create + slot + TWO_PHASE + "', 'pgoutput', false, true)");
  }

  private static void runBoth(
      RandomTransactions transactions, Step step, long seed, Ours ours, Theirs theirs) {
    String answer = theirs.run(step.session(), step.sql());
    theirs.noteEnd(step.session());
    if (Boolean.getBoolean("millrace.statements")) {
      System.out.println(step + " -> " + answer);
    }
    assertThat(ours.run(step.session(), step.sql()))
        .as("seed %d, %s", seed, step)
        .isEqualTo(answer);
    if (!answer.equals("ok")) {
      transactions.failed(step);
    }
  }

  private static void compareTables(
      long seed, RandomTransactions transactions, SourcePostgres postgres) {
    for (RandomTable table : transactions.tables()) {
      String query = "SELECT " + table.columns() + " FROM " + table.name() + " ORDER BY id, n, v";
      assertThat(ours(query).stream().sorted().toList())
          .as("seed %d, table %s", seed, table.name())
          .isEqualTo(postgres.rows(query).stream().sorted().toList());
    }
  }

  private static List<String> ours(String query) {
    return publisher.sql(query).stream()
        .map(row -> String.join("|", row.stream().map(DifferentialTest::asText).toList()))
        .toList();
  }

  private static String asText(Object value) {
    return value instanceof Boolean truth ? (truth ? "t" : "f") : String.valueOf(value);
  }

  /** Also after a failure, which may leave anything behind. */
  private static void cleanUp(String slot, RandomTransactions transactions) {
    for (List<Object> row : publisher.sql("SELECT gid FROM pg_prepared_xacts")) {
      publisher.sql("ROLLBACK PREPARED '" + row.get(0) + "'");
    }
    publisher.sql(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '"
            + slot
            + "' OR slot_name = '"
            + slot
            + TWO_PHASE
            + "'");
    publisher.sql("DROP PUBLICATION IF EXISTS pall, pevery, pfil, pins, plist");
    publisher.sql("SELECT pg_replication_origin_drop(roname) FROM pg_replication_origin");
    List<String> names = transactions.tables().stream().map(RandomTable::name).toList();
    publisher.sql(
        "SET lock_timeout = '10s'; DROP TABLE IF EXISTS " + String.join(", ", names) + " CASCADE");
  }

  /** The sessions of one server. */
  interface Server extends AutoCloseable {

    /** The SQLSTATE of the error, or "ok". */
    String run(int session, String sql);

    @Override
    void close();
  }

  private static final class Ours implements Server {

    private final List<SqlSession> sessions = new ArrayList<>();

    Ours() {
      for (int i = 0; i < RandomTransactions.SESSIONS; i++) {
        SqlSession session = publisher.bean(PublisherNode.class).open();
        session.execute("SET lock_timeout = '2s'", List.of());
        sessions.add(session);
      }
    }

    @Override
    public String run(int session, String sql) {
      try {
        sessions.get(session).execute(sql, List.of());
        return "ok";
      } catch (PgException e) {
        return e.sqlState();
      }
    }

    @Override
    public void close() {
      sessions.forEach(SqlSession::close);
    }
  }

  static final class Theirs implements Server {

    /** Where in the log transactions ended. */
    final List<String> ends = new ArrayList<>();

    private final List<Connection> sessions = new ArrayList<>();

    Theirs(SourcePostgres postgres) {
      try {
        for (int i = 0; i < RandomTransactions.SESSIONS; i++) {
          Connection session = postgres.connect();
          sessions.add(session);
          try (Statement statement = session.createStatement()) {
            statement.execute("SET lock_timeout = '2s'; SET synchronous_commit = on");
          }
        }
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public String run(int session, String sql) {
      try (Statement statement = sessions.get(session).createStatement()) {
        statement.execute(sql);
        return "ok";
      } catch (SQLException e) {
        return e.getSQLState();
      }
    }

    void noteEnd(int session) {
      Connection connection = sessions.get(session);
      try (Statement statement = connection.createStatement()) {
        if (connection.unwrap(PgConnection.class).getTransactionState() == TransactionState.IDLE) {
          ResultSet lsn = statement.executeQuery("SELECT pg_current_wal_insert_lsn()");
          lsn.next();
          ends.add(lsn.getString(1));
        }
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      for (Connection session : sessions) {
        try {
          session.close();
        } catch (SQLException e) {
          throw new AssertionError(e);
        }
      }
    }
  }
}
