package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.sql.ParsedStatement.AlterReplicaIdentity;
import dev.millrace.sql.ParsedStatement.Ddl;
import dev.millrace.sql.ParsedStatement.Dml;
import dev.millrace.sql.ParsedStatement.Query;
import dev.millrace.sql.ParsedStatement.SetParameter;
import dev.millrace.sql.ParsedStatement.Show;
import dev.millrace.sql.ParsedStatement.TransactionControl;
import dev.millrace.sql.ParsedStatement.Truncate;
import dev.millrace.sql.TransactionBackend.IsolationLevel;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Statements are told apart by their text")
class SqlParserTest {

  static ParsedStatement one(String sql) {
    List<ParsedStatement> statements = SqlParser.parse(sql);
    assertThat(statements).hasSize(1);
    return statements.get(0);
  }

  static QualifiedName table(String name) {
    return new QualifiedName("public", name);
  }

  @Test
  @DisplayName("a call is split at semicolons outside strings, names and comments")
  void splits() {
    String sql =
        "; SELECT ';', \"a;b\" FROM t /* ; /* ; */ */ ;-- ;\nINSERT INTO t VALUES ($$;$$);;  ";
    assertThat(SqlParser.parse(sql))
        .extracting(ParsedStatement::original)
        .containsExactly("SELECT ';', \"a;b\" FROM t", "INSERT INTO t VALUES ($$;$$)");
    assertThat(SqlParser.parse(" ; -- nothing\n ;")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BEGIN|BEGIN",
        "begin work|BEGIN",
        "BEGIN TRANSACTION|BEGIN",
        "START TRANSACTION|BEGIN",
        "COMMIT|COMMIT",
        "END|COMMIT",
        "COMMIT WORK AND NO CHAIN|COMMIT",
        "ROLLBACK|ROLLBACK",
        "ABORT TRANSACTION|ROLLBACK",
        "SAVEPOINT a|SAVEPOINT",
        "ROLLBACK TO a|ROLLBACK_TO",
        "ROLLBACK WORK TO SAVEPOINT a|ROLLBACK_TO",
        "RELEASE a|RELEASE",
        "RELEASE SAVEPOINT a|RELEASE",
        "PREPARE TRANSACTION 'g'|PREPARE_TRANSACTION",
        "COMMIT PREPARED 'g'|COMMIT_PREPARED",
        "ROLLBACK PREPARED 'g'|ROLLBACK_PREPARED",
        "SET TRANSACTION READ ONLY|SET_TRANSACTION"
      })
  @DisplayName("transaction control in all spellings")
  void transactionControl(String sql, TransactionControl.Kind kind) {
    assertThat(one(sql))
        .isInstanceOfSatisfying(
            TransactionControl.class, control -> assertThat(control.kind()).isEqualTo(kind));
  }

  @Test
  @DisplayName("BEGIN takes its modes in any order, as a table synchronization writes them")
  void transactionModes() {
    TransactionControl control =
        (TransactionControl) one("BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ");
    assertThat(control.isolation()).isEqualTo(IsolationLevel.REPEATABLE_READ);
    assertThat(control.readOnly()).isTrue();
    control =
        (TransactionControl) one("START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE");
    assertThat(control.isolation()).isEqualTo(IsolationLevel.SERIALIZABLE);
    assertThat(control.readOnly()).isFalse();
    assertThat(((TransactionControl) one("COMMIT AND CHAIN")).chain()).isTrue();
  }

  @Test
  @DisplayName("INSERT: target, and whether it may add several rows")
  void insert() {
    Dml single = (Dml) one("INSERT INTO t VALUES (1, (2))");
    assertThat(single.target()).isEqualTo(table("t"));
    assertThat(single.inserts()).isTrue();
    assertThat(single.mayInsertMany()).isFalse();
    assertThat(((Dml) one("INSERT INTO \"S\".\"T\" (a) VALUES (1), (2)")).mayInsertMany()).isTrue();
    assertThat(((Dml) one("INSERT INTO \"S\".\"T\" (a) VALUES (1), (2)")).target())
        .isEqualTo(new QualifiedName("S", "T"));
    assertThat(((Dml) one("INSERT INTO t SELECT * FROM u")).mayInsertMany()).isTrue();
    assertThat(((Dml) one("INSERT INTO t DEFAULT VALUES")).mayInsertMany()).isFalse();
  }

  @Test
  @DisplayName("UPDATE, DELETE and MERGE: target and kinds of change")
  void otherDml() {
    Dml update = (Dml) one("UPDATE ONLY Tab AS x SET a = 1 WHERE x.b = 2");
    assertThat(update.target()).isEqualTo(table("tab"));
    assertThat(update.updates()).isTrue();
    assertThat(update.h2Sql()).isEqualTo("UPDATE  Tab AS x SET a = 1 WHERE x.b = 2");
    Dml delete = (Dml) one("DELETE FROM t");
    assertThat(delete.deletes()).isTrue();
    Dml merge =
        (Dml)
            one(
                "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT"
                    + " MATCHED THEN INSERT (id) VALUES (u.id)");
    assertThat(merge.inserts()).isTrue();
    assertThat(merge.updates()).isTrue();
    assertThat(merge.deletes()).isFalse();
    assertThat(merge.mayInsertMany()).isTrue();
  }

  @Test
  @DisplayName("TRUNCATE in every form")
  void truncate() {
    assertThat(one("TRUNCATE TABLE ONLY a, s.b RESTART IDENTITY CASCADE"))
        .isEqualTo(
            new Truncate(
                "TRUNCATE TABLE ONLY a, s.b RESTART IDENTITY CASCADE",
                List.of(table("a"), new QualifiedName("s", "b")),
                true,
                true));
    Truncate plain = (Truncate) one("TRUNCATE a CONTINUE IDENTITY RESTRICT");
    assertThat(plain.cascade()).isFalse();
    assertThat(plain.restartIdentity()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DEFAULT|DEFAULT|",
        "FULL|FULL|",
        "NOTHING|NOTHING|",
        "USING INDEX \"I x\"|INDEX|I x"
      })
  @DisplayName("ALTER TABLE .. REPLICA IDENTITY")
  void replicaIdentity(String text, ReplicaIdentity identity, String index) {
    AlterReplicaIdentity parsed =
        (AlterReplicaIdentity) one("ALTER TABLE ONLY s.t REPLICA IDENTITY " + text);
    assertThat(parsed.table()).isEqualTo(new QualifiedName("s", "t"));
    assertThat(parsed.identity()).isEqualTo(identity);
    assertThat(parsed.indexName()).isEqualTo(index);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "SET a = 64MB|a|?",
        "SET Work_Mem TO '64MB'|work_mem|64MB",
        "SET LOCAL a = on|a|on",
        "SET SESSION a TO -5|a|-5",
        "SET a.b = 'x', y|a.b|x, y",
        "SET TIME ZONE 'UTC'|timezone|UTC",
        "RESET a|a|",
        "SET a TO DEFAULT|a|"
      })
  @DisplayName("SET and RESET")
  void settings(String sql, String name, String value) {
    if ("?".equals(value)) {
      assertThatThrownBy(() -> one(sql)).isInstanceOf(PgException.class);
      return;
    }
    SetParameter set = (SetParameter) one(sql);
    assertThat(set.name()).isEqualTo(name);
    assertThat(set.value()).isEqualTo(value);
    assertThat(set.local()).isEqualTo(sql.contains("LOCAL"));
  }

  @Test
  @DisplayName("SHOW")
  void show() {
    assertThat(((Show) one("SHOW ALL")).name()).isEqualTo("all");
    assertThat(((Show) one("show Wal_Level")).name()).isEqualTo("wal_level");
    assertThat(((Show) one("SHOW TRANSACTION ISOLATION LEVEL")).name())
        .isEqualTo("transaction_isolation");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "SELEC 1|syntax error at or near \"SELEC\"|1",
        "INSERT INTO|syntax error at end of input|12",
        "INSERT t VALUES (1)|syntax error at or near \"t\"|8",
        "TRUNCATE a b|syntax error at or near \"b\"|12",
        "SELECT 1; DROP 5|syntax error at or near \"5\"|16",
        "SELECT 'é', 'x|unterminated quoted string at or near \"'x\"|13",
        "SELECT /* x|unterminated /* comment at or near \"/* x\"|8",
        "SELECT \"a|unterminated quoted identifier at or near \"\"a\"|8",
        "SELECT $a$ x|unterminated dollar-quoted string at or near \"$a$ x\"|8",
        "SELECT 1a|trailing junk after numeric literal at or near \"1a\"|8",
        "SELECT {fn now()}|syntax error at or near \"{\"|8",
        "CREATE TABLE t (a int|syntax error at end of input|22",
        "CREATE TABLE t (a int,)|syntax error at or near \")\"|23",
        "DELETE FROM t LIMIT 1|syntax error at or near \"LIMIT\"|15"
      })
  @DisplayName("a syntax error says where it is")
  void syntaxErrors(String sql, String message, int position) {
    assertThatThrownBy(() -> SqlParser.parse(sql))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("42601");
              assertThat(e.getMessage()).isEqualTo(message);
              assertThat(e.position()).isEqualTo(position);
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO t VALUES (1) RETURNING old.a",
        "INSERT INTO t VALUES (1) RETURNING (SELECT 1)",
        "INSERT INTO t VALUES (1) ON CONFLICT (lower(a)) DO NOTHING",
        "INSERT INTO t SELECT 1 ON CONFLICT (a) WHERE a > 1 DO UPDATE SET b = 1",
        "DELETE FROM t USING u WHERE t.a = u.a",
        "UPDATE t SET a = 1 FROM u RETURNING *",
        "WITH x AS (DELETE FROM t) SELECT 1",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
        "SELECT a -> 'b' FROM t",
        "SELECT 1 INTO x",
        "SELECT * FROM t FOR SHARE",
        "SELECT generate_series(1, 3)",
        "SELECT xmin FROM t",
        "CREATE TEMP TABLE t (a int)",
        "CREATE UNLOGGED TABLE t (a int)",
        "CREATE TABLE t (a xml)",
        "SELECT a[1] FROM t",
        "SELECT now() + interval '1 mon 1 day'",
        "CREATE TABLE t (a int) PARTITION BY RANGE (a)",
        "CREATE TABLE t PARTITION OF u FOR VALUES IN (1)",
        "CREATE TABLE t (a int) INHERITS (u)",
        "CREATE TABLE t (LIKE u)",
        "CREATE TABLE t (a int REFERENCES u DEFERRABLE INITIALLY DEFERRED)",
        "CREATE INDEX ON t (lower(a))",
        "CREATE INDEX ON t (a) WHERE a > 0",
        "CREATE INDEX ON t USING gin (a)",
        "CREATE TYPE pair AS (a int)",
        "CREATE TYPE r AS RANGE (subtype = int)",
        "ALTER TYPE mood RENAME VALUE 'a' TO 'b'",
        "ALTER TYPE mood RENAME TO humour",
        "ALTER DOMAIN d SET NOT NULL",
        "DROP TYPE mood CASCADE",
        "CREATE FUNCTION f() RETURNS int AS 'x'",
        "CREATE TRIGGER t AFTER INSERT ON t EXECUTE FUNCTION f()",
        "CREATE ROLE r",
        "CREATE EXTENSION hstore",
        "CREATE MATERIALIZED VIEW v AS SELECT 1",
        "ALTER TABLE t SET SCHEMA s",
        "ALTER TABLE t OWNER TO x",
        "COPY t FROM STDIN",
        "DO $$ BEGIN END $$",
        "EXPLAIN SELECT 1",
        "LOCK TABLE t",
        "PREPARE x AS SELECT 1",
        "EXECUTE x",
        "EXECUTE IMMEDIATE 'SELECT 1'",
        "SET ROLE x",
        "CREATE PUBLICATION p FOR ALL TABLES EXCEPT (TABLE t)",
        "CREATE PUBLICATION p FOR ALL SEQUENCES",
        "CREATE SUBSCRIPTION s SERVER x PUBLICATION p"
      })
  @DisplayName("what the embedded database cannot do is refused by name with 0A000")
  void refused(String sql) {
    assertThatThrownBy(() -> SqlParser.parse(sql))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("0A000");
              assertThat(e.getMessage()).contains("not supported");
              assertThat(e.position()).isPositive();
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SCRIPT TO 'x'",
        "RUNSCRIPT FROM 'x'",
        "BACKUP TO 'x'",
        "SHUTDOWN",
        "CREATE ALIAS f FOR 'java.lang.System.exit'",
        "DROP ALL OBJECTS",
        "PREPARE COMMIT x",
        "SET AUTOCOMMIT OFF",
        "SET @x = 1",
        "SELECT @x",
        "SELECT CSVREAD('/etc/passwd')",
        "SELECT FILE_READ('/etc/passwd')",
        "SELECT FILE_WRITE('a', 'b')",
        "SELECT * FROM CSVREAD('/etc/passwd')",
        "CALL LINK_SCHEMA('a', 'b', 'c', 'd', 'e', 'f')",
        "SELECT * FROM LINK_SCHEMA('a', 'b', 'c', 'd', 'e', 'f')",
        "INSERT INTO t DIRECT SELECT 1",
        "MERGE INTO t KEY (a) VALUES (1)",
        "CREATE USER x PASSWORD 'y' ADMIN",
        "CREATE LINKED TABLE x('a','b','c','d','e')",
        "CREATE CACHED TABLE x(a int)",
        "CREATE TABLE t (a int) ENGINE \"x\"",
        "ALTER SYSTEM SET x = 1",
        "HELP",
        "SELECT ?"
      })
  @DisplayName("statements only H2 knows do not reach it")
  void h2Only(String sql) {
    assertThatThrownBy(() -> SqlParser.parse(sql)).isInstanceOf(PgException.class);
  }

  @Test
  @DisplayName("the node's own schemas are closed to every write")
  void systemSchemas() {
    for (String sql :
        List.of(
            "DELETE FROM millrace.applied",
            "DROP TABLE millrace.applied",
            "TRUNCATE \"millrace\".applied",
            "CREATE TABLE pg_catalog_millrace.x (a int)",
            "INSERT INTO information_schema.settings VALUES (1)")) {
      assertThatThrownBy(() -> SqlParser.parse(sql))
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42501"));
    }
    assertThatThrownBy(() -> SqlParser.parse("CREATE SCHEMA pg_x"))
        .hasMessage("unacceptable schema name \"pg_x\"");
  }

  @Test
  @DisplayName("a query that H2 reads as PostgreSQL does passes untouched")
  void untouched() {
    String sql = "SELECT rel.relname AS a FROM pg_class rel WHERE rel.relname = 'tbl'";
    assertThat(((Query) one(sql)).h2Sql()).isEqualTo(sql);
  }

  @Test
  @DisplayName("DROP TABLE names all its tables")
  void dropTables() {
    Ddl drop = (Ddl) one("DROP TABLE IF EXISTS a, s.b CASCADE");
    assertThat(drop.targets()).containsExactly(table("a"), new QualifiedName("s", "b"));
    assertThat(drop.ifExists()).isTrue();
    assertThat(drop.h2Statements())
        .containsExactly("DROP TABLE IF EXISTS \"public\".\"a\", \"s\".\"b\" CASCADE");
  }
}
