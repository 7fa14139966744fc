package dev.millrace.publisher.decoding.vectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges;
import dev.millrace.sql.SqlSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the SQL of the captured scenarios in the embedded database and compares what pgoutput and
 * test_decoding say with what PostgreSQL's said.
 *
 * <p>Not run are: {@code 06-types-no-binary} (aclitem, a type of PostgreSQL's own, is all it has),
 * {@code 09-alter-within, 13-stream-ddl} (what they show is DDL in a transaction block, which is
 * refused here because H2 commits it by itself), {@code 14-*} (partitions and inheritance), {@code
 * 17-zero-columns} (H2 has no tables without columns), {@code 18-*} (frames, tested with the
 * walsender).
 */
class VectorRunTest {

  /** What 07-toast-full puts into its first row, which H2 has no md5() for. */
  private static final String LARGE = md5Series(313, "full");

  /** The values of 17-long-row, which H2 cannot compute. */
  private static final String LONG_TEXT = md5Series(320, "");

  private static final String LONG_BYTES = md5Series(380, "");
  private static final String LONG_ARRAY =
      IntStream.rangeClosed(1, 400).mapToObj(String::valueOf).collect(Collectors.joining(","));

  @TempDir static Path directory;

  private static PublisherUnderTest publisher;
  private static TreeMap<String, VectorScenario> scenarios;
  private static PublisherNode node;
  private static SlotChanges changes;
  private static SqlSession admin;

  @BeforeAll
  static void start() throws IOException {
    scenarios = VectorScenario.all();
    publisher = PublisherUnderTest.start(directory, "max_prepared_transactions=20");
    node = publisher.bean(PublisherNode.class);
    changes = publisher.bean(SlotChanges.class);
    admin = node.open();
  }

  @AfterAll
  static void stop() {
    admin.close();
    publisher.close();
  }

  private static String md5Series(int count, String suffix) {
    try {
      MessageDigest md5 = MessageDigest.getInstance("MD5");
      StringBuilder text = new StringBuilder();
      for (int i = 1; i <= count; i++) {
        byte[] digest = md5.digest((i + suffix).getBytes(StandardCharsets.US_ASCII));
        text.append(HexFormat.of().formatHex(digest));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, Adaptation> runnable() {
    Map<String, Adaptation> runnable = new TreeMap<>();
    for (String plain :
        List.of(
            "01-basic-pk",
            "01-composite-key",
            "02-replica-identity-index",
            "02-replica-identity-nothing",
            "03-interleaved",
            "03-interleaved-three",
            "04-savepoints-interleaved",
            "05-truncate",
            "07-toast-key",
            "08-column-list",
            "08-column-list-refused",
            "08-dropped-column",
            "08-identifiers",
            "10-messages",
            "11-origin",
            "12-two-phase-origin",
            "13-stream-other",
            "13-stream-commit",
            "13-stream-interleaved",
            "13-stream-prepare",
            "13-stream-sql",
            "13-stream-subabort",
            "08-row-filter-full",
            "08-row-filter-key",
            "08-row-filter-refused",
            "15-column-lists-conflict",
            "15-filters-combined",
            "15-publish-operations",
            "17-hundred-columns",
            "17-multi-table-transaction")) {
      runnable.put(plain, new Adaptation());
    }
    runnable.put(
        "02-replica-identity-change",
        new Adaptation().first(12, 7)); // Then ALTER TABLE in a transaction block.
    runnable.put("02-replica-identity-full", new Adaptation());
    runnable.put(
        "04-savepoints", new Adaptation().skip("DO $$").dropTransactions(4)); // No PL/pgSQL.
    runnable.put(
        "07-toast-default",
        new Adaptation()
            .skip("ALTER TABLE doc ALTER body SET STORAGE")
            .replace(
                "(SELECT string_agg(md5(i::text || 'seed'), '') FROM generate_series(1, 313) i)",
                "repeat('large', 2000)"));
    runnable.put(
        "07-toast-full",
        new Adaptation()
            .skip("ALTER TABLE doc ALTER body SET STORAGE")
            .replace(
                "(SELECT string_agg(md5(i::text || 'full'), '') FROM generate_series(1, 313) i)",
                "'" + LARGE + "'"));
    runnable.put(
        "09-alter-between", new Adaptation().first(16, 9)); // Then ALTER TABLE .. SET SCHEMA.
    runnable.put(
        "07-toast-row-filter", new Adaptation().skip("ALTER TABLE k ALTER big SET STORAGE"));
    runnable.put("09-publication-changes", new Adaptation());
    runnable.put(
        "15-all-tables-and-schemas", // H2 cannot move a table to another schema.
        new Adaptation()
            .skip("ALTER TABLE s1.a", "INSERT INTO s2.a", "DELETE FROM")
            .withoutRelation("s2.a"));
    runnable.put(
        "06-types-datetime", // Years before 1 and beyond H2's, infinity.
        new Adaptation().skipInserts("d", 4, 5, 6, 7, 8));
    runnable.put("06-types-interval-infinity", new Adaptation());
    runnable.put(
        "06-types-user-defined", // No composite types and ranges, no arrays of user types, no
        // new names for types.
        new Adaptation()
            .skip("CREATE TYPE pair", "CREATE TYPE deep", "CREATE TYPE frange")
            .skip("INSERT INTO ud (", "ALTER TYPE mood RENAME")
            .withoutColumns("ud", "c", "dp", "ma", "ca", "da", "fr", "cid")
            .dropTransactions(3));
    runnable.put(
        "06-types-arrays", // Subscripts cannot be assigned.
        new Adaptation().skip("UPDATE a SET ia[5]").dropTransactions(7));
    runnable.put(
        "06-types-network-geometric", // No geometric types.
        new Adaptation()
            .skip("CREATE TABLE geo", "INSERT INTO geo")
            .replace("FOR TABLE net, geo", "FOR TABLE net")
            .withoutRelation("public.geo"));
    runnable.put(
        "06-types-bits-search-ranges", // No text search, ranges and system types.
        new Adaptation()
            .skip("CREATE TABLE r", "INSERT INTO r", "CREATE TABLE sys", "INSERT INTO sys")
            .replace("FOR TABLE b, r, sys", "FOR TABLE b")
            .withoutColumns("b", "tv", "tq")
            .dropTransactions(5, 6, 7, 8, 9, 10, 11));
    runnable.put(
        "06-types-numeric", // H2 has no negative zero, and no NaN or infinity in numeric.
        new Adaptation()
            .withoutColumns("n2", "nneg", "m", "o")
            .skipInserts("n1", 9)
            .skip(
                "INSERT INTO n2 VALUES (3,",
                "INSERT INTO n2 VALUES (4,",
                "INSERT INTO n2 VALUES (5,")
            .dropTransactions(16, 17, 18));
    runnable.put(
        "06-types-text",
        new Adaptation()
            .withoutColumns("s", "one", "nm")
            .replace("convert_to('é', 'UTF8')", "'\\xc3a9'")
            .replace("decode(repeat('00ff', 100), 'hex')", "'\\x" + "00ff".repeat(100) + "'"));
    runnable.put(
        "06-types-document", // No xml and jsonpath, no operators of jsonb.
        new Adaptation()
            .withoutColumns("j", "x", "jp")
            .replace("{a0eebc999c0b4ef8bb6d6bb9bd380a11}", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
            .skip("UPDATE")
            .dropTransactions(8));
    runnable.put("08-generated-columns", new Adaptation());
    runnable.put("08-generated-identity", new Adaptation());
    runnable.put(
        "16-empty-transactions", // VACUUM is none here.
        new Adaptation().skip("VACUUM").withoutText());
    runnable.put("12-two-phase", new Adaptation());
    runnable.put("12-two-phase-sql", new Adaptation());
    runnable.put(
        "13-stream-abort", // A failed statement leaves nothing in the log that could be streamed.
        new Adaptation().withoutStreamed(1462));
    runnable.put(
        "13-stream-workmem", new Adaptation().skip("ALTER TABLE big ALTER pad SET STORAGE"));
    runnable.put(
        "13-stream-workmem-aborted-sql",
        new Adaptation().skip("ALTER TABLE big ALTER pad SET STORAGE"));
    runnable.put(
        "06-types-latin1", // Of another encoding is the database only: clients get UTF-8.
        new Adaptation());
    runnable.put(
        "06-types-session-settings", // Years before 1, infinity; here values have one text.
        new Adaptation().skipInserts("s", 2, 3));
    runnable.put(
        "17-long-row",
        new Adaptation()
            .replace(
                "SELECT 1, string_agg(md5(i::text), '') FROM generate_series(1, 320) i",
                "VALUES (1, '" + LONG_TEXT + "')")
            .replace(
                "SELECT 2, NULL, decode(string_agg(md5(i::text), ''), 'hex')"
                    + " FROM generate_series(1, 380) i",
                "VALUES (2, NULL, '\\x" + LONG_BYTES + "')")
            .replace(
                "SELECT 3, repeat('ab', 500), NULL, array_agg(i) FROM generate_series(1, 400) i",
                "VALUES (3, repeat('ab', 500), NULL, '{" + LONG_ARRAY + "}')"));
    runnable.put(
        "20-high-values", // No columns of the types oid and xid.
        new Adaptation().withoutColumns("t", "o", "x"));
    runnable.put(
        "01-statement-kinds", // No triggers in PL/pgSQL, no COPY, no statements inside WITH.
        new Adaptation()
            .skip("CREATE FUNCTION", "CREATE TRIGGER", "WITH gone", "DELETE FROM parent")
            .skip("SELECT nextval") // The sequence behind a serial column has no name of its own.
            .replace(
                "COPY parent FROM PROGRAM 'printf \"2\\\\ttwo\\\\n3\\\\tthree\\\\n4\\\\t\\\\\\\\N\\\\n\"'",
                "INSERT INTO parent VALUES (2, 'two'), (3, 'three'), (4, NULL)")
            .withoutChanges("public.audit")
            .dropTransactions(5, 6)); // What WITH inserted is deleted.
    runnable.put("17-nulls", new Adaptation());
    runnable.put("19-option-errors", new Adaptation());
    runnable.put(
        "19-test-decoding-options", // H2 has no bit strings, negative zero or NaN in numeric.
        new Adaptation()
            .replace("bits bit(3), vb varbit, ", "")
            .replace("B'101', B'', ", "")
            .replace("'-0'", "'0'")
            .replace("'NaN'", "'3'")
            .replaceText(" bits\\[bit\\]:\\S+ vb\\[bit varying\\]:\\S+", "")
            .replaceText(":-0 ", ":0 ")
            .replaceText(":NaN ", ":3 ")
            .withoutTextOption("include-rewrites")); // No row of ALTER TABLE is captured.
    return runnable;
  }

  @TestFactory
  @DisplayName("O2, O4: the messages equal those PostgreSQL sent")
  Stream<DynamicTest> vectors() {
    return runnable().entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(), () -> run(scenarios.get(entry.getKey()), entry.getValue())));
  }

  private void run(VectorScenario scenario, Adaptation adaptation) {
    try {
      Stream.concat(scenario.setup().stream(), scenario.publication().stream())
          .filter(sql -> !adaptation.skips(sql))
          .forEach(sql -> execute(admin, adaptation.adapt(sql)));
      createSlot("vec_po", "pgoutput", false);
      createSlot("vec_po_two_phase", "pgoutput", true);
      createSlot("vec_po_turned", "pgoutput", false);
      createSlot("vec_td", "test_decoding", false);
      createSlot("vec_td_two_phase", "test_decoding", true);
      runSteps(adaptation.steps(scenario), adaptation);
      execute(admin, "CHECKPOINT"); // Nobody else flushes what was only rolled back.
      for (VectorScenario.Run run : scenario.runs()) {
        compare(scenario, run, adaptation);
      }
      for (VectorScenario.TextRun run : scenario.textRuns()) {
        if (adaptation.comparesText(run.options()) && !run.isStreamedByMemory()) {
          compareText(scenario, run, adaptation);
        }
      }
    } finally {
      cleanUp();
    }
  }

  private static void createSlot(String name, String plugin, boolean twoPhase) {
    execute(
        admin,
        "SELECT pg_create_logical_replication_slot('"
            + name
            + "', '"
            + plugin
            + "', false, "
            + twoPhase
            + ")");
  }

  /** A slot that options have turned into a two-phase one stays one, so it serves nothing else. */
  private static String slot(VectorScenario.Run run) {
    return run.turnsTwoPhase() ? "vec_po_turned" : run.twoPhase() ? "vec_po_two_phase" : "vec_po";
  }

  private static String slot(VectorScenario.TextRun run) {
    return run.twoPhase() ? "vec_td_two_phase" : "vec_td";
  }

  private static void execute(SqlSession session, String sql) {
    try {
      session.execute(sql, List.of());
    } catch (PgException e) {
      throw new AssertionError(sql + ": " + e.sqlState() + " " + e.getMessage(), e);
    }
  }

  private static void runSteps(List<VectorScenario.Step> steps, Adaptation adaptation) {
    Map<Integer, SqlSession> sessions = new HashMap<>();
    try {
      for (VectorScenario.Step step : steps) {
        SqlSession session = sessions.computeIfAbsent(step.session(), number -> node.open());
        if (adaptation.skips(step.sql())) {
          continue;
        }
        if (step.errorCode() == null) {
          execute(session, adaptation.adapt(step.sql()));
        } else {
          executeRefused(session, step, adaptation);
        }
      }
    } finally {
      sessions.values().forEach(SqlSession::close);
    }
  }

  private static void executeRefused(
      SqlSession session, VectorScenario.Step step, Adaptation adaptation) {
    try {
      session.execute(adaptation.adapt(step.sql()), List.of());
    } catch (PgException e) {
      assertThat(e.sqlState() + " " + e.getMessage())
          .as(step.sql())
          .isEqualTo(step.errorCode() + " " + step.errorMessage());
      return;
    }
    fail(step.sql() + " was not refused");
  }

  private static List<byte[]> peek(
      String slot,
      Map<String, String> options,
      VectorScenario.Settings settings,
      List<Notice> notices) {
    return changes
        .read(
            new SlotChanges.Request(
                slot,
                node.databaseName(),
                admin.pid(),
                0,
                0,
                options,
                false,
                !slot.startsWith("vec_td"),
                100_000,
                settings.workMem(),
                settings.immediately(),
                notices::add))
        .stream()
        .map(SlotChanges.Change::data)
        .toList();
  }

  private static void compare(
      VectorScenario scenario, VectorScenario.Run run, Adaptation adaptation) {
    String about = scenario.name() + " " + run.options();
    List<Notice> notices = new ArrayList<>();
    if (run.error() != null) {
      assertRefused(slot(run), run.options(), run.settings(), about, run.error());
      return;
    }
    List<byte[]> peeked = peek(slot(run), run.options(), run.settings(), notices);
    List<List<StreamText.Line>> sent = text(run, peeked, (table, column) -> false);
    List<byte[]> kept = adaptation.kept(run.messages(), run.isParallel());
    List<List<StreamText.Line>> expected = adaptation.expected(text(run, kept, adaptation::cuts));
    assertThat(notices).as(about).hasSize(run.notices());
    for (int i = 0; i < Math.max(sent.size(), expected.size()); i++) {
      List<StreamText.Line> ours = i < sent.size() ? sent.get(i) : List.of();
      List<StreamText.Line> theirs = i < expected.size() ? expected.get(i) : List.of();
      if (!StreamText.same(ours, theirs)) {
        assertThat(ours).as(about + " transaction " + i).isEqualTo(theirs);
      }
    }
  }

  private static List<List<StreamText.Line>> text(
      VectorScenario.Run run, List<byte[]> messages, BiPredicate<String, String> leftOut) {
    return run.isStreamedByMemory()
        ? StreamText.committed(messages, run.isParallel(), leftOut)
        : StreamText.of(messages, run.isParallel(), leftOut);
  }

  private static void assertRefused(
      String slot,
      Map<String, String> options,
      VectorScenario.Settings settings,
      String about,
      String error) {
    assertThatThrownBy(() -> peek(slot, options, settings, new ArrayList<>()))
        .as(about)
        .hasMessage(error);
  }

  private static void compareText(
      VectorScenario scenario, VectorScenario.TextRun run, Adaptation adaptation) {
    if (run.error() != null) {
      String about = scenario.name() + " " + run.options();
      assertRefused(slot(run), run.options(), run.settings(), about, run.error());
      return;
    }
    List<String> sent =
        peek(slot(run), run.options(), run.settings(), new ArrayList<>()).stream()
            .map(line -> new String(line, StandardCharsets.UTF_8))
            .map(line -> line.split("\0")[0]) // As PostgreSQL's client shows it.
            .toList();
    List<String> ours = normalized(sent);
    List<String> theirs = normalized(adaptation.expectedText(run.lines()));
    if (!sortedText(ours).equals(sortedText(theirs))) {
      assertThat(ours).as(scenario.name() + " " + run.options()).isEqualTo(theirs);
    }
  }

  /**
   * As {@link #sorted}: lines about the same operation on the same table that follow each other.
   */
  private static List<String> sortedText(List<String> lines) {
    List<String> sorted = new ArrayList<>();
    for (int from = 0; from < lines.size(); ) {
      int to = from + 1;
      while (to < lines.size() && operation(lines.get(to)).equals(operation(lines.get(from)))) {
        to++;
      }
      lines.subList(from, to).stream().sorted().forEach(sorted::add);
      from = to;
    }
    return sorted;
  }

  private static String operation(String line) {
    java.util.regex.Matcher matcher =
        java.util.regex.Pattern.compile("^table .*?: (INSERT|UPDATE|DELETE):").matcher(line);
    return matcher.find() ? matcher.group() : "";
  }

  /**
   * Numeric by value, without xids and times, and without transactions and blocks that show
   * nothing.
   */
  private static List<String> normalized(List<String> lines) {
    List<String> kept = new ArrayList<>();
    for (String line : lines) {
      String bare =
          line.replaceFirst("^(BEGIN|COMMIT)( \\d+)?( \\(at .*\\))?$", "$1")
              .replaceAll("(\\[numeric\\]:-?\\d+)(\\.\\d*?)?0*(?= |$)", "$1$2")
              .replaceAll("(\\[numeric\\]:-?\\d+)\\.(?= |$)", "$1")
              .replaceFirst(" TXN \\d+$", " TXN")
              .replaceFirst(", txid \\d+$", ", txid");
      String last = kept.isEmpty() ? "" : kept.get(kept.size() - 1);
      boolean emptyBlock =
          bare.startsWith("closing a streamed block") && last.startsWith("opening");
      if (emptyBlock || bare.equals("COMMIT") && last.equals("BEGIN")) {
        kept.remove(kept.size() - 1);
      } else {
        kept.add(bare);
      }
    }
    return kept;
  }

  private static void cleanUp() {
    for (List<Object> row : query("SELECT slot_name FROM pg_replication_slots")) {
      execute(admin, "SELECT pg_drop_replication_slot('" + row.get(0) + "')");
    }
    for (List<Object> row : query("SELECT roname FROM pg_replication_origin")) {
      execute(admin, "SELECT pg_replication_origin_drop(" + literal(row.get(0)) + ")");
    }
    for (List<Object> row : query("SELECT pubname FROM pg_publication")) {
      execute(admin, "DROP PUBLICATION " + quote(row.get(0)));
    }
    boolean dropped = true;
    while (dropped) {
      dropped = false;
      for (List<Object> row :
          query(
              "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n"
                  + " ON n.oid = c.relnamespace WHERE c.relkind = 'r'"
                  + " AND n.nspname NOT IN ('pg_catalog', 'information_schema')")) {
        dropped |= ifPossible("DROP TABLE " + quote(row.get(0)) + "." + quote(row.get(1)));
      }
      for (List<Object> row :
          query(
              "SELECT n.nspname, t.typname FROM pg_type t JOIN pg_namespace n"
                  + " ON n.oid = t.typnamespace WHERE n.nspname <> 'pg_catalog'")) {
        dropped |= ifPossible("DROP TYPE " + quote(row.get(0)) + "." + quote(row.get(1)));
      }
    }
    for (List<Object> row :
        query(
            "SELECT nspname FROM pg_namespace WHERE nspname NOT IN ('public', 'pg_catalog',"
                + " 'information_schema')")) {
      ifPossible("DROP SCHEMA " + quote(row.get(0)));
    }
  }

  private static List<List<Object>> query(String sql) {
    return admin.execute(sql, List.of()).results().get(0).rows();
  }

  private static boolean ifPossible(String sql) {
    try {
      admin.execute(sql, List.of());
      return true;
    } catch (PgException e) {
      return false;
    }
  }

  private static String literal(Object text) {
    return "'" + text.toString().replace("'", "''") + "'";
  }

  private static String quote(Object name) {
    return '"' + name.toString().replace("\"", "\"\"") + '"';
  }
}
