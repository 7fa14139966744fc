package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Notice;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DDL as transactions of its own, and the relation versions it leaves (N12, S25). */
class DdlTest {

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

  private List<String> columns(String table) {
    return node.table(table).columns().stream().map(ColumnDefinition::name).toList();
  }

  @Test
  @DisplayName(
      "DDL is refused in an explicit block, before its first write too, and ends an implicit one")
  void blocks() {
    assertThat(Errors.of(() -> node.run("BEGIN; CREATE TABLE t (id int)")))
        .isEqualTo("25001 CREATE TABLE cannot run inside a transaction block");
    node.run("CREATE TABLE t (id int PRIMARY KEY)");
    assertThat(Errors.of(() -> node.run("INSERT INTO t VALUES (1); CREATE INDEX i ON t (id); x")))
        .startsWith("42601");
    long start = node.log().insertLsn();
    assertThat(
            Errors.of(
                () ->
                    node.run(
                        "INSERT INTO t VALUES (1); CREATE INDEX i ON t (id);"
                            + "INSERT INTO t VALUES (1)")))
        .startsWith("23505");
    assertThat(node.rows("SELECT id FROM t")).containsExactly("1");
    assertThat(node.logFrom(start).of(WalRecordType.COMMIT)).hasSize(2);
  }

  @Test
  @DisplayName("The intent comes before the catalogue's records and the commit of a DDL statement")
  void intent() {
    long start = node.log().insertLsn();
    node.run("CREATE TABLE t (id int PRIMARY KEY)");
    assertThat(node.logFrom(start).lines().stream().map(line -> line.type().name()).toList())
        .containsSubsequence("DDL", "CATALOG", "COMMIT");
  }

  @Test
  @DisplayName("Each DDL statement makes a new version; OIDs and attribute numbers live on")
  void versions() {
    node.run("CREATE TABLE t (id int PRIMARY KEY, a text, b int)");
    RelationDefinition first = node.table("t");
    node.run("ALTER TABLE t DROP COLUMN a");
    node.run("ALTER TABLE t ADD COLUMN a int");
    node.run("ALTER TABLE t RENAME COLUMN b TO c");
    node.run("ALTER TABLE t RENAME TO u");
    RelationDefinition last = node.table("u");
    assertThat(node.table("t")).isNull();
    assertThat(last.oid()).isEqualTo(first.oid());
    assertThat(last.version()).isEqualTo(first.version() + 4);
    assertThat(last.columns().stream().map(c -> c.attnum() + c.name()))
        .containsExactly("1id", "3c", "4a");
    assertThat(last.primaryKey().oid()).isEqualTo(first.primaryKey().oid());
  }

  @Test
  @DisplayName("Rows are captured under the definition of their moment, before and after an ALTER")
  void captureAcrossAlter() {
    node.run("CREATE TABLE t (id int PRIMARY KEY, a text); INSERT INTO t VALUES (1, 'x')");
    long start = node.log().insertLsn();
    node.run("INSERT INTO t VALUES (2, 'y')");
    node.run("ALTER TABLE t ADD COLUMN b int DEFAULT 7");
    node.run("UPDATE t SET a = 'z' WHERE id = 1");
    node.run("ALTER TABLE t DROP COLUMN a; INSERT INTO t VALUES (3, 30)");
    assertThat(node.logFrom(start).changes())
        .containsExactly(
            "INSERT t N(2,y)",
            "COMMIT",
            "COMMIT",
            "UPDATE t N(1,z,7)",
            "COMMIT",
            "COMMIT",
            "INSERT t N(3,30)",
            "COMMIT");
  }

  @Test
  @DisplayName(
      "A failed DDL statement leaves the table as it was, captured still, and an abort in the log")
  void failedAlter() {
    node.run("CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 1), (2, 1)");
    RelationDefinition before = node.table("t");
    long start = node.log().insertLsn();
    assertThat(Errors.of(() -> node.run("ALTER TABLE t ADD UNIQUE (a)"))).startsWith("23505");
    assertThat(node.table("t")).isEqualTo(before);
    node.run("INSERT INTO t VALUES (3, 1)");
    assertThat(node.logFrom(start).changes()).containsExactly("ABORT", "INSERT t N(3,1)", "COMMIT");
  }

  @Test
  @DisplayName("An ALTER TABLE whose later part fails takes back the earlier ones")
  void failedCompoundAlter() {
    node.run("CREATE TABLE t (id int, a int); INSERT INTO t VALUES (1, 1), (1, 2)");
    RelationDefinition before = node.table("t");
    assertThat(Errors.of(() -> node.run("ALTER TABLE t ADD PRIMARY KEY (id)"))).startsWith("23505");
    assertThat(
            Errors.of(
                () ->
                    node.run(
                        "ALTER TABLE t ADD COLUMN b int UNIQUE, ADD CHECK (a > 0),"
                            + " ADD UNIQUE (id)")))
        .startsWith("23505");
    assertThat(node.table("t")).isEqualTo(before);
    node.run("INSERT INTO t VALUES (NULL, -1)");
    node.run("ALTER TABLE t ADD COLUMN b int UNIQUE, ADD CHECK (id > 0)");
    assertThat(columns("t")).containsExactly("id", "a", "b");
  }

  @Test
  @DisplayName("An ALTER TABLE that drops or changes columns and fails later leaves all as it was")
  void failedIrreversibleAlter() {
    node.run("CREATE TABLE p (id int PRIMARY KEY, u int UNIQUE); INSERT INTO p VALUES (1, 1)");
    node.run(
        "CREATE TABLE t (id serial PRIMARY KEY, a text NOT NULL DEFAULT 'x', n int, m int,"
            + " g int GENERATED ALWAYS AS (n + 1) STORED, parent int REFERENCES p, CHECK (n > 0))");
    node.run("CREATE INDEX t_m ON t (m, a)");
    node.run("CREATE TABLE child (t int REFERENCES t)");
    node.run("INSERT INTO t (a, n, m, parent) VALUES ('1', 1, 7, 1), ('two', 2, NULL, NULL)");
    RelationDefinition before = node.table("t");
    long start = node.log().insertLsn();
    for (String[] actionsAndState :
        new String[][] {
          {"DROP COLUMN m, ALTER COLUMN a TYPE int", "22P02"},
          {"DROP COLUMN m, ADD COLUMN b int NOT NULL", "23502"},
          {"ALTER COLUMN m TYPE text, ADD CHECK (id < 2)", "23514"},
          {"DROP COLUMN a, DROP COLUMN absent", "42703"},
          {"ALTER COLUMN a DROP DEFAULT, ADD UNIQUE (parent), ADD CHECK (id > 1)", "23514"},
          {"DROP COLUMN m, DROP CONSTRAINT t_pkey", "2BP01"},
        }) {
      assertThat(Errors.of(() -> node.run("ALTER TABLE t " + actionsAndState[0])))
          .as(actionsAndState[0])
          .startsWith(actionsAndState[1])
          .doesNotContain("rehearsal");
      assertThat(node.table("t")).as(actionsAndState[0]).isEqualTo(before);
    }
    assertThat(node.logFrom(start).changes()).doesNotContain("COMMIT");
    assertThat(node.rows("SELECT * FROM t ORDER BY id"))
        .containsExactly("1|1|1|7|2|1", "2|two|2|null|3|null");
    node.run("ALTER TABLE t DROP COLUMN m, ALTER COLUMN a TYPE varchar(5), ADD COLUMN b int");
    assertThat(columns("t")).containsExactly("id", "a", "n", "g", "parent", "b");
    assertThat(Errors.of(() -> node.rows("SELECT * FROM pg_alter_rehearsal.t")))
        .startsWith("3F000");
  }

  @Test
  @DisplayName("Dropping the primary key gives the table a row number; rows stay identifiable")
  void dropPrimaryKey() {
    node.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
    node.run("ALTER TABLE t DROP CONSTRAINT t_pkey");
    long start = node.log().insertLsn();
    node.run("INSERT INTO t VALUES (1)");
    assertThat(node.logFrom(start).changes()).containsExactly("INSERT t L(2) N(1)", "COMMIT");
    assertThat(columns("t")).containsExactly("id");
    node.run("ALTER TABLE t ADD COLUMN b int");
    assertThat(node.rows("SELECT * FROM t ORDER BY id")).containsExactly("1|null", "1|null");
  }

  @Test
  @DisplayName("CREATE TABLE AS captures its rows as inserts")
  void createTableAs() {
    long start = node.log().insertLsn();
    node.run("CREATE TABLE t AS SELECT x AS id FROM generate_series(1, 2) AS s(x)");
    assertThat(node.logFrom(start).changes())
        .containsExactly("COMMIT", "INSERT t L(1) N(1)", "INSERT t L(2) N(2)", "COMMIT");
  }

  @Test
  @DisplayName("IF EXISTS and IF NOT EXISTS skip with PostgreSQL's notices")
  void notices() {
    node.run("CREATE TABLE t (id int)");
    assertThat(node.run("CREATE TABLE IF NOT EXISTS t (id int)").notices())
        .extracting(Notice::message)
        .containsExactly("relation \"t\" already exists, skipping");
    assertThat(node.run("DROP TABLE IF EXISTS nope").notices())
        .extracting(Notice::message)
        .containsExactly("table \"nope\" does not exist, skipping");
    assertThat(Errors.of(() -> node.run("CREATE TABLE t (id int)"))).startsWith("42P07");
    assertThat(Errors.of(() -> node.run("DROP TABLE nope"))).startsWith("42P01");
  }

  @Test
  @DisplayName("Schemas hold tables of the same name; dropping one with CASCADE drops its tables")
  void schemas() {
    node.run("CREATE TABLE t (id int PRIMARY KEY); CREATE SCHEMA s; CREATE TABLE s.t (a int)");
    long start = node.log().insertLsn();
    node.run("INSERT INTO s.t VALUES (1)");
    assertThat(node.logFrom(start).of(WalRecordType.INSERT)).hasSize(1);
    assertThat(node.catalog().current().schema("s")).isNotNull();
    assertThat(Errors.of(() -> node.run("DROP SCHEMA s"))).startsWith("2BP01");
    node.run("ALTER SCHEMA s RENAME TO r");
    node.run("INSERT INTO r.t VALUES (2)");
    node.run("DROP SCHEMA r CASCADE");
    assertThat(node.catalog().current().schema("r")).isNull();
    assertThat(node.catalog().current().relations()).hasSize(1);
  }

  @Test
  @DisplayName("DDL waits for a transaction that writes the table, other tables go on meanwhile")
  void waitsForWriters() throws Exception {
    node.run("CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE u (id int PRIMARY KEY)");
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (SqlSession writer = node.session()) {
      writer.execute("BEGIN; INSERT INTO t VALUES (1)", List.of());
      Future<?> alter = other.submit(() -> node.run("ALTER TABLE t ADD COLUMN a int"));
      node.run("INSERT INTO u VALUES (1)");
      writer.execute("INSERT INTO t VALUES (2)", List.of());
      assertThat(alter.isDone()).isFalse();
      writer.execute("COMMIT", List.of());
      alter.get(10, TimeUnit.SECONDS);
    } finally {
      other.shutdown();
    }
    assertThat(columns("t")).containsExactly("id", "a");
  }

  @Test
  @DisplayName("Internal schemas are out of reach, and files and code out of the session's rights")
  void rights() {
    assertThat(Errors.of(() -> node.run("INSERT INTO millrace.applied VALUES (1)")))
        .startsWith("42501");
    assertThat(Errors.of(() -> node.run("CREATE TABLE millrace.t (id int)"))).startsWith("42501");
    assertThat(Errors.of(() -> node.run("SELECT FILE_READ('/etc/hostname')")))
        .isNotEqualTo("no error");
    assertThat(Errors.of(() -> node.run("SELECT * FROM millrace.applied"))).startsWith("42501");
  }

  @Test
  @DisplayName("DROP .. CASCADE tells what goes with it")
  void cascadeNotices() {
    node.run(
        "CREATE TABLE par (id int PRIMARY KEY); CREATE TABLE chi (id int PRIMARY KEY, p int"
            + " REFERENCES par)");
    assertThat(node.run("DROP TABLE par CASCADE").notices())
        .extracting(dev.millrace.model.Notice::message)
        .containsExactly("drop cascades to constraint chi_p_fkey on table chi");
    node.run("CREATE SCHEMA cs; CREATE TABLE cs.a (id int); CREATE TYPE cs.e AS ENUM ('x')");
    assertThat(node.run("DROP SCHEMA cs CASCADE").notices())
        .extracting(dev.millrace.model.Notice::message, dev.millrace.model.Notice::detail)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                "drop cascades to 2 other objects",
                "drop cascades to table cs.a\ndrop cascades to type cs.e"));
    assertThat(node.run("DROP TABLE chi").notices()).isEmpty();
  }
}
