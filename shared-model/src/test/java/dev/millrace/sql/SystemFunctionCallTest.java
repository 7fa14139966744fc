package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.sql.SystemFunction.Parameter;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The node's functions take named arguments, defaults and a variadic rest")
class SystemFunctionCallTest {

  private static final SystemFunction SCALAR =
      new SystemFunction(
          "current_place",
          List.of(new ResultColumn("current_place", "pg_lsn")),
          true,
          List.of(),
          (caller, arguments) -> List.<Object[]>of(new Object[] {"0/16B1970"}));

  private static final SystemFunction CREATE =
      new SystemFunction(
          "create_slot",
          List.of(new ResultColumn("slot_name", "name"), new ResultColumn("lsn", "pg_lsn")),
          false,
          List.of(
              new Parameter("slot_name", "name", true, null, false),
              new Parameter("plugin", "name", true, null, false),
              new Parameter("temporary", "bool", false, false, false),
              new Parameter("comment", "text", false, null, false)),
          (caller, arguments) ->
              List.<Object[]>of(new Object[] {Arrays.toString(arguments), "0/1"}));

  private static final SystemFunction CHANGES =
      new SystemFunction(
          "get_changes",
          List.of(
              new ResultColumn("lsn", "pg_lsn"),
              new ResultColumn("seen", "bool"),
              new ResultColumn("data", "text")),
          false,
          List.of(
              new Parameter("slot_name", "name", true, null, false),
              new Parameter("options", "text", false, new String[0], true)),
          (caller, arguments) ->
              List.of(
                  new Object[] {"0/1", true, arguments[0]},
                  new Object[] {"0/2", null, Arrays.toString((String[]) arguments[1])},
                  new Object[] {"0/3", false, "say \"a\\b\""},
                  new Object[] {"0/4", false, ""}));

  private static H2Database database;
  private static SimpleQuerySession session;

  @BeforeAll
  static void open() throws SQLException {
    database = new H2Database();
    List<SystemFunction> functions = List.of(SCALAR, CREATE, CHANGES);
    SystemCatalog.install(database.admin(), List.of(), functions);
    Map<String, SystemFunction> byName = new TreeMap<>();
    functions.forEach(function -> byName.put(function.name(), function));
    var connection = database.connect();
    connection.createStatement().execute("SET SCHEMA_SEARCH_PATH pg_catalog_millrace, public");
    session =
        new SimpleQuerySession(
            1,
            new H2Backend(connection, SessionSettings.settings()),
            SqlOptions.PLAIN.withFunctions(byName::get),
            null);
  }

  @AfterAll
  static void close() throws SQLException {
    session.close();
    database.close();
  }

  private static StatementResult run(String sql) {
    return session.execute(sql, List.of()).results().get(0);
  }

  private static Object value(String sql) {
    return run(sql).rows().get(0).get(0);
  }

  @Test
  @DisplayName("a scalar function in SELECT and in FROM")
  void scalar() {
    assertThat(value("SELECT current_place()")).isEqualTo("0/16B1970");
    assertThat(value("SELECT pg_catalog.current_place() || '!'")).isEqualTo("0/16B1970!");
    assertThat(run("SELECT * FROM current_place()").columns().get(0).name())
        .isEqualTo("current_place");
    assertThat(value("SELECT p FROM current_place() AS p WHERE p LIKE '0/%'"))
        .isEqualTo("0/16B1970");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT slot_name FROM create_slot('s', 'pgoutput')",
        "SELECT slot_name FROM create_slot(slot_name => 's', plugin => 'pgoutput')",
        "SELECT slot_name FROM create_slot(plugin := 'pgoutput', slot_name := 's')",
        "SELECT x.slot_name FROM pg_catalog.create_slot('s', plugin => lower('PGOUTPUT')) AS x",
        "SELECT a FROM create_slot('s', 'pgoutput', temporary => false) x(a, b)"
      })
  @DisplayName("arguments by position, by name, and left out")
  void arguments(String sql) {
    assertThat(value(sql)).isEqualTo("[s, pgoutput, false, null]");
  }

  @Test
  @DisplayName("a function with several columns in SELECT gives a composite value's text")
  void composite() {
    StatementResult result = run("SELECT create_slot('s', 'p')");
    assertThat(result.columns().get(0).name()).isEqualTo("create_slot");
    assertThat(result.rows()).containsExactly(List.of("(\"[s, p, false, null]\",0/1)"));
    assertThat(run("SELECT get_changes('s', 'a', '1')").rows())
        .containsExactly(
            List.of("(0/1,t,s)"),
            List.of("(0/2,,\"[a, 1]\")"),
            List.of("(0/3,f,\"say \"\"a\\\\b\"\"\")"),
            List.of("(0/4,f,\"\")"));
    assertThat(value("SELECT 1 + 1, (create_slot('s', 'p')) AS c")).isEqualTo(2);
  }

  @Test
  @DisplayName("the variadic rest may be missing, listed, or an array")
  void variadic() {
    String query = "SELECT data FROM get_changes(%s) WHERE lsn = '0/2'";
    assertThat(value(query.formatted("'s'"))).isEqualTo("[]");
    assertThat(value(query.formatted("'s', 'include-xids', '0'"))).isEqualTo("[include-xids, 0]");
    assertThat(value(query.formatted("'s', VARIADIC ARRAY['a', 'b']"))).isEqualTo("[a, b]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT create_slot('s')",
        "SELECT create_slot('s', 'p', false, 'c', 'd')",
        "SELECT create_slot('s', plugin_name => 'p')",
        "SELECT current_place(1)"
      })
  @DisplayName("wrong arguments are an undefined function")
  void wrongArguments(String sql) {
    assertThatThrownBy(() -> run(sql))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42883"));
  }
}
