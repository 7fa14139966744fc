package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.model.PgException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("H2's errors in PostgreSQL's words")
class H2ErrorsTest {

  private H2Database database;

  @BeforeEach
  void createTables() throws SQLException {
    database = new H2Database();
    database.run(
        "CREATE TABLE t (id int, k int, c varchar(3), n numeric(4,2), b boolean,"
            + " CONSTRAINT t_pkey PRIMARY KEY (id), CONSTRAINT t_k_key UNIQUE (k),"
            + " CONSTRAINT t_chk CHECK (k < 100))",
        "CREATE TABLE two (a int, b varchar(10), ts timestamp with time zone,"
            + " CONSTRAINT two_pkey PRIMARY KEY (a, b))",
        "CREATE TABLE \"Q t\" (\"A b\" varchar(10), CONSTRAINT \"Q t_pkey\" PRIMARY KEY (\"A b\"))",
        "CREATE UNIQUE INDEX two_ts ON two (ts)",
        "CREATE TABLE ch (id bigint, pid int, CONSTRAINT ch_pkey PRIMARY KEY (id),"
            + " CONSTRAINT ch_pid_fkey FOREIGN KEY (pid) REFERENCES t (id))",
        "CREATE TABLE gi (a int GENERATED ALWAYS AS IDENTITY)",
        "INSERT INTO t (id, k, c) VALUES (1, 1, 'a'), (2, 2, null)",
        "INSERT INTO two VALUES (1, 'it''s, x', '2024-01-01 02:00:00+02')",
        "INSERT INTO \"Q t\" VALUES ('x')",
        "INSERT INTO ch VALUES (1, 1)");
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
  }

  private PgException fail(String sql) throws SQLException {
    try (Statement statement = database.admin().createStatement()) {
      SQLException error =
          catchThrowableOfType(SQLException.class, () -> statement.executeQuery(sql).next());
      assertThat((Throwable) error).as(sql).isNotNull();
      return H2Errors.translate(error);
    }
  }

  private PgException failUpdate(String sql) throws SQLException {
    try (Statement statement = database.admin().createStatement()) {
      SQLException error = catchThrowableOfType(SQLException.class, () -> statement.execute(sql));
      assertThat((Throwable) error).as(sql).isNotNull();
      return H2Errors.translate(error);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "INSERT INTO t (id, k) VALUES (1, 9)|duplicate key value violates unique constraint"
            + " \"t_pkey\"|Key (id)=(1) already exists.",
        "INSERT INTO t (id, k) VALUES (9, 1)|duplicate key value violates unique constraint"
            + " \"t_k_key\"|Key (k)=(1) already exists.",
        "INSERT INTO two (a, b) VALUES (1, 'it''s, x')|duplicate key value violates unique"
            + " constraint \"two_pkey\"|Key (a, b)=(1, it's, x) already exists.",
        "INSERT INTO two VALUES (2, 'y', '2024-01-01 00:00:00+00')|duplicate key value violates"
            + " unique constraint \"two_ts\"|Key (ts)=(2024-01-01 00:00:00+00) already exists.",
        "INSERT INTO \"Q t\" VALUES ('x')|duplicate key value violates unique constraint"
            + " \"Q t_pkey\"|Key (A b)=(x) already exists.",
        "UPDATE t SET k = 2 WHERE id = 1|duplicate key value violates unique constraint"
            + " \"t_k_key\"|Key (k)=(2) already exists."
      })
  @DisplayName("unique violations name constraint, columns and values")
  void unique(String sql, String message, String detail) throws SQLException {
    PgException error = failUpdate(sql);
    assertThat(error.sqlState()).isEqualTo("23505");
    assertThat(error).hasMessage(message);
    assertThat(error.detail()).isEqualTo(detail);
  }

  @Test
  @DisplayName("building a unique index over duplicates says so")
  void buildingUniqueIndex() throws SQLException {
    database.run("CREATE TABLE d (v int)", "INSERT INTO d VALUES (5), (5)");
    PgException error = failUpdate("ALTER TABLE d ADD CONSTRAINT d_v_key UNIQUE (v)");
    assertThat(error).hasMessage("could not create unique index \"d_v_key\"");
    assertThat(error.detail()).isEqualTo("Key (v)=(5) is duplicated.");
  }

  @Test
  @DisplayName("foreign keys name both tables, the constraint and the key")
  void foreignKeys() throws SQLException {
    PgException missing = failUpdate("INSERT INTO ch VALUES (2, 99)");
    assertThat(missing.sqlState()).isEqualTo("23503");
    assertThat(missing)
        .hasMessage(
            "insert or update on table \"ch\" violates foreign key constraint \"ch_pid_fkey\"");
    assertThat(missing.detail()).isEqualTo("Key (pid)=(99) is not present in table \"t\".");
    PgException referenced = failUpdate("DELETE FROM t WHERE id = 1");
    assertThat(referenced.sqlState()).isEqualTo("23503");
    assertThat(referenced)
        .hasMessage(
            "update or delete on table \"t\" violates foreign key constraint \"ch_pid_fkey\""
                + " on table \"ch\"");
    assertThat(referenced.detail())
        .isEqualTo("Key (id)=(1) is still referenced from table \"ch\".");
  }

  @ParameterizedTest(name = "{0}: {1} {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "INSERT INTO t (id, k) VALUES (9, 500)|23514"
            + "|new row for relation \"t\" violates check constraint \"t_chk\"",
        "INSERT INTO t (id) VALUES (null)|23502"
            + "|null value in column \"id\" of relation \"t\" violates not-null constraint",
        "ALTER TABLE t ALTER COLUMN c SET NOT NULL|23502"
            + "|column \"c\" of relation \"t\" contains null values",
        "INSERT INTO t (id, c) VALUES (9, 'abcd')|22001"
            + "|value too long for type character varying(3)",
        "INSERT INTO t (id, n) VALUES (9, 1000)|22003|numeric field overflow",
        "INSERT INTO t (id) VALUES ('x')|22P02|invalid input syntax for type integer: \"x\"",
        "INSERT INTO t (id, b) VALUES (9, 'maybe')|22P02"
            + "|invalid input syntax for type boolean: \"maybe\"",
        "INSERT INTO t (id) VALUES (99999999999)|22003|integer out of range",
        "INSERT INTO t (zz) VALUES (1)|42703|column \"zz\" of relation \"t\" does not exist",
        "INSERT INTO t (id, id) VALUES (1, 2)|42701|column \"id\" specified more than once",
        "INSERT INTO gi (a) VALUES (1)|428C9|cannot insert a non-DEFAULT value into column \"a\"",
        "CREATE TABLE t (a int)|42P07|relation \"t\" already exists",
        "CREATE INDEX two_ts ON t (c)|42P07|relation \"two_ts\" already exists",
        "CREATE SCHEMA public|42P06|schema \"public\" already exists",
        "CREATE TABLE x (a nonsense)|42704|type \"nonsense\" does not exist",
        "CREATE TABLE nos.x (a int)|3F000|schema \"nos\" does not exist",
        "CREATE TABLE x (a varchar REFERENCES t (c))|42830"
            + "|there is no unique constraint matching given keys for referenced table \"t\"",
        "DROP TABLE nope|42P01|table \"nope\" does not exist",
        "DROP INDEX nope|42704|index \"nope\" does not exist",
        "DROP TABLE t|2BP01|cannot drop table t because other objects depend on it",
        "ALTER TABLE t ADD COLUMN c int|42701|column \"c\" of relation \"t\" already exists",
        "ALTER TABLE t DROP COLUMN zz|42703|column \"zz\" of relation \"t\" does not exist",
        "ALTER TABLE t DROP CONSTRAINT nope|42704"
            + "|constraint \"nope\" of relation \"t\" does not exist",
        "ALTER TABLE t ADD PRIMARY KEY (k)|42P16"
            + "|multiple primary keys for table \"t\" are not allowed",
        "UPDATE t SET k = 1, k = 2|42601|multiple assignments to same column \"k\"",
        "ROLLBACK TO SAVEPOINT zz|3B001|savepoint \"zz\" does not exist"
      })
  @DisplayName("statements that change something")
  void updates(String sql, String sqlState, String message) throws SQLException {
    PgException error = failUpdate(sql);
    assertThat(error.sqlState() + "|" + error.getMessage()).isEqualTo(sqlState + "|" + message);
  }

  @ParameterizedTest(name = "{0}: {1} {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "SELECT * FROM nope|42P01|relation \"nope\" does not exist",
        "SELECT nope FROM t|42703|column \"nope\" does not exist",
        "SELECT t.nope FROM t|42703|column t.nope does not exist",
        "SELECT nofunc(1)|42883|function nofunc does not exist",
        "SELECT 1 / 0|22012|division by zero",
        "SELCT 1|42601|syntax error at or near \"SELCT\"",
        "SELECT 1 +|42601|syntax error at end of input",
        "SELECT k FROM t t1, t t2|42702|column reference \"k\" is ambiguous",
        "SELECT sum(id), k FROM t|42803|column \"k\" must appear in the GROUP BY clause or be used"
            + " in an aggregate function",
        "SELECT CAST('2024-13-01' AS date)|22008"
            + "|date/time field value out of range: \"2024-13-01\"",
        "SELECT CAST('soon' AS date)|22007|invalid input syntax for type date: \"soon\"",
        "SELECT CAST(true AS date)|42846|cannot cast type boolean to date",
        "SELECT 2147483647 + 1|22003|integer out of range",
        "SELECT (SELECT id FROM t)|21000"
            + "|more than one row returned by a subquery used as an expression",
        "SELECT * FROM t LIMIT -1|2201W|LIMIT must not be negative",
        "SELECT 'unfinished|42601|unterminated quoted string at or near \"'unfinished\"",
        "SELECT * FROM t WHERE b = c|42883"
            + "|operator does not exist: boolean = character varying(3)"
      })
  @DisplayName("queries")
  void queries(String sql, String sqlState, String message) throws SQLException {
    PgException error = fail(sql);
    assertThat(error.sqlState() + "|" + error.getMessage()).isEqualTo(sqlState + "|" + message);
  }

  @Test
  @DisplayName("a wait for a lock that takes too long is 55P03")
  void lockTimeout() throws Exception {
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE t SET c = 'x' WHERE id = 1");
      database.run("SET LOCK_TIMEOUT 10");
      PgException error = failUpdate("UPDATE t SET c = 'y' WHERE id = 1");
      assertThat(error.sqlState()).isEqualTo("55P03");
      assertThat(error).hasMessage("canceling statement due to lock timeout");
      other.rollback();
    }
  }

  @Test
  @DisplayName("a deadlock is 40P01, a lost race under SERIALIZABLE 40001")
  void deadlockAndSerializationFailure() throws Exception {
    try (Connection other = database.connect();
        Statement theirs = other.createStatement();
        Statement ours = database.admin().createStatement()) {
      other.setAutoCommit(false);
      database.admin().setAutoCommit(false);
      ours.execute("SET LOCK_TIMEOUT 20000");
      theirs.execute("SET LOCK_TIMEOUT 20000");
      ours.execute("UPDATE t SET c = 'x' WHERE id = 1");
      theirs.execute("UPDATE t SET c = 'x' WHERE id = 2");
      CompletableFuture<SQLException> first =
          CompletableFuture.supplyAsync(() -> errorOf(theirs, "UPDATE t SET c='y' WHERE id=1"));
      SQLException second = errorOf(ours, "UPDATE t SET c = 'y' WHERE id = 2");
      SQLException victim = second != null ? second : first.get(30, TimeUnit.SECONDS);
      assertThat(H2Errors.translate(victim).sqlState()).isEqualTo("40P01");
      database.admin().rollback();
      first.get(30, TimeUnit.SECONDS);
      other.rollback();

      theirs.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
      theirs.executeQuery("SELECT * FROM t").next();
      ours.execute("UPDATE t SET c = 'z' WHERE id = 1");
      database.admin().commit();
      SQLException lost = errorOf(theirs, "UPDATE t SET c = 'w' WHERE id = 1");
      assertThat(H2Errors.translate(lost).sqlState()).isEqualTo("40001");
      other.rollback();
    }
  }

  private static SQLException errorOf(Statement statement, String sql) {
    try {
      statement.execute(sql);
      return null;
    } catch (SQLException error) {
      return error;
    }
  }

  @Test
  @DisplayName("an error of our own inside a trigger comes out unchanged")
  void ownErrorsPass() {
    PgException own = new PgException("55000", "cannot update table \"t\"").withHint("Set it.");
    SQLException wrapped = new SQLException("Exception calling trigger", "90044", 90044, own);
    assertThat(H2Errors.translate(wrapped)).isSameAs(own);
  }

  @Test
  @DisplayName("H2's exception stays the cause")
  void cause() throws SQLException {
    assertThat(fail("SELECT 1 / 0").getCause()).isInstanceOf(SQLException.class);
  }

  @Test
  @DisplayName("an overflow tells precision and scale")
  void overflowDetail() throws SQLException {
    assertThat(failUpdate("INSERT INTO t (id, n) VALUES (9, 1000)").detail())
        .isEqualTo(
            "A field with precision 4, scale 2 must round to an absolute value less than 10^2.");
  }

  @Test
  @DisplayName("a very long statement with quotes everywhere is taken apart without trouble")
  void longStatement() throws SQLException {
    PgException error = fail("SELECT '" + "\"x\"\"".repeat(100_000) + "' FRM t t");
    assertThat(error.sqlState()).isEqualTo("42601");
    assertThat(error).hasMessage("syntax error at or near \"t\"");
    PgException columns = fail("SELECT " + "\"a\"\"b\", ".repeat(50_000) + "1 FROM t");
    assertThat(columns.sqlState()).isEqualTo("54011");
    String value = "x\"y".repeat(1_000);
    database.run("CREATE TABLE long_key (v varchar(4000), CONSTRAINT long_pkey PRIMARY KEY (v))");
    String insert = "INSERT INTO long_key VALUES ('" + value + "')";
    database.run(insert);
    assertThat(failUpdate(insert))
        .hasMessage("duplicate key value violates unique constraint \"long_pkey\"");
  }

  @Test
  @DisplayName("many columns in a key are listed in order")
  void manyColumns() throws SQLException {
    database.run(
        "CREATE TABLE wide (aaaaaaaaaaaaaaaaaaaaaaaa int, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb int,"
            + " cccccccccccccccccccccccccccc int, \"D, e (f) DESC\" int)",
        "CREATE UNIQUE INDEX wide_idx ON wide (aaaaaaaaaaaaaaaaaaaaaaaa DESC,"
            + " bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccccccccccccc NULLS FIRST,"
            + " \"D, e (f) DESC\")",
        "INSERT INTO wide VALUES (1, 2, 3, 4)");
    assertThat(failUpdate("INSERT INTO wide VALUES (1, 2, 3, 4)").detail())
        .isEqualTo(
            "Key (aaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,"
                + " cccccccccccccccccccccccccccc, D, e (f) DESC)=(1, 2, 3, 4) already exists.");
  }

  @Test
  @DisplayName("NaN, for which H2 has no object to give a trigger, is refused by name")
  void notANumber() throws SQLException {
    try (Statement statement = database.admin().createStatement();
        ResultSet row = statement.executeQuery("SELECT CAST('NaN' AS decfloat)")) {
      row.next();
      SQLException error = catchThrowableOfType(SQLException.class, () -> row.getObject(1));
      assertThat(H2Errors.translate(error))
          .hasMessage("numeric values NaN and Infinity are not supported in tables");
    }
  }
}
