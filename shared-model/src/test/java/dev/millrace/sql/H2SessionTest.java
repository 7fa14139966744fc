package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.settings.Settings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("PostgreSQL's SQL runs on a plain H2 database")
class H2SessionTest {

  private H2Database database;
  private SimpleQuerySession session;

  @BeforeEach
  void open() throws SQLException {
    database = new H2Database();
    session = session();
  }

  @AfterEach
  void close() throws SQLException {
    session.close();
    database.close();
  }

  private SimpleQuerySession session() throws SQLException {
    return session(SqlOptions.PLAIN);
  }

  private SimpleQuerySession session(SqlOptions options) throws SQLException {
    Settings settings = SessionSettings.settings();
    return new SimpleQuerySession(
        1, new H2Backend(database.connect(), settings), options, settings);
  }

  private SqlResponse run(String sql) {
    return session.execute(sql, List.of());
  }

  private String command(String sql) {
    List<StatementResult> results = run(sql).results();
    return results.get(results.size() - 1).command();
  }

  private List<List<Object>> rows(String sql) {
    List<StatementResult> results = run(sql).results();
    return results.get(results.size() - 1).rows();
  }

  private Object value(String sql) {
    return rows(sql).get(0).get(0);
  }

  private List<String> columns(String sql) {
    return run(sql).results().get(0).columns().stream().map(ResultColumn::name).toList();
  }

  private void fails(String sqlState, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo(sqlState));
  }

  @Test
  @DisplayName("OVERRIDING says whose value an identity column takes")
  void overriding() {
    run("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, v text)");
    run("INSERT INTO t (id, v) OVERRIDING SYSTEM VALUE VALUES (77, 'mine')");
    run("insert into t (id, v) overriding user value values (78, 'yours')");
    run("insert into t (id, v) overriding system value select 79, 'selected'");
    assertThat(rows("SELECT v, id FROM t ORDER BY id"))
        .containsExactly(List.of("yours", 1), List.of("mine", 77), List.of("selected", 79));
  }

  @Test
  @DisplayName("an assigned generated column is refused as INSERT and UPDATE word it")
  void generatedColumns() {
    run("CREATE TABLE t (id int PRIMARY KEY, d int GENERATED ALWAYS AS (id * 2) STORED)");
    assertThatThrownBy(() -> run("INSERT INTO t VALUES (1, 3)"))
        .hasMessage("cannot insert a non-DEFAULT value into column \"d\"");
    run("INSERT INTO t (id) VALUES (1)");
    assertThatThrownBy(() -> run("UPDATE t SET d = 3"))
        .hasMessage("column \"d\" can only be updated to DEFAULT");
    fails("428C9", () -> run("UPDATE t SET d = 3"));
  }

  @Test
  @DisplayName("text that UTF-8 cannot hold is refused as a parameter, too")
  void parametersOutsideTheEncoding() {
    run("CREATE TABLE t (v text)");
    for (String bad : List.of("a\0b", "\ud800", "\udc00\ud800x")) {
      fails("22021", () -> session.execute("INSERT INTO t VALUES ($1)", List.of(bad)));
    }
    session.execute("INSERT INTO t VALUES ($1)", List.of("\ud83d\ude42"));
    assertThat(rows("SELECT v FROM t")).containsExactly(List.of("\ud83d\ude42"));
  }

  @Test
  @DisplayName("a number longer than numeric can be is refused at once")
  void endlessNumbers() {
    fails("22003", () -> run("SELECT " + "7".repeat(1_000_000)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"repeat('x', 2000000000)", "lpad('x', 99999999999, 'y')", "space(70000000)"})
  @DisplayName("text that would not fit into memory is refused before it is made")
  void endlessText(String call) {
    fails("54000", () -> run("SELECT length(" + call + ")"));
    assertThat(value("SELECT length(repeat('ab', 1000))")).isEqualTo(2000L);
  }

  @Test
  @DisplayName("now() has a time zone")
  void nowHasATimeZone() {
    ResultColumn column = run("SELECT now()").results().get(0).columns().get(0);
    assertThat(column.name()).isEqualTo("now");
    assertThat(column.type()).isEqualTo("timestamptz");
    assertThat((String) value("SELECT now()")).endsWith("+00");
  }

  private List<String> constraints(String table) throws SQLException {
    List<String> names = new ArrayList<>();
    try (Connection connection = database.connect();
        ResultSet rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT CONSTRAINT_NAME FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS WHERE"
                        + " TABLE_NAME = '"
                        + table
                        + "' ORDER BY 1")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  private List<String> indexes(String table) throws SQLException {
    List<String> names = new ArrayList<>();
    try (Connection connection = database.connect();
        ResultSet rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT INDEX_NAME FROM INFORMATION_SCHEMA.INDEXES WHERE TABLE_NAME = '"
                        + table
                        + "' AND IS_GENERATED = FALSE ORDER BY 1")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  @Test
  @DisplayName("command tags are PostgreSQL's")
  void tags() {
    assertThat(command("CREATE TABLE t (id int PRIMARY KEY, v text)")).isEqualTo("CREATE TABLE");
    assertThat(command("INSERT INTO t VALUES (1, 'a'), (2, 'b')")).isEqualTo("INSERT 0 2");
    assertThat(command("UPDATE t SET v = 'x' WHERE id = 1")).isEqualTo("UPDATE 1");
    assertThat(command("SELECT * FROM t")).isEqualTo("SELECT 2");
    assertThat(command("DELETE FROM t")).isEqualTo("DELETE 2");
    assertThat(command("TRUNCATE t")).isEqualTo("TRUNCATE TABLE");
    assertThat(command("CREATE TABLE u AS SELECT 1 AS a")).isEqualTo("SELECT 1");
    assertThat(command("ALTER TABLE t ADD w int")).isEqualTo("ALTER TABLE");
    assertThat(command("CREATE SCHEMA s")).isEqualTo("CREATE SCHEMA");
    assertThat(command("CREATE INDEX ON t (v)")).isEqualTo("CREATE INDEX");
    assertThat(command("VACUUM t")).isEqualTo("VACUUM");
    assertThat(command("DROP TABLE t, u")).isEqualTo("DROP TABLE");
  }

  @Test
  @DisplayName("constraints and indexes without a name get PostgreSQL's")
  void implicitNames() throws SQLException {
    run(
        "CREATE TABLE p (id int PRIMARY KEY, k int UNIQUE, UNIQUE (id, k), CHECK (id > k), CHECK (k"
            + " > 0), w int CHECK (w > 0) CHECK (w < 9))");
    assertThat(constraints("p"))
        .containsExactly(
            "p_check", "p_id_k_key", "p_k_check", "p_k_key", "p_pkey", "p_w_check", "p_w_check1");
    run("CREATE TABLE q (a int, b int REFERENCES p, FOREIGN KEY (a, b) REFERENCES p (id, k))");
    assertThat(constraints("q")).containsExactly("q_a_b_fkey", "q_b_fkey");
    run("CREATE INDEX ON q (a, b); CREATE INDEX ON q (a, b); CREATE UNIQUE INDEX ON q (a)");
    assertThat(indexes("q")).contains("q_a_b_idx", "q_a_b_idx1", "q_a_idx");
  }

  @Test
  @DisplayName("long implicit names are shortened as PostgreSQL shortens them")
  void longNames() throws SQLException {
    String table = "t".repeat(63);
    run("CREATE TABLE " + table + " (" + "c".repeat(63) + " int PRIMARY KEY UNIQUE)");
    assertThat(constraints(table))
        .containsExactly("t".repeat(29) + "_" + "c".repeat(29) + "_key", "t".repeat(58) + "_pkey");
  }

  @Test
  @DisplayName("the key's name of a renamed table is not free: the next gets a number")
  void renamedTable() throws SQLException {
    run("CREATE TABLE t (id int PRIMARY KEY)");
    run("ALTER TABLE t RENAME TO old");
    run("CREATE TABLE t (id int PRIMARY KEY)");
    assertThat(constraints("old")).containsExactly("t_pkey");
    assertThat(constraints("t")).containsExactly("t_pkey1");
    fails("42P07", () -> run("CREATE TABLE t (id int PRIMARY KEY)"));
  }

  @Test
  @DisplayName("ALTER TABLE does several things at once")
  void alterTable() throws SQLException {
    run("CREATE TABLE t (id int, v text); INSERT INTO t VALUES (1, '7')");
    run(
        "ALTER TABLE t ADD PRIMARY KEY (id), ADD COLUMN n int NOT NULL DEFAULT 3 UNIQUE, ALTER v"
            + " TYPE int USING v::int + 1, ADD CHECK (n > 0), ALTER n DROP DEFAULT");
    assertThat(rows("SELECT * FROM t")).containsExactly(List.of(1, 8, 3));
    assertThat(constraints("t")).containsExactly("t_n_check", "t_n_key", "t_pkey");
    run("ALTER TABLE t RENAME COLUMN v TO w; ALTER TABLE t ALTER w SET NOT NULL, DROP COLUMN n");
    fails("23502", () -> run("INSERT INTO t VALUES (2, NULL)"));
    assertThat(columns("SELECT * FROM t")).containsExactly("id", "w");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "SELECT '5'::int8 + 1|6",
        "SELECT CAST('7' AS smallint)|7",
        "SELECT 1.5::numeric(10,2)|1.50",
        "SELECT 'abcdef'::varchar(3)|abc",
        "SELECT '2024-01-01 00:00:00+02'::timestamptz|2023-12-31 22:00:00+00",
        "SELECT timestamptz '2024-01-01 00:00:00+00'|2024-01-01 00:00:00+00",
        "SELECT date '2024-02-29'|2024-02-29",
        "SELECT E'a\\tb\\x41\\u00e9'|a\tbAé",
        "SELECT $q$it's $$$q$|it's $$",
        "SELECT md5('abc')|900150983cd24fb0d6963f7d28e17f72",
        "SELECT '\\xdead'::bytea|\\xdead",
        "SELECT decode('00ff', 'hex')|\\x00ff",
        "SELECT '\\x41'::text|\\x41",
        "SELECT length('\\x41')|4",
        "SELECT sum(i) FROM generate_series(1, 4) i|10",
        "SELECT string_agg(g.n::text, ',' ORDER BY n DESC) FROM generate_series(1, 5, 2) AS g(n)|5,3,1",
        "SELECT pg_catalog.upper('x')|X",
        "SELECT 1 /* a /* b */ ; */ + --;\\n 2|3",
        "SELECT 5 / 2|2",
        "SELECT 'a' ~ '^A'|false",
        "SELECT extract(year from date '2024-01-01')|2024",
        "SELECT count(*) FROM (VALUES (1), (2)) AS v(key)|2"
      })
  @DisplayName("expressions mean what they mean to PostgreSQL")
  void expressions(String sql, String expected) {
    assertThat(String.valueOf(value(sql.replace("\\n", "\n"))))
        .isEqualTo(expected == null ? "" : expected.replace("\\t", "\t"));
  }

  @Test
  @DisplayName("words that only H2 reserves are ordinary names")
  void h2Words() {
    run(
        "CREATE TABLE kv (key text PRIMARY KEY, value int, day date, year int, rownum int, minus"
            + " int, if int)");
    run("INSERT INTO kv (key, value, day, year) VALUES ('a', 1, '2024-05-06', 7)");
    run("UPDATE kv SET value = value + 1, year = 3, if = 4 WHERE key = 'a'");
    assertThat(
            rows(
                "SELECT key, kv.value, extract(month from day)::int AS month, year, rownum, minus"
                    + " FROM kv WHERE value = 2 ORDER BY key, value"))
        .containsExactly(java.util.Arrays.asList("a", 2, 5, 3, null, null));
    assertThat(
            rows(
                "SELECT sum(value) OVER (PARTITION BY key ORDER BY value ROWS UNBOUNDED PRECEDING)"
                    + " FROM kv FETCH FIRST 1 ROWS ONLY"))
        .hasSize(1);
  }

  @Test
  @DisplayName("result columns are named as by PostgreSQL")
  void columnNames() {
    assertThat(
            columns(
                "SELECT count(*), max(i) FILTER (WHERE i > 0), i::text, CAST(i AS int8), 1::int4,"
                    + " upper('x')::varchar, 'a', true, bool 't', CASE WHEN true THEN 1 END, i + 1,"
                    + " i AS x FROM generate_series(1, 2) i GROUP BY i"))
        .containsExactly(
            "count",
            "max",
            "i",
            "i",
            "int4",
            "upper",
            "?column?",
            "bool",
            "bool",
            "case",
            "?column?",
            "x");
    assertThat(columns("VALUES (1, 'a'), (2, 'b')")).containsExactly("column1", "column2");
    assertThat(columns("SELECT * FROM generate_series(1, 2)")).containsExactly("generate_series");
  }

  @Test
  @DisplayName("types, serial, identity and generated columns")
  void columnTypes() {
    run(
        "CREATE TABLE t (id bigserial, s smallserial, g int GENERATED ALWAYS AS IDENTITY (START 5),"
            + " v varchar(9) DEFAULT 'd', c char(3), b bytea, n numeric(6,2), z timestamptz, o timetz,"
            + " f float8, r real, d date, bo bool NOT NULL DEFAULT false, u uuid, x int GENERATED"
            + " ALWAYS AS (s * 2) STORED)");
    run(
        "INSERT INTO t (c, b, n, z, o) VALUES ('a', '\\x00ff', 1.5, '2024-01-01 01:00:00+01',"
            + " '12:00:00+02')");
    List<Object> row = rows("SELECT id, s, g, v, c, b, n, z, o, bo, x FROM t").get(0);
    assertThat(row)
        .containsExactly(
            1L,
            1,
            5,
            "d",
            "a  ",
            "\\x00ff",
            "1.50",
            "2024-01-01 00:00:00+00",
            "12:00:00+02",
            false,
            2);
    assertThat(run("SELECT v, c, id FROM t").results().get(0).columns())
        .extracting(ResultColumn::type)
        .containsExactly("varchar", "bpchar", "int8");
  }

  @Test
  @DisplayName("parameters take the place of $1 ..")
  void parameters() {
    run("CREATE TABLE t (id int, v text)");
    session.execute("INSERT INTO t VALUES ($2, $1)", List.of("x", 5));
    assertThat(
            session.execute("SELECT v FROM t WHERE id = $1", List.of("5")).results().get(0).rows())
        .containsExactly(List.of("x"));
    fails("08P01", () -> session.execute("SELECT $1::int", List.of(1, 2)));
  }

  @Test
  @DisplayName("S16: nothing of a rolled-back transaction is left, savepoints undo their part")
  void transactions() {
    run("CREATE TABLE t (id int PRIMARY KEY)");
    run("BEGIN; INSERT INTO t VALUES (1); SAVEPOINT a; INSERT INTO t VALUES (2)");
    fails("23505", () -> run("INSERT INTO t VALUES (1)"));
    run("ROLLBACK TO a; INSERT INTO t VALUES (3); SAVEPOINT b; INSERT INTO t VALUES (4)");
    run("ROLLBACK TO a; INSERT INTO t VALUES (5); COMMIT");
    assertThat(rows("SELECT id FROM t ORDER BY id")).containsExactly(List.of(1), List.of(5));
    fails("23505", () -> run("INSERT INTO t VALUES (8); INSERT INTO t VALUES (1)"));
    run("BEGIN; INSERT INTO t VALUES (9); ROLLBACK");
    assertThat(rows("SELECT id FROM t ORDER BY id")).containsExactly(List.of(1), List.of(5));
  }

  @Test
  @DisplayName("REPEATABLE READ sees the whole database as of its first statement")
  void repeatableRead() throws SQLException {
    run("CREATE TABLE a (id int); CREATE TABLE b (id int)");
    SimpleQuerySession reader = session();
    reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT * FROM a", List.of());
    run("INSERT INTO b VALUES (1)");
    assertThat(reader.execute("SELECT * FROM b", List.of()).results().get(0).rows()).isEmpty();
    fails("25006", () -> reader.execute("INSERT INTO a VALUES (1)", List.of()));
    reader.execute("ROLLBACK", List.of());
    assertThat(reader.execute("SELECT * FROM b", List.of()).results().get(0).rows()).hasSize(1);
    reader.close();
  }

  @Test
  @DisplayName("after H2 has rolled back a whole transaction the block is failed for good")
  void serializationFailure() throws SQLException {
    run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)");
    SimpleQuerySession other = session();
    run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM t; SAVEPOINT a");
    other.execute("UPDATE t SET v = 2", List.of());
    fails("40001", () -> run("UPDATE t SET v = 3"));
    assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
    fails("40001", () -> run("ROLLBACK TO a"));
    fails("25P02", () -> run("SELECT 1"));
    assertThat(command("COMMIT")).isEqualTo("ROLLBACK");
    assertThat(value("SELECT v FROM t")).isEqualTo(2);
    other.close();
  }

  @Test
  @DisplayName("DDL ends the implicit transaction before it, and is refused in a block")
  void ddl() {
    run("CREATE TABLE t (id int)");
    fails("22012", () -> run("INSERT INTO t VALUES (1); CREATE TABLE u (id int); SELECT 1 / 0"));
    assertThat(rows("SELECT * FROM t")).hasSize(1);
    assertThat(rows("SELECT * FROM u")).isEmpty();
    run("BEGIN; INSERT INTO t VALUES (2)");
    fails("25001", () -> run("CREATE TABLE w (id int)"));
    run("ROLLBACK");
    assertThat(rows("SELECT * FROM t")).hasSize(1);
  }

  @Test
  @DisplayName("IF EXISTS and IF NOT EXISTS tell what was skipped")
  void notices() {
    assertThat(run("DROP TABLE IF EXISTS a, b").notices())
        .extracting(Notice::message)
        .containsExactly(
            "table \"a\" does not exist, skipping", "table \"b\" does not exist, skipping");
    run("CREATE TABLE a (id int PRIMARY KEY); CREATE SCHEMA s");
    assertThat(run("CREATE TABLE IF NOT EXISTS a (x int PRIMARY KEY)").notices())
        .extracting(Notice::message)
        .containsExactly("relation \"a\" already exists, skipping");
    assertThat(run("CREATE SCHEMA IF NOT EXISTS s; DROP SCHEMA IF EXISTS z").notices())
        .extracting(Notice::message)
        .containsExactly(
            "schema \"s\" already exists, skipping", "schema \"z\" does not exist, skipping");
  }

  @Test
  @DisplayName("TRUNCATE follows foreign keys, restarts identities at commit, and can be undone")
  void truncate() {
    run(
        "CREATE TABLE a (id serial PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY, a_id int"
            + " REFERENCES a); INSERT INTO a DEFAULT VALUES; INSERT INTO a DEFAULT VALUES; INSERT"
            + " INTO b VALUES (1, 1)");
    assertThatThrownBy(() -> run("TRUNCATE a"))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("0A000");
              assertThat(e.detail()).isEqualTo("Table \"b\" references \"a\".");
            });
    run("BEGIN; TRUNCATE a, b RESTART IDENTITY; ROLLBACK");
    assertThat(rows("SELECT * FROM a")).hasSize(2);
    run("TRUNCATE a CASCADE; INSERT INTO a DEFAULT VALUES");
    assertThat(value("SELECT id FROM a")).isEqualTo(3);
    assertThat(rows("SELECT * FROM b")).isEmpty();
    run("TRUNCATE a, b RESTART IDENTITY");
    run("INSERT INTO a DEFAULT VALUES");
    assertThat(value("SELECT id FROM a")).isEqualTo(1);
    fails("42P01", () -> run("TRUNCATE nothing"));
  }

  @Test
  @DisplayName("CREATE TABLE AS leaves no table when its query fails")
  void createTableAsFails() {
    fails(
        "22012",
        () -> run("CREATE TABLE t AS SELECT 1 / (i - 1) AS x FROM generate_series(1, 2) i"));
    fails("42P01", () -> run("SELECT * FROM t"));
    run("CREATE TABLE t (a, b) AS VALUES (1, 'x'), (2, 'y')");
    assertThat(rows("SELECT a, b FROM t ORDER BY a"))
        .containsExactly(List.of(1, "x"), List.of(2, "y"));
  }

  @Test
  @DisplayName("a default that looks like bytea is text in a text column")
  void byteaDefaults() {
    run("CREATE TABLE t (id int, v text DEFAULT '\\x41', b bytea DEFAULT '\\x41')");
    run("INSERT INTO t (id) VALUES (1)");
    assertThat(rows("SELECT v, b FROM t WHERE b = '\\x41'"))
        .containsExactly(List.of("\\x41", "\\x41"));
  }

  @Test
  @DisplayName("ctid picks one of several equal rows")
  void ctid() {
    run("CREATE TABLE f (a int); INSERT INTO f VALUES (3), (3)");
    assertThat(command("DELETE FROM f WHERE ctid = (SELECT min(ctid) FROM f WHERE a = 3)"))
        .isEqualTo("DELETE 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE \"We\"\"ird.T\" (\"a b\" int PRIMARY KEY, \"SELECT\" text, Ünï int, x$y int)",
        "CREATE TABLE \"tab'le\" (a int PRIMARY KEY)",
        "CREATE SCHEMA \"flobble-biscuits?whatisthetime/hahahaha\"",
        "CREATE TABLE z ()"
      })
  @DisplayName("odd names pass")
  void oddNames(String sql) {
    run(sql);
  }

  @Test
  @DisplayName("the row number column is there only when asked for, and out of sight")
  void rowIdColumn() throws SQLException {
    SimpleQuerySession node = session(SqlOptions.PLAIN.withRowIdColumn());
    node.execute(
        "CREATE TABLE t (a int, b text); CREATE TABLE k (a int PRIMARY KEY); CREATE TABLE c AS"
            + " SELECT 1 AS x; INSERT INTO t VALUES (1, 'x')",
        List.of());
    assertThat(columns("SELECT * FROM t")).containsExactly("a", "b");
    assertThat(value("SELECT \"$rid\" FROM t")).isEqualTo(1L);
    assertThat(value("SELECT \"$rid\" FROM c")).isEqualTo(1L);
    fails("42703", () -> run("SELECT \"$rid\" FROM k"));
    for (String write :
        List.of(
            "ALTER TABLE t DROP COLUMN \"$rid\"",
            "ALTER TABLE t RENAME COLUMN \"$rid\" TO r",
            "ALTER TABLE k ADD COLUMN \"$rid\" int",
            "CREATE TABLE u (\"$rid\" int)",
            "UPDATE t SET \"$rid\" = 7",
            "INSERT INTO t (a, \"$rid\") OVERRIDING SYSTEM VALUE VALUES (3, 7)")) {
      fails("42939", () -> node.execute(write, List.of()));
    }
    node.execute("ALTER TABLE t ADD PRIMARY KEY (a); INSERT INTO t VALUES (2, 'y')", List.of());
    assertThat(rows("SELECT * FROM t ORDER BY a")).hasSize(2);
    node.close();
  }

  private RelationDefinition definition(QualifiedName table) {
    try (Connection connection = database.connect()) {
      AtomicInteger oids = new AtomicInteger(16384);
      return H2Schema.read(connection, table, null, name -> null, oids::getAndIncrement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("knowing the tables: bytea constants by column, missing values, indexes of a column")
  void withRelations() throws SQLException {
    SimpleQuerySession node = session(SqlOptions.PLAIN.withRelations(this::definition));
    node.execute(
        "CREATE TABLE t (id int PRIMARY KEY, b bytea, v text DEFAULT 'd', w int DEFAULT 5, UNIQUE"
            + " (id, w)); INSERT INTO t VALUES (1, 'a\\\\b\\001'), (2, '\\x4142'); INSERT INTO t"
            + " VALUES (3, NULL, '\\x4142')",
        List.of());
    assertThat(rows("SELECT id, b, v, w FROM t ORDER BY id"))
        .containsExactly(
            List.of(1, "\\x615c6201", "d", 5),
            List.of(2, "\\x4142", "d", 5),
            java.util.Arrays.asList(3, null, "\\x4142", 5));
    node.execute("UPDATE t SET b = '\\x00', v = '\\x00' WHERE id = 3", List.of());
    assertThat(rows("SELECT b, v FROM t WHERE id = 3")).containsExactly(List.of("\\x00", "\\x00"));
    fails("22P02", () -> node.execute("UPDATE t SET b = '\\9'", List.of()));
    node.execute("ALTER TABLE t DROP COLUMN w", List.of());
    assertThat(constraints("t")).containsExactly("t_pkey");
    node.close();
  }

  @Test
  @DisplayName("statement_timeout and lock_timeout of the session hold")
  void timeouts() throws SQLException {
    run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
    SimpleQuerySession other = session();
    other.execute("BEGIN; UPDATE t SET id = 2", List.of());
    run("SET lock_timeout = '20ms'");
    fails("55P03", () -> run("UPDATE t SET id = 3"));
    run("SET lock_timeout = 0; SET statement_timeout = '30ms'");
    fails("57014", () -> run("UPDATE t SET id = 3"));
    other.close();
  }

  @Test
  @DisplayName("a statement nested beyond all measure is an error, and the session goes on")
  void deepNesting() {
    String nested = "SELECT " + "(".repeat(50_000) + "1" + ")".repeat(50_000);
    fails("54001", () -> run(nested));
    assertThat(value("SELECT 1")).isEqualTo(1);
    String sum = "SELECT 1" + " + 1".repeat(2_000);
    assertThat(value(sum)).isEqualTo(2_001);
  }
}
