package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.sql.SystemFunction.Parameter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("System views and functions inside H2")
class SystemCatalogTest {

  private final List<Object[]> slots = new ArrayList<>();
  private final AtomicInteger viewReads = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private H2Database database;
  private StatementRunner runner;

  @BeforeEach
  void install() throws Exception {
    database = new H2Database();
    SystemCatalog.install(database.admin(), List.of(view()), functions("one"));
    database.run("CREATE USER app PASSWORD ''", "CREATE TABLE t (id int PRIMARY KEY, s text)");
    database.run("GRANT ALL ON SCHEMA public TO app");
    Connection user = database.connectAs("app");
    user.createStatement().execute("SET SCHEMA_SEARCH_PATH pg_catalog_millrace, public");
    runner = new StatementRunner(user, 100);
    slots.add(new Object[] {"s1", true, 7, 16384L, "0/16B1970", Instant.EPOCH, "{a,b}"});
    slots.add(new Object[] {"s2", null, null, null, null, null, null});
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
  }

  private SystemView view() {
    return new SystemView(
        "pg_things",
        List.of(
            new ResultColumn("slot_name", "name"),
            new ResultColumn("active", "bool"),
            new ResultColumn("active_pid", "int4"),
            new ResultColumn("datoid", "oid"),
            new ResultColumn("restart_lsn", "pg_lsn"),
            new ResultColumn("since", "timestamptz"),
            new ResultColumn("names", "_name")),
        () -> {
          viewReads.incrementAndGet();
          return List.copyOf(slots);
        });
  }

  private List<SystemFunction> functions(String node) {
    Parameter name = new Parameter("slot_name", "name", true, null, false);
    Parameter count = new Parameter("n", "int4", false, 3, false);
    Parameter rest = new Parameter("rest", "text", false, null, true);
    return List.of(
        new SystemFunction(
            "pg_make",
            List.of(new ResultColumn("slot_name", "name"), new ResultColumn("lsn", "pg_lsn")),
            false,
            List.of(name, count),
            (caller, arguments) -> {
              calls.incrementAndGet();
              return List.<Object[]>of(
                  new Object[] {arguments[0], "0/" + arguments[1]},
                  new Object[] {arguments[0] + "2", "0/0"});
            }),
        new SystemFunction(
            "version",
            List.of(new ResultColumn("version", "text")),
            true,
            List.of(),
            (caller, arguments) -> List.<Object[]>of(new Object[] {"Millrace " + node})),
        new SystemFunction(
            "pg_emit",
            List.of(new ResultColumn("pg_emit", "pg_lsn")),
            true,
            List.of(name, rest),
            (caller, arguments) -> {
              String[] options = (String[]) arguments[1];
              return List.<Object[]>of(
                  new Object[] {"0/" + calls.incrementAndGet() + String.join("", options)});
            }),
        new SystemFunction(
            "pg_caller",
            List.of(new ResultColumn("pg_caller", "int8")),
            true,
            List.of(),
            (caller, arguments) ->
                List.<Object[]>of(new Object[] {caller == null ? null : caller.pid()})),
        new SystemFunction(
            "pg_refuse",
            List.of(new ResultColumn("pg_refuse", "void")),
            true,
            List.of(),
            (caller, arguments) -> {
              throw new PgException("55000", "not now").withHint("Later.");
            }));
  }

  @Test
  @DisplayName("a view shows the rows of the moment with PostgreSQL's types")
  void view_() {
    StatementResult result = runner.query("SELECT * FROM pg_things", List.of());
    assertThat(result.columns().stream().map(ResultColumn::type))
        .containsExactly("name", "bool", "int4", "oid", "pg_lsn", "timestamptz", "_name");
    assertThat(result.rows())
        .containsExactly(
            List.of("s1", true, 7, 16384L, "0/16B1970", "1970-01-01 00:00:00+00", "{a,b}"),
            Arrays.asList("s2", null, null, null, null, null, null));
    slots.remove(0);
    assertThat(runner.query("SELECT slot_name FROM pg_things", List.of()).rows())
        .containsExactly(List.of("s2"));
  }

  @Test
  @DisplayName("a join computes the rows of a view once")
  void oncePerStatement() {
    int before = viewReads.get();
    StatementResult joined =
        runner.query(
            "SELECT a.slot_name FROM pg_things a, pg_things b, pg_things c"
                + " WHERE a.slot_name = b.slot_name AND b.slot_name = c.slot_name",
            List.of());
    assertThat(joined.rows()).hasSize(2);
    assertThat(viewReads.get()).isEqualTo(before + 1);
  }

  @Test
  @DisplayName("a table function with side effects runs exactly once per execution")
  void tableFunctionRunsOnce() {
    for (int run = 1; run <= 3; run++) {
      StatementResult result = runner.query("SELECT * FROM pg_make('x', 3)", List.of());
      assertThat(result.rows()).containsExactly(List.of("x", "0/3"), List.of("x2", "0/0"));
      assertThat(result.columns().get(1).type()).isEqualTo("pg_lsn");
      assertThat(calls.get()).isEqualTo(run);
    }
    runner.query(
        "SELECT * FROM system_range(1, 5) r, pg_make('x', 4) m ORDER BY m.slot_name", List.of());
    assertThat(calls.get()).isEqualTo(4);
  }

  @Test
  @DisplayName("a scalar function runs once per row, also with equal arguments")
  void scalarFunctionRunsPerRow() {
    assertThat(runner.query("SELECT pg_emit('p', ARRAY['a', 'b'])", List.of()).rows())
        .containsExactly(List.of("0/1ab"));
    StatementResult twice = runner.query("SELECT pg_emit('p'), pg_emit('p')", List.of());
    assertThat(twice.rows()).containsExactly(List.of("0/2", "0/3"));
    assertThat(twice.columns().get(0)).isEqualTo(new ResultColumn("pg_emit", "pg_lsn"));
  }

  @Test
  @DisplayName("a function knows its caller")
  void caller() throws Exception {
    assertThat(runner.query("SELECT pg_caller()", List.of()).rows().get(0).get(0)).isNull();
    try (AutoCloseable entered = SystemCatalog.enter(session(4711))) {
      assertThat(runner.query("SELECT pg_caller()", List.of()).rows())
          .containsExactly(List.of(4711L));
    }
    assertThat(SystemCatalog.currentSession()).isNull();
  }

  private static SqlSession session(long pid) {
    return new SqlSession() {
      @Override
      public long pid() {
        return pid;
      }

      @Override
      public TransactionStatus status() {
        return TransactionStatus.IDLE;
      }

      @Override
      public SqlResponse execute(String sql, List<Object> parameters) {
        throw new UnsupportedOperationException("a caller's identity only");
      }

      @Override
      public void notice(Notice notice) {
        throw new UnsupportedOperationException("a caller's identity only");
      }

      @Override
      public void cancel() {}

      @Override
      public void close() {}
    };
  }

  @Test
  @DisplayName("an error of a function arrives with its SQLSTATE and hint")
  void errors() {
    assertThatThrownBy(() -> runner.query("SELECT pg_refuse()", List.of()))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("55000");
              assertThat(error.hint()).isEqualTo("Later.");
            })
        .hasMessage("not now");
  }

  @Test
  @DisplayName("ours prevail over functions that H2 emulates, and each database has its own")
  void severalDatabases() throws Exception {
    try (H2Database other = new H2Database()) {
      SystemCatalog.install(other.admin(), List.of(view()), functions("two"));
      StatementRunner there = new StatementRunner(other.admin(), 10);
      assertThat(there.query("SELECT pg_catalog_millrace.version() AS v", List.of()).rows())
          .containsExactly(List.of("Millrace two"));
      assertThat(runner.query("SELECT version() AS v", List.of()).rows())
          .containsExactly(List.of("Millrace one"));
    }
  }

  @Test
  @DisplayName("installing again replaces views and functions and drops what is gone")
  void installAgain() throws Exception {
    SystemView shorter =
        new SystemView(
            "pg_things",
            List.of(new ResultColumn("only", "text")),
            () -> List.<Object[]>of(new Object[] {"new"}));
    SystemCatalog.install(database.admin(), List.of(shorter), functions("again").subList(1, 2));
    assertThat(runner.query("SELECT * FROM pg_things", List.of()).rows())
        .containsExactly(List.of("new"));
    assertThat(runner.query("SELECT version()", List.of()).rows())
        .containsExactly(List.of("Millrace again"));
    assertThatThrownBy(() -> runner.query("SELECT pg_caller()", List.of()))
        .hasMessage("function pg_caller does not exist");
  }

  @Test
  @DisplayName("users read the views and cannot drop them")
  void rights() throws SQLException {
    assertThatThrownBy(() -> runner.update("DROP VIEW pg_catalog_millrace.pg_things", List.of()))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("42501"));
  }

  @Test
  @DisplayName(
      "a database file with views, functions and domains opens again and is installed anew")
  void reopen(@TempDir Path directory) throws Exception {
    String url =
        "jdbc:h2:file:"
            + directory.resolve("db")
            + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;BUILTIN_ALIAS_OVERRIDE=TRUE";
    try (Connection first = DriverManager.getConnection(url, "admin", "")) {
      SystemCatalog.install(first, List.of(view()), functions("one"));
      first
          .createStatement()
          .execute("CREATE TABLE t (o " + PgType.byOid(PgType.OID).h2Name() + ")");
      first
          .createStatement()
          .execute("CREATE VIEW v AS SELECT slot_name FROM" + " pg_catalog_millrace.pg_things");
    }
    try (Connection second = DriverManager.getConnection(url, "admin", "")) {
      SystemCatalog.install(second, List.of(view()), functions("two"));
      StatementRunner again = new StatementRunner(second, 10);
      assertThat(again.query("SELECT pg_catalog_millrace.version()", List.of()).rows())
          .containsExactly(List.of("Millrace two"));
      assertThat(again.query("SELECT slot_name FROM v", List.of()).rows())
          .containsExactly(List.of("s1"), List.of("s2"));
      assertThat(again.update("INSERT INTO t VALUES (4294967295)", List.of())).isEqualTo(1);
      assertThatThrownBy(() -> again.update("INSERT INTO t VALUES (-1)", List.of()))
          .isInstanceOf(PgException.class);
    }
  }
}
