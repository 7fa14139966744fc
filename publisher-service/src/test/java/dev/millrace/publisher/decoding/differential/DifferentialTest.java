package dev.millrace.publisher.decoding.differential;

import static dev.millrace.publisher.decoding.differential.RandomTransactions.SETUP;
import static dev.millrace.publisher.decoding.differential.RandomTransactions.TABLES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges;
import dev.millrace.publisher.decoding.vectors.StreamText;
import dev.millrace.publisher.source.SourcePostgres;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
 * publications, with prepared transactions at their end and at their PREPARE, and streamed.
 *
 * <p>A further seed can be given as {@code -Dmillrace.seed=n}.
 */
@DisplayName("Random transactions on PostgreSQL and on the embedded database")
class DifferentialTest {

  private static final int STEPS = 400;
  private static final String TWO_PHASE = "_2pc";
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
    try (SourcePostgres postgres = SourcePostgres.create();
        Theirs theirs = new Theirs(postgres);
        Ours ours = new Ours()) {
      for (String sql : Stream.concat(SETUP.stream(), slots(slot)).toList()) {
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
      compareStreams(seed, slot, postgres);
    } finally {
      cleanUp(slot);
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

  /** Each set of publications, plain, at PREPARE, and streamed change by change. */
  private static void compareStreams(long seed, String slot, SourcePostgres postgres) {
    for (String publications : PUBLICATIONS) {
      Map<String, String> plain =
          Map.of("proto_version", "1", "messages", "true", "publication_names", publications);
      Map<String, String> parallel = new TreeMap<>(plain);
      parallel.put("proto_version", "4");
      parallel.put("streaming", "parallel");
      // Of a rolled back subtransaction they are streamed or not as PostgreSQL learns of its end.
      parallel.remove("messages");
      String about = "seed " + seed + ", publications " + publications;
      assertSame(
          about, transactions(ours(slot, plain)), transactions(theirs(slot, plain, postgres)));
      assertSame(
          about + ", at PREPARE",
          lasting(transactions(ours(slot + TWO_PHASE, plain))),
          lasting(transactions(theirs(slot + TWO_PHASE, plain, postgres))));
      assertSame(
          about + ", streamed",
          committed(ours(slot, parallel)),
          committed(theirs(slot, parallel, postgres)));
    }
  }

  private static void assertSame(
      String about, List<List<StreamText.Line>> sent, List<List<StreamText.Line>> expected) {
    for (int i = 0; i < Math.max(sent.size(), expected.size()); i++) {
      List<StreamText.Line> mine = i < sent.size() ? sent.get(i) : List.of();
      List<StreamText.Line> theirs = i < expected.size() ? expected.get(i) : List.of();
      if (!StreamText.same(mine, theirs)) {
        assertThat(mine).as(about + ", transaction " + i).isEqualTo(theirs);
      }
    }
    // The filters of some may leave nothing.
    assertThat(sent).as(about).hasSizeGreaterThanOrEqualTo(about.contains("pall") ? 10 : 0);
  }

  private static List<byte[]> ours(String slot, Map<String, String> options) {
    PublisherNode node = publisher.bean(PublisherNode.class);
    try (SqlSession session = node.open()) {
      SlotChanges.Request request =
          new SlotChanges.Request(
              slot,
              node.databaseName(),
              session.pid(),
              0,
              0,
              options,
              false,
              true,
              100_000,
              64 << 20,
              options.containsKey("streaming"),
              notice -> {});
      return publisher.bean(SlotChanges.class).read(request).stream()
          .map(SlotChanges.Change::data)
          .toList();
    }
  }

  private static List<byte[]> theirs(
      String slot, Map<String, String> options, SourcePostgres postgres) {
    boolean streaming = options.containsKey("streaming");
    String mode = streaming ? "immediate" : "buffered";
    postgres.run("SET debug_logical_replication_streaming = " + mode);
    StringBuilder list = new StringBuilder();
    options.forEach((name, value) -> list.append(", '" + name + "', '" + value + "'"));
    return postgres
        .rows(
            "SELECT encode(data, 'hex') FROM pg_logical_slot_peek_binary_changes('"
                + slot
                + "', NULL, NULL"
                + list
                + ")")
        .stream()
        .map(HexFormat.of()::parseHex)
        .toList();
  }

  private static List<List<StreamText.Line>> transactions(List<byte[]> messages) {
    return StreamText.of(messages, false, (table, column) -> false);
  }

  /**
   * Without Relation messages, and without the changes of prepared transactions that were rolled
   * back later: PostgreSQL leaves them out when it reads after the fact.
   */
  private static List<List<StreamText.Line>> lasting(List<List<StreamText.Line>> transactions) {
    Set<String> rolledBack = new HashSet<>();
    transactions.forEach(
        lines -> lines.forEach(line -> rolledBack.add(line.head().replaceFirst("^r .* ", "P "))));
    List<List<StreamText.Line>> lasting = new ArrayList<>();
    for (List<StreamText.Line> lines : transactions) {
      String end = lines.get(lines.size() - 1).head().replaceFirst("^P .* ", "P ");
      boolean gone = end.startsWith("P ") && rolledBack.contains(end);
      String kept = gone ? "^(b|P|M false) .*" : "^(?!R ).*";
      lasting.add(lines.stream().filter(line -> line.head().matches(kept)).toList());
    }
    return lasting;
  }

  /** The changes alone: PostgreSQL streams empty blocks of what does not pass the publications. */
  private static List<List<StreamText.Line>> committed(List<byte[]> messages) {
    return StreamText.committed(messages, true, (table, column) -> false).stream()
        .map(lines -> lines.stream().filter(line -> line.head().length() > 1).toList())
        .filter(lines -> !lines.isEmpty())
        .toList();
  }

  /** Also after a failure, which may leave anything behind. */
  private static void cleanUp(String slot) {
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
