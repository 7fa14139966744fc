package dev.millrace.publisher.decoding.differential;

import static dev.millrace.publisher.decoding.differential.RandomTransactions.SETUP;
import static dev.millrace.publisher.decoding.differential.RandomTransactions.TABLES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.vectors.StreamText;
import dev.millrace.publisher.source.SourcePostgres;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same random transactions on a real PostgreSQL and on the embedded database: each statement
 * succeeds or fails alike, the tables end up equal, and pgoutput sends the same for every set of
 * publications.
 *
 * <p>A further seed can be given as {@code -Dmillrace.seed=n}.
 */
@DisplayName("Random transactions on PostgreSQL and on the embedded database")
class DifferentialTest {

  private static final int STEPS = 400;
  private static final List<String> PUBLICATIONS =
      List.of("pall", "pfil", "pins", "pfil,pins", "plist");

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

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  @DisplayName("O2, O3, D3 give the same answers, the same tables and the same messages")
  void sameAsPostgres(long given) {
    long seed = Long.getLong("millrace.seed", given);
    System.out.println("differential test with seed " + seed);
    RandomTransactions transactions = new RandomTransactions(seed);
    String slot = "diff_" + runs++;
    String create =
        "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput', false, false)";
    try (SourcePostgres postgres = SourcePostgres.create();
        Theirs theirs = new Theirs(postgres);
        Ours ours = new Ours()) {
      for (String sql : Stream.concat(SETUP.stream(), Stream.of(create)).toList()) {
        assertThat(theirs.run(0, sql)).as(sql).isEqualTo("ok");
        assertThat(ours.run(0, sql)).as(sql).isEqualTo("ok");
      }
      for (int i = 0; i < STEPS; i++) {
        runBoth(transactions, transactions.next(), seed, ours, theirs);
      }
      for (Step step = transactions.last(); step != null; step = transactions.last()) {
        runBoth(transactions, step, seed, ours, theirs);
      }
      compareTables(seed, postgres);
      for (String publications : PUBLICATIONS) {
        compareStreams(seed, slot, publications, postgres);
      }
    } finally {
      cleanUp(slot);
    }
  }

  private static void runBoth(
      RandomTransactions transactions, Step step, long seed, Server ours, Server theirs) {
    String answer = theirs.run(step.session(), step.sql());
    assertThat(ours.run(step.session(), step.sql()))
        .as("seed %d, %s", seed, step)
        .isEqualTo(answer);
    if (!answer.equals("ok")) {
      transactions.failed(step);
    }
  }

  private static void compareTables(long seed, SourcePostgres postgres) {
    for (String table : TABLES) {
      String query = "SELECT id, n, v FROM " + table + " ORDER BY id, n, md5(v)";
      assertThat(ours(query)).as("seed %d, table %s", seed, table).isEqualTo(postgres.rows(query));
    }
  }

  private static List<String> ours(String query) {
    return publisher.sql(query).stream()
        .map(row -> String.join("|", row.stream().map(String::valueOf).toList()))
        .toList();
  }

  private static void compareStreams(
      long seed, String slot, String publications, SourcePostgres postgres) {
    String query =
        "SELECT data FROM pg_logical_slot_peek_binary_changes('"
            + slot
            + "', NULL, NULL, 'proto_version', '1', 'messages', 'true', 'publication_names', '"
            + publications
            + "')";
    List<List<StreamText.Line>> sent = transactions(ours(query));
    List<List<StreamText.Line>> expected = transactions(postgres.rows(query));
    for (int i = 0; i < Math.max(sent.size(), expected.size()); i++) {
      List<StreamText.Line> mine = i < sent.size() ? sent.get(i) : List.of();
      List<StreamText.Line> theirs = i < expected.size() ? expected.get(i) : List.of();
      if (!StreamText.same(mine, theirs)) {
        assertThat(mine)
            .as("seed %d, publications %s, transaction %d", seed, publications, i)
            .isEqualTo(theirs);
      }
    }
    assertThat(sent).as("seed %d sends something for %s", seed, publications).isNotEmpty();
  }

  /**
   * @param messages as hexadecimal bytea
   */
  private static List<List<StreamText.Line>> transactions(List<String> messages) {
    List<byte[]> bytes =
        messages.stream().map(text -> HexFormat.of().parseHex(text.substring(2))).toList();
    return StreamText.of(bytes, false, (table, column) -> false);
  }

  /** Also after a failure, which may leave anything behind. */
  private static void cleanUp(String slot) {
    for (List<Object> row : publisher.sql("SELECT gid FROM pg_prepared_xacts")) {
      publisher.sql("ROLLBACK PREPARED '" + row.get(0) + "'");
    }
    publisher.sql(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '"
            + slot
            + "'");
    publisher.sql("DROP PUBLICATION IF EXISTS pall, pfil, pins, plist");
    for (String table : TABLES) {
      publisher.sql("SET lock_timeout = '10s'; DROP TABLE IF EXISTS " + table);
    }
  }

  /** The sessions of one server. */
  private interface Server extends AutoCloseable {

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

  private static final class Theirs implements Server {

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
