package dev.millrace.publisher.decoding.vectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges;
import dev.millrace.publisher.source.SourcePostgres;
import dev.millrace.publisher.source.SourceUnderTest;
import dev.millrace.sql.SqlSession;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.util.PSQLException;

/**
 * Runs the SQL of the captured scenarios on a real PostgreSQL server that is the publisher's
 * source, and compares what the publisher sends, byte for byte, with what PostgreSQL sent. After
 * each step the publisher has taken over all that was committed, so that its own publications
 * change at the same place in its log.
 */
class SourceVectorTest {

  private static final Pattern PUBLICATION_SQL =
      Pattern.compile("^\\s*(CREATE|ALTER|DROP) PUBLICATION", Pattern.CASE_INSENSITIVE);

  private static final String TABLES =
      "SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n"
          + " ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog',"
          + " 'information_schema') ORDER BY c.oid";

  @TempDir static Path directory;

  private static SourcePostgres source;
  private static PublisherUnderTest publisher;
  private static PublisherNode node;
  private static SlotChanges changes;
  private static SqlSession admin;

  @BeforeAll
  static void start() {
    source = SourcePostgres.create();
    source.run("CREATE PUBLICATION src FOR ALL TABLES WITH (publish_generated_columns = stored)");
    publisher = SourceUnderTest.start(directory, source, "--millrace.source.refresh-interval=50ms");
    node = publisher.bean(PublisherNode.class);
    changes = publisher.bean(SlotChanges.class);
    admin = node.open();
  }

  @AfterAll
  static void stop() {
    source.configure("debug_logical_replication_streaming", "buffered");
    admin.close();
    publisher.close();
    source.close();
  }

  @TestFactory
  @DisplayName("I1, O2: the messages equal those PostgreSQL sent, byte for byte")
  Stream<DynamicTest> vectors() throws IOException {
    TreeMap<String, VectorScenario> scenarios = VectorScenario.all();
    return scenarios.values().stream()
        .filter(scenario -> SourceVectors.isRun(scenario.name()))
        .map(scenario -> DynamicTest.dynamicTest(scenario.name(), () -> new Scene(scenario).run()));
  }

  /** One scenario, from an empty database to an empty database. */
  private static final class Scene {
    private final VectorScenario scenario;
    private final Map<Integer, Connection> sessions = new HashMap<>();
    private final Map<VectorScenario.Run, MeanwhileReader> readers = new LinkedHashMap<>();

    Scene(VectorScenario scenario) {
      this.scenario = scenario;
    }

    void run() throws SQLException {
      try {
        source.run("ALTER PUBLICATION src SET " + SourceVectors.published(scenario.name()));
        source.configure(
            "debug_logical_replication_streaming",
            scenario.name().startsWith("13-") ? "immediate" : "buffered");
        scenario.setup().forEach(sql -> source.run(sql));
        source.awaitConfirmed();
        for (String sql : scenario.publication()) {
          source.run(sql);
          publish(sql);
        }
        createSlot("vec_po", false);
        createSlot("vec_two_phase", true);
        createSlot("vec_turned", false);
        if (SourceVectors.isReadMeanwhile(scenario.name())) {
          readMeanwhile();
        }
        for (VectorScenario.Step step : scenario.steps()) {
          step(step);
          readers.values().forEach(MeanwhileReader::read);
        }
        for (VectorScenario.Run run : scenario.runs()) {
          if (SourceVectors.isCompared(scenario.name(), run)) {
            compare(run);
          }
        }
      } finally {
        cleanUp();
      }
    }

    /** Tables become known a moment after they were made. */
    private void publish(String sql) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(10))
          .pollInterval(Duration.ofMillis(20))
          .untilAsserted(() -> assertThat(tables(admin)).isEqualTo(source.rows(TABLES)));
      Awaitility.await()
          .atMost(Duration.ofSeconds(10))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                try {
                  admin.execute(sql, List.of());
                  return true;
                } catch (PgException e) {
                  if (e.sqlState().equals(SqlState.UNDEFINED_TABLE)
                      || e.sqlState().equals(SqlState.INVALID_SCHEMA_NAME)) {
                    return false;
                  }
                  throw new AssertionError(sql + ": " + e.sqlState() + " " + e.getMessage(), e);
                }
              });
    }

    private static List<String> tables(SqlSession session) {
      return session.execute(TABLES, List.of()).results().get(0).rows().stream()
          .map(row -> row.get(0) + "|" + row.get(1) + "|" + row.get(2))
          .toList();
    }

    private static void createSlot(String name, boolean twoPhase) {
      admin.execute(
          "SELECT pg_create_logical_replication_slot('%s', 'pgoutput', false, %s)"
              .formatted(name, twoPhase),
          List.of());
    }

    private void readMeanwhile() {
      for (VectorScenario.Run run : scenario.runs()) {
        String slot = "vec_" + readers.size();
        createSlot(slot, run.twoPhase());
        readers.put(run, MeanwhileReader.start(publisher, slot, run));
      }
    }

    private void step(VectorScenario.Step step) throws SQLException {
      Connection session = sessions.get(step.session());
      if (session == null) {
        session = source.connect();
        sessions.put(step.session(), session);
      }
      try (Statement statement = session.createStatement()) {
        statement.execute(step.sql());
        if (step.errorCode() != null) {
          fail(step.sql() + " was not refused");
        }
      } catch (PSQLException e) {
        String state = e.getSQLState() + " " + e.getServerErrorMessage().getMessage();
        assertThat(state).as(step.sql()).isEqualTo(step.errorCode() + " " + step.errorMessage());
      }
      source.awaitConfirmed();
      if (step.errorCode() == null && PUBLICATION_SQL.matcher(step.sql()).find()) {
        publish(step.sql());
      }
    }

    private void compare(VectorScenario.Run run) {
      String about = scenario.name() + " " + run.options();
      List<Notice> notices = new ArrayList<>();
      if (run.error() != null && run.error().startsWith("no binary output function")) {
        return; // Arrays of such types travel as text here, where PostgreSQL fails.
      }
      if (run.error() != null) {
        assertThatThrownBy(() -> peek(run, notices)).as(about).hasMessage(run.error());
        return;
      }
      MeanwhileReader reader = readers.get(run);
      List<byte[]> sent = reader == null ? peek(run, notices) : reader.messages();
      if (run.isStreamedByMemory()) {
        assertThat(StreamText.committed(sent, run.isParallel(), (table, column) -> false))
            .as(about)
            .isEqualTo(
                StreamText.committed(run.messages(), run.isParallel(), (table, column) -> false));
      } else {
        assertThat(ExactStream.of(sent, run.isParallel()))
            .as(about)
            .containsExactlyElementsOf(ExactStream.of(expected(run, sent), run.isParallel()));
      }
      assertThat(notices).as(about).hasSize(run.notices());
    }

    /** Types without a converter are sent as text where the capture has their binary form. */
    private List<byte[]> expected(VectorScenario.Run run, List<byte[]> sent) {
      if (!run.options().getOrDefault("binary", "false").equals("true")) {
        return run.messages();
      }
      for (VectorScenario.Run text : scenario.runs()) {
        boolean same =
            !text.options().containsKey("binary")
                && text.error() == null
                && text.options()
                    .get("publication_names")
                    .equals(run.options().get("publication_names"));
        if (same && !text.options().containsKey("streaming")) {
          return BinaryOrText.expected(run.messages(), text.messages(), sent, run.isParallel());
        }
      }
      return run.messages();
    }

    private List<byte[]> peek(VectorScenario.Run run, List<Notice> notices) {
      return changes
          .read(
              new SlotChanges.Request(
                  run.turnsTwoPhase() ? "vec_turned" : run.twoPhase() ? "vec_two_phase" : "vec_po",
                  node.databaseName(),
                  admin.pid(),
                  0,
                  0,
                  run.options(),
                  false,
                  true,
                  100_000,
                  run.settings().workMem(),
                  run.settings().immediately(),
                  notices::add))
          .stream()
          .map(SlotChanges.Change::data)
          .toList();
    }

    private void cleanUp() throws SQLException {
      for (Connection session : sessions.values()) {
        session.close();
      }
      readers.values().forEach(MeanwhileReader::close);
      for (int i = 0; i < readers.size(); i++) {
        ifPossible("SELECT pg_drop_replication_slot('vec_" + i + "')");
      }
      for (String slot : List.of("vec_po", "vec_two_phase", "vec_turned")) {
        ifPossible("SELECT pg_drop_replication_slot('" + slot + "')");
      }
      for (List<Object> row :
          admin.execute("SELECT pubname FROM pg_publication", List.of()).results().get(0).rows()) {
        ifPossible("DROP PUBLICATION \"" + row.get(0).toString().replace("\"", "\"\"") + '"');
      }
      source.empty(Set.of("src"));
      source.awaitConfirmed();
    }

    private static void ifPossible(String sql) {
      try {
        admin.execute(sql, List.of());
      } catch (PgException e) {
        assertThat(e.sqlState()).as(sql).isEqualTo(SqlState.UNDEFINED_OBJECT);
      }
    }
  }
}
