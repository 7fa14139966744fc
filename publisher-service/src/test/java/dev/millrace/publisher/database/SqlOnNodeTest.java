package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.publisher.wal.WalRecordType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQL as people type it for PostgreSQL, on the whole node (N10, N11). */
class SqlOnNodeTest {

  @TempDir Path directory;
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open(directory);
  }

  @AfterEach
  void close() {
    node.close();
  }

  private List<String> indexes(String table) {
    return node.table(table).indexes().stream().map(IndexDefinition::name).sorted().toList();
  }

  @Test
  @DisplayName("implicit names are PostgreSQL's; taken ones get a number")
  void implicitNames() {
    node.run("CREATE TABLE t (id int PRIMARY KEY, k int NOT NULL UNIQUE, v text)");
    node.run("CREATE INDEX ON t (v); CREATE INDEX ON t (v)");
    assertThat(indexes("t")).containsExactly("t_k_key", "t_pkey", "t_v_idx", "t_v_idx1");
    node.run("ALTER TABLE t RENAME TO old; CREATE TABLE t (id int PRIMARY KEY)");
    assertThat(indexes("t")).containsExactly("t_pkey1");
    assertThat(indexes("old")).contains("t_pkey");
    node.run("ALTER TABLE old REPLICA IDENTITY USING INDEX t_k_key");
    assertThat(node.table("old").identityIndex().name()).isEqualTo("t_k_key");
  }

  @Test
  @DisplayName("CREATE TABLE AS is DDL and then captured rows")
  void createTableAs() {
    node.run("CREATE TABLE src (id int PRIMARY KEY, v text)");
    node.run("INSERT INTO src VALUES (1, 'a'), (2, 'b')");
    long start = node.log().insertLsn();
    node.run("CREATE TABLE copy AS SELECT id, v, count(*) FROM src GROUP BY id, v");
    assertThat(node.rows("SELECT id, v, count FROM copy ORDER BY id"))
        .containsExactly("1|a|1", "2|b|1");
    assertThat(node.logFrom(start).of(WalRecordType.INSERT)).hasSize(2);
    assertThat(node.table("copy").columns())
        .extracting(ColumnDefinition::name)
        .containsExactly("id", "v", "count");
  }

  @Test
  @DisplayName("missing values, bytea constants and the tables of pgbench")
  void values() {
    node.run("CREATE TABLE t (id serial PRIMARY KEY, b bytea, v text DEFAULT 'd')");
    node.run("INSERT INTO t VALUES (7, '\\x00ff'); INSERT INTO t (v) VALUES ('\\x41')");
    assertThat(node.rows("SELECT id, b, v FROM t ORDER BY id"))
        .containsExactly("1|null|\\x41", "7|\\x00ff|d");
    node.run(
        "create table pgbench_accounts(aid    int not null,bid int,abalance int,filler char(84))"
            + " with (fillfactor=100); alter table pgbench_accounts add primary key (aid)");
    node.run(
        "insert into pgbench_accounts select aid, (aid - 1) / 100000 + 1, 0, '' from"
            + " generate_series(1, 10) as aid");
    node.run("UPDATE pgbench_accounts SET abalance = abalance + -5 WHERE aid = 1");
    assertThat(node.rows("SELECT abalance FROM pgbench_accounts WHERE aid = 1"))
        .containsExactly("-5");
  }

  @Test
  @DisplayName("one ALTER TABLE with several actions makes one new version")
  void alterTable() {
    node.run("CREATE TABLE t (id int, a text, b int, UNIQUE (a, b))");
    node.run("INSERT INTO t VALUES (1, '5', 2)");
    int version = node.table("t").version();
    node.run(
        "ALTER TABLE t ADD PRIMARY KEY (id), DROP COLUMN b, ALTER a TYPE int USING a::int, ADD c"
            + " int NOT NULL DEFAULT 9");
    assertThat(node.table("t").version()).isEqualTo(version + 1);
    assertThat(indexes("t")).containsExactly("t_pkey");
    assertThat(node.rows("SELECT * FROM t")).containsExactly("1|5|9");
  }

  @Test
  @DisplayName("types that H2 lacks are kept as PostgreSQL prints them, wherever values come from")
  void textTypes() {
    node.run(
        "CREATE TABLE x (id int PRIMARY KEY, j jsonb DEFAULT '{\"d\":1}', i interval day to"
            + " second(1), a varchar(3)[], n int[], b bit(3), w inet)");
    node.run(
        "INSERT INTO x VALUES (1, '[1,2]', '1 day 1.26 s', '{ab,\"c d\"}', ARRAY[1,2], B'101',"
            + " '10.0.0.1/32')");
    node.run("INSERT INTO x (id, n) SELECT 2, ARRAY[[1,2],[3,4]]");
    node.run("UPDATE x SET i = interval '1 hour' + interval '30 min', a = '{}' WHERE id = 2");
    assertThat(node.rows("SELECT * FROM x ORDER BY id"))
        .containsExactly(
            "1|[1, 2]|1 day 00:00:01.3|{ab,\"c d\"}|{1,2}|101|10.0.0.1",
            "2|{\"d\": 1}|01:30:00|{}|{{1,2},{3,4}}|null|null");
    assertThat(node.run("SELECT * FROM x").results().get(0).columns())
        .extracting(dev.millrace.sql.ResultColumn::type)
        .containsExactly("int4", "jsonb", "interval", "_varchar", "_int4", "bit", "inet");
    node.run("ALTER TABLE x ADD COLUMN j2 jsonb DEFAULT '{\"b\":1,\"a\":2}'");
    assertThat(node.rows("SELECT j2 FROM x WHERE id = 1")).containsExactly("{\"a\": 2, \"b\": 1}");
    node.run("ALTER TABLE x ADD COLUMN c interval, DROP COLUMN j, DROP COLUMN j2");
    node.run("INSERT INTO x (id, c) VALUES (3, '48 hours')");
    node.run("UPDATE x SET n = n WHERE id = 2");
    assertThat(node.rows("SELECT n, c FROM x WHERE id > 1 ORDER BY id"))
        .containsExactly("{{1,2},{3,4}}|null", "null|48:00:00");
    assertThat(node.rows("SELECT id FROM x WHERE n = '{1, 2}'::int[]")).containsExactly("1");
    assertThatThrownBy(() -> node.run("INSERT INTO x (id, a) VALUES (4, '{abcd}')"))
        .hasMessage("value too long for type character varying(3)");
    assertThatThrownBy(() -> node.run("UPDATE x SET n = '{1' WHERE id = 1"))
        .hasMessage("malformed array literal: \"{1\"");
  }

  @Test
  @DisplayName("enums and domains hold their columns to what they allow, also after a restart")
  void userTypes() {
    node.run("CREATE TYPE mood AS ENUM ('sad', 'it''s, ok')");
    node.run("CREATE SCHEMA s; CREATE DOMAIN s.posint AS int DEFAULT 7 CHECK (VALUE > 0)");
    node.run("CREATE DOMAIN moody AS mood; CREATE DOMAIN doc AS jsonb NOT NULL");
    node.run("CREATE TABLE u (id int PRIMARY KEY, m mood, p s.posint, d moody, j doc)");
    node.run("INSERT INTO u VALUES (1, 'sad', 5, 'it''s, ok', '{\"b\":1,\"a\":2}')");
    assertThatThrownBy(() -> node.run("UPDATE u SET m = 'Sad'"))
        .hasMessage("invalid input value for enum mood: \"Sad\"");
    assertThatThrownBy(() -> node.run("UPDATE u SET d = 'glad'"))
        .hasMessage("invalid input value for enum mood: \"glad\"");
    assertThatThrownBy(() -> node.run("UPDATE u SET p = 0"))
        .hasMessage("value for domain posint violates check constraint \"posint_check\"");
    assertThatThrownBy(() -> node.run("UPDATE u SET j = NULL"))
        .hasMessage("domain doc does not allow null values");
    assertThatThrownBy(() -> node.run("DROP TYPE mood")).hasMessageContaining("depend");
    int oid = node.table("u").columns().get(1).typeOid();
    node.run("ALTER TYPE mood ADD VALUE 'glad' BEFORE 'sad'");
    node.run("UPDATE u SET m = 'glad'::mood");
    assertThatThrownBy(() -> node.run("ALTER SCHEMA s RENAME TO t"))
        .hasMessageContaining("enums or domains");
    node.close();
    node = TestNode.open(directory);
    node.run("UPDATE u SET d = 'glad'");
    assertThat(node.rows("SELECT * FROM u")).containsExactly("1|glad|5|glad|{\"a\": 2, \"b\": 1}");
    assertThat(node.run("SELECT m, p, j FROM u").results().get(0).columns())
        .extracting(dev.millrace.sql.ResultColumn::type)
        .containsExactly("mood", "posint", "doc");
    ColumnDefinition mood = node.table("u").columns().get(1);
    assertThat(mood.typeOid()).isEqualTo(oid);
    assertThat(mood.userType().shown()).isEqualTo("mood");
    assertThat(node.table("u").columns().get(2).userType().shown()).isEqualTo("s.posint");
    assertThat(
            node.catalog().current().types().get(mood.userType().announced()).labels().stream()
                .map(dev.millrace.model.TypeDefinition.Label::text))
        .containsExactly("glad", "sad", "it's, ok");
    node.run("DROP TABLE u; DROP DOMAIN moody; DROP TYPE mood");
    assertThat(node.catalog().current().types().keySet())
        .extracting(dev.millrace.model.QualifiedName::name)
        .containsExactlyInAnyOrder("posint", "doc");
  }

  @Test
  @DisplayName("DEFAULT draws an identity value in UPDATE too, numbers too large are refused")
  void constants() {
    node.run(
        "CREATE TABLE t (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, r real, d float)");
    node.run("INSERT INTO t (r) VALUES (1), (1e38)");
    node.run("UPDATE t SET id = DEFAULT, r = 3 WHERE id = 1");
    assertThat(node.rows("SELECT id, r FROM t ORDER BY id")).containsExactly("2|1e+38", "3|3");
    for (String statement :
        java.util.List.of(
            "INSERT INTO t (r) VALUES (-1e39)",
            "INSERT INTO t VALUES (9, 1, 1e309)",
            "UPDATE t SET d = 1e400",
            "SELECT '1e400'::float8")) {
      assertThatThrownBy(() -> node.run(statement))
          .isInstanceOfSatisfying(
              dev.millrace.model.PgException.class,
              e -> assertThat(e.sqlState()).isEqualTo("22003"));
    }
    node.run("UPDATE t SET d = 'Infinity'");
    assertThat(node.rows("SELECT d FROM t")).containsOnly("Infinity");
  }

  @Test
  @DisplayName("virtual generated columns are computed, and have no value in the log")
  void virtualColumns() {
    node.run("CREATE TABLE v (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2))");
    node.run("COMMENT ON COLUMN v.b IS 'twice'");
    long start = node.log().insertLsn();
    node.run("INSERT INTO v (id, a) VALUES (1, 4)");
    assertThat(node.rows("SELECT b FROM v")).containsExactly("8");
    assertThat(node.table("v").columns().get(2).generated()).isEqualTo('v');
    assertThat(node.logFrom(start).of(WalRecordType.INSERT).toString()).contains("N(1,4,n)");
  }

  @Test
  @DisplayName("constants are read as PostgreSQL reads them for the column's type")
  void constantsOfColumns() {
    node.run(
        "CREATE TABLE x (id int PRIMARY KEY, tz timestamptz, ts timestamp, t time, u uuid, v"
            + " varchar(3), b boolean)");
    node.run(
        "INSERT INTO x VALUES (1, '2020-01-01 00:00+05:30', '2020-01-05 10:00+05', '12:34 PM',"
            + " '{a0eebc999c0b4ef8bb6d6bb9bd380a11}', 'abc   ', 'on')");
    node.run(
        "INSERT INTO x (id, ts, b) VALUES (1, 'epoch', 'off') ON CONFLICT (id) DO UPDATE SET ts ="
            + " EXCLUDED.ts, t = '1:00 pm', b = 'off'");
    assertThat(node.rows("SELECT * FROM x"))
        .containsExactly(
            "1|2019-12-31 18:30:00+00|1970-01-01 00:00:00|13:00:00"
                + "|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|abc|false");
    assertThat(
            node.rows(
                "SELECT 'Jan 5 2020'::date, CAST('2020-01-05 EST' AS date), timestamp with time"
                    + " zone '2020-01-05 10:00+05', time with time zone '10:00-05:30'"))
        .containsExactly("2020-01-05|2020-01-05|2020-01-05 05:00:00+00|10:00:00-05:30");
    assertThat(
            node.rows(
                "SELECT interval '1' day, INTERVAL '-90' MINUTE, timestamp '2020-01-05 10:00' +"
                    + " interval '2' hour"))
        .containsExactly("1 day|-01:30:00|2020-01-05 12:00:00");
    assertThatThrownBy(() -> node.run("UPDATE x SET b = 1"))
        .hasMessage("column \"b\" is of type boolean but expression is of type integer");
    assertThatThrownBy(() -> node.run("INSERT INTO x VALUES (2, NULL, NULL, NULL, NULL, 'abcd')"))
        .hasMessage("value too long for type character varying(3)");
  }

  @Test
  @DisplayName("ANY and ALL compare with the elements of an array that is written out")
  void quantifiedArrays() {
    node.run("CREATE TABLE x (id int PRIMARY KEY, k text, a int[])");
    node.run("INSERT INTO x VALUES (1, 'a', '{1}'), (2, 'b', '{1}'), (3, 'c', NULL)");
    for (String condition :
        List.of(
            "id = ANY ('{1,2}')",
            "id = SOME (ARRAY[1, id - 1, 2])",
            "id = ANY (ARRAY['1', '2']::int[])",
            "id = ANY (SELECT id FROM x WHERE k < 'c')",
            "k <> ALL ('{c,d}'::text[])",
            "id < ALL (ARRAY[3, 4])",
            "id < ANY (ARRAY[3, 0]::bigint[])",
            "id <> ALL ('{}') AND id < 3")) {
      assertThat(node.rows("SELECT id FROM x WHERE " + condition + " ORDER BY id"))
          .as(condition)
          .containsExactly("1", "2");
    }
    assertThat(node.rows("SELECT id FROM x WHERE id = ANY ('{}') OR id <> ALL ('{7,NULL}')"))
        .isEmpty();
    assertThatThrownBy(() -> node.run("SELECT 1 FROM x WHERE 1 = ANY (a)"))
        .hasMessage("ANY and ALL over an array that is not written out are not supported");
  }

  @Test
  @DisplayName("a domain's violations name the domain, also after a restart; types in use stay")
  void domains() {
    node.run(
        "CREATE DOMAIN pos AS int CHECK (VALUE > 0) CONSTRAINT \"it's even\" CHECK (VALUE % 2 = 0);"
            + " CREATE DOMAIN em AS text NOT NULL; CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE"
            + " TABLE x (id int PRIMARY KEY, p pos, e em, m mood, n mood)");
    node.close();
    node = TestNode.open(directory);
    refused(
        "INSERT INTO x VALUES (1, -2, 'e')",
        "23514",
        "value for domain pos violates check constraint \"pos_check\"");
    refused(
        "INSERT INTO x VALUES (1, 1, 'e')",
        "23514",
        "value for domain pos violates check constraint \"it's even\"");
    refused("INSERT INTO x VALUES (1, 2)", "23502", "domain em does not allow null values");
    node.run("INSERT INTO x VALUES (1, NULL, 'e', 'ok')");
    refused(
        "UPDATE x SET p = 0 - 4",
        "23514",
        "value for domain pos violates check constraint \"pos_check\"");
    assertThatThrownBy(() -> node.run("DROP TYPE mood"))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("2BP01");
              assertThat(e.detail())
                  .isEqualTo(
                      "column m of table x depends on type mood\n"
                          + "column n of table x depends on type mood");
            })
        .hasMessage("cannot drop type mood because other objects depend on it");
    refused("SELECT '\\xG1'::bytea", "22023", "invalid hexadecimal digit: \"G\"");
    node.run("DROP TABLE x; DROP TYPE mood; DROP DOMAIN em, pos");
  }

  private void refused(String sql, String state, String message) {
    assertThatThrownBy(() -> node.run(sql))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo(state))
        .hasMessage(message);
  }
}
