package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Statements run on H2 and their answers")
class StatementRunnerTest {

  private static final String ENDLESS =
      "SELECT count(*) FROM system_range(1, 100000000000) WHERE rand() > 2";

  private H2Database database;
  private StatementRunner runner;

  @BeforeEach
  void createTable() throws SQLException {
    database = new H2Database();
    database.run(
        "CREATE TABLE t (id int PRIMARY KEY, i2 smallint, i8 bigint, b boolean, f real,"
            + " d double precision, n numeric(10,2), n0 decfloat, v varchar(10), c char(5),"
            + " x "
            + "\"pg_catalog_millrace\".\"varchar\", t character varying, by bytea, dt date,"
            + " tm time(6), tz time(6) with time zone, ts timestamp,"
            + " tsz timestamp with time zone, u uuid)");
    runner = new StatementRunner(database.admin(), 1000);
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
  }

  @Test
  @DisplayName(
      "parameters are read as literals of their column's type, rows come back in JSON form")
  void allTypes() {
    String sql =
        "INSERT INTO t VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19)";
    List<Object> written =
        Arrays.asList(
            "1",
            2,
            9007199254740993L,
            "on",
            1.5,
            "1e20",
            "12.3",
            "NaN",
            "abc",
            "de",
            "x",
            42,
            "\\xdeadbeef",
            "2024-02-29",
            "12:34:56.7",
            "12:34:56+02",
            "2024-02-29 12:34:56",
            "2024-02-29 12:34:56.5+02",
            "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11");
    assertThat(runner.update(sql, written)).isEqualTo(1);

    StatementResult result = runner.query("SELECT * FROM t", List.of());
    assertThat(result.command()).isEqualTo("SELECT 1");
    assertThat(result.columns().stream().map(ResultColumn::type))
        .containsExactly(
            "int4",
            "int2",
            "int8",
            "bool",
            "float4",
            "float8",
            "numeric",
            "numeric",
            "varchar",
            "bpchar",
            "varchar",
            "text",
            "bytea",
            "date",
            "time",
            "timetz",
            "timestamp",
            "timestamptz",
            "uuid");
    assertThat(result.rows())
        .containsExactly(
            List.of(
                1,
                2,
                "9007199254740993",
                true,
                "1.5",
                "1e+20",
                "12.30",
                "NaN",
                "abc",
                "de   ",
                "x",
                "42",
                "\\xdeadbeef",
                "2024-02-29",
                "12:34:56.7",
                "12:34:56+02",
                "2024-02-29 12:34:56",
                "2024-02-29 10:34:56.5+00",
                "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"));
  }

  @Test
  @DisplayName("a parameter may stand in several places, null is null")
  void parametersByNumber() {
    runner.update("INSERT INTO t (id, i2) VALUES (?1, ?1)", List.of(7));
    runner.update("UPDATE t SET v = ?2 WHERE id = ?1", Arrays.asList(7, null));
    assertThat(runner.query("SELECT id, i2, v FROM t", List.of()).rows())
        .containsExactly(Arrays.asList(7, 7, null));
  }

  @Test
  @DisplayName("a value that is none of its parameter's type is refused before anything runs")
  void badParameter() {
    assertThatThrownBy(() -> runner.update("INSERT INTO t (id) VALUES (?1)", List.of("x")))
        .isInstanceOf(PgException.class)
        .hasMessage("invalid input syntax for type integer: \"x\"");
    assertThatThrownBy(() -> runner.update("INSERT INTO t (id) VALUES (?1)", List.of(1, 2)))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("08P01"));
    assertThatThrownBy(() -> runner.update("INSERT INTO t (id) VALUES (?1)", List.of()))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("42P02"))
        .hasMessage("there is no parameter $1");
    assertThat(runner.query("SELECT count(*) FROM t", List.of()).rows())
        .containsExactly(List.of(0L));
  }

  @Test
  @DisplayName("expressions have PostgreSQL's type names, arrays and intervals their text")
  void expressions() {
    StatementResult result =
        runner.query(
            "SELECT 1 AS a, 'x' AS b, 1.5 AS c, true AS d, NULL AS e, count(*) AS f,"
                + " ARRAY['a b', NULL, 'c'] AS g, ARRAY[1, 2] AS h,"
                + " TIMESTAMP '2024-01-03 04:05:06.5' - TIMESTAMP '2024-01-01 00:00:00' AS i",
            List.of());
    assertThat(result.columns())
        .containsExactly(
            new ResultColumn("a", "int4"),
            new ResultColumn("b", "text"),
            new ResultColumn("c", "numeric"),
            new ResultColumn("d", "bool"),
            new ResultColumn("e", "text"),
            new ResultColumn("f", "int8"),
            new ResultColumn("g", "_varchar"),
            new ResultColumn("h", "_int4"),
            new ResultColumn("i", "interval"));
    assertThat(result.rows())
        .containsExactly(
            Arrays.asList(
                1, "x", "1.5", true, null, 1L, "{\"a b\",NULL,c}", "{1,2}", "2 days 04:05:06.5"));
  }

  @Test
  @DisplayName("more rows than the limit are an error, as many as the limit are not")
  void rowLimit() {
    StatementRunner limited = new StatementRunner(database.admin(), 3);
    assertThat(limited.query("SELECT 1 FROM system_range(1, 3)", List.of()).rows()).hasSize(3);
    assertThatThrownBy(() -> limited.query("SELECT 1 FROM system_range(1, 4)", List.of()))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("54000"))
        .hasMessage("the answer has more than 3 rows");
  }

  @Test
  @DisplayName("more text than the heap has room for is an error")
  void textLimit() {
    StatementRunner limited = new StatementRunner(database.admin(), 100, 10);
    assertThat(limited.query("SELECT 'abcde' FROM system_range(1, 2)", List.of()).rows())
        .hasSize(2);
    assertThatThrownBy(() -> limited.query("SELECT 'abcd' FROM system_range(1, 3)", List.of()))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("54000"))
        .hasMessage("the answer holds more than 10 characters");
  }

  @Test
  @DisplayName("statement_timeout ends a statement, and no longer one after it is switched off")
  void statementTimeout() {
    runner.setStatementTimeout(50);
    assertThatThrownBy(() -> runner.query(ENDLESS, List.of()))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("57014"))
        .hasMessage("canceling statement due to statement timeout");
    runner.setStatementTimeout(0);
    assertThat(runner.query("SELECT 1", List.of()).rows()).hasSize(1);
  }

  @Test
  @DisplayName("cancel stops the running statement from another thread")
  void cancel() throws Exception {
    runner.cancel();
    CompletableFuture<StatementResult> running =
        CompletableFuture.supplyAsync(() -> runner.query(ENDLESS, List.of()));
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () -> {
              runner.cancel();
              return running.isDone();
            });
    assertThatThrownBy(() -> running.get(1, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(SQLException.class)
        .cause()
        .hasMessage("canceling statement due to user request");
    assertThat(runner.query("SELECT 1", List.of()).rows()).hasSize(1);
  }
}
