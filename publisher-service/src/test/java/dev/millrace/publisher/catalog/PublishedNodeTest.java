package dev.millrace.publisher.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherApplication;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** A whole publisher, spoken to by SQL. */
@DisplayName("A publisher's sessions")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PublishedNodeTest {

  @TempDir static Path directory;
  private static ConfigurableApplicationContext application;

  @BeforeAll
  static void start() {
    application =
        PublisherApplication.builder()
            .run("--server.port=0", "--millrace.data-dir=" + directory.resolve("data"));
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  private static SqlSession open() {
    return application.getBean(PublisherNode.class).open();
  }

  private static List<List<Object>> run(SqlSession session, String sql) {
    var results = session.execute(sql, List.of()).results();
    return results.get(results.size() - 1).rows();
  }

  private static void assertRefused(
      SqlSession session, String sql, String sqlState, String message) {
    assertThatThrownBy(() -> run(session, sql))
        .as(sql)
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo(sqlState))
        .hasMessage(message);
  }

  @Test
  @Order(1)
  @DisplayName("see their own publication commands at once, others after the commit")
  void transactional() {
    try (SqlSession one = open();
        SqlSession two = open()) {
      run(one, "CREATE TABLE t1 (id int PRIMARY KEY, name varchar(20))");
      run(one, "CREATE TABLE nokey (a int, b text)");
      run(one, "BEGIN");
      run(one, "CREATE PUBLICATION p FOR TABLE t1");
      run(one, "SAVEPOINT s");
      run(one, "ALTER PUBLICATION p ADD TABLE nokey");
      assertThat(run(one, "SELECT tablename FROM pg_publication_tables"))
          .containsExactly(List.of("nokey"), List.of("t1"));
      run(one, "ROLLBACK TO s");
      assertThat(run(two, "SELECT pubname FROM pg_publication")).isEmpty();
      run(one, "COMMIT");
      assertThat(run(two, "SELECT * FROM pg_publication_tables"))
          .containsExactly(java.util.Arrays.asList("p", "public", "t1", "{id,name}", null));
      run(one, "BEGIN");
      run(one, "DROP PUBLICATION p");
      run(one, "ROLLBACK");
      assertThat(run(two, "SELECT pubname FROM pg_publication")).containsExactly(List.of("p"));
      assertThat(
              run(
                  two,
                  "SELECT p.pubname, n.nspname, c.relname FROM pg_publication p"
                      + " JOIN pg_publication_rel r ON r.prpubid = p.oid"
                      + " JOIN pg_class c ON c.oid = r.prrelid"
                      + " JOIN pg_namespace n ON n.oid = c.relnamespace"))
          .containsExactly(List.of("p", "public", "t1"));
    }
  }

  @Test
  @Order(2)
  @DisplayName("N9: refuse UPDATE and DELETE that a publication could not identify, even of no row")
  void replicaIdentityWanted() {
    try (SqlSession session = open()) {
      run(session, "INSERT INTO nokey VALUES (1, 'x')");
      run(session, "UPDATE nokey SET b = 'y'");
      run(session, "CREATE PUBLICATION ins FOR TABLE nokey WITH (publish = 'insert, truncate')");
      run(session, "UPDATE nokey SET b = 'z'; DELETE FROM nokey WHERE a = 7");
      run(session, "ALTER PUBLICATION ins SET (publish = 'insert, update')");
      assertRefused(
          session,
          "UPDATE nokey SET b = 'w' WHERE a = 99",
          "55000",
          "cannot update table \"nokey\" because it does not have a replica identity and publishes"
              + " updates");
      run(session, "DELETE FROM nokey WHERE a = 99");
      run(session, "ALTER PUBLICATION ins SET (publish = 'insert, delete')");
      assertRefused(
          session,
          "DELETE FROM nokey WHERE a = 99",
          "55000",
          "cannot delete from table \"nokey\" because it does not have a replica identity and"
              + " publishes deletes");
      run(session, "UPDATE nokey SET b = 'v'");
      run(session, "ALTER TABLE nokey REPLICA IDENTITY FULL");
      run(session, "DELETE FROM nokey WHERE a = 99");
      run(session, "ALTER TABLE nokey REPLICA IDENTITY NOTHING");
      assertThatThrownBy(() -> run(session, "DELETE FROM nokey"))
          .isInstanceOfSatisfying(
              PgException.class,
              e ->
                  assertThat(e.hint())
                      .isEqualTo(
                          "To enable deleting from the table, set REPLICA IDENTITY using ALTER"
                              + " TABLE."));
      run(session, "ALTER TABLE nokey REPLICA IDENTITY DEFAULT");
      assertThat(run(session, "SELECT relreplident FROM pg_class WHERE relname = 'nokey'"))
          .containsExactly(List.of("d"));
      run(session, "ALTER TABLE t1 REPLICA IDENTITY NOTHING");
      assertRefused(
          session,
          "UPDATE t1 SET id = 1",
          "55000",
          "cannot update table \"t1\" because it does not have a replica identity and publishes"
              + " updates");
      run(session, "ALTER TABLE t1 REPLICA IDENTITY DEFAULT; DROP PUBLICATION ins");
    }
  }

  @Test
  @Order(3)
  @DisplayName("N9: refuse them when an unpublished generated column is part of the identity")
  void generatedIdentity() {
    try (SqlSession session = open()) {
      run(session, "CREATE TABLE g (a int, b int GENERATED ALWAYS AS (a + 1) STORED)");
      run(session, "ALTER TABLE g REPLICA IDENTITY FULL; CREATE PUBLICATION pg FOR TABLE g");
      assertThatThrownBy(() -> run(session, "UPDATE g SET a = 2"))
          .isInstanceOfSatisfying(
              PgException.class,
              e -> {
                assertThat(e.sqlState()).isEqualTo("42P10");
                assertThat(e.detail())
                    .isEqualTo("Replica identity must not contain unpublished generated columns.");
              })
          .hasMessage("cannot update table \"g\"");
      run(session, "ALTER PUBLICATION pg SET (publish_generated_columns = stored)");
      run(session, "UPDATE g SET a = 2; DROP PUBLICATION pg");
    }
  }

  @Test
  @Order(3)
  @DisplayName("N7: take a unique index over NOT NULL columns as identity, until it is dropped")
  void identityByIndex() {
    try (SqlSession session = open()) {
      run(session, "CREATE TABLE k (a int NOT NULL, b int, c int NOT NULL, UNIQUE (a, c))");
      run(session, "CREATE UNIQUE INDEX k_b ON k (b)");
      run(session, "CREATE PUBLICATION pk FOR TABLE k");
      assertRefused(
          session,
          "ALTER TABLE k REPLICA IDENTITY USING INDEX k_b",
          "42809",
          "index \"k_b\" cannot be used as replica identity because column \"b\" is nullable");
      run(session, "ALTER TABLE k REPLICA IDENTITY USING INDEX k_a_c_key");
      assertThat(
              run(
                  session,
                  "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                      + " WHERE i.indisreplident"))
          .containsExactly(List.of("k_a_c_key"));
      run(session, "INSERT INTO k VALUES (1, 2, 3)");
      run(session, "UPDATE k SET b = 5");
      run(session, "ALTER TABLE k DROP CONSTRAINT k_a_c_key");
      assertRefused(
          session,
          "DELETE FROM k",
          "55000",
          "cannot delete from table \"k\" because it does not have a replica identity and publishes"
              + " deletes");
      run(session, "DROP TABLE k");
      assertThat(run(session, "SELECT tablename FROM pg_publication_tables WHERE pubname = 'pk'"))
          .isEmpty();
      run(session, "DROP PUBLICATION pk");
    }
  }

  @Test
  @Order(4)
  @DisplayName("C1: find everything again after a restart, under the same OIDs")
  void restart() {
    List<List<Object>> before;
    try (SqlSession session = open()) {
      run(session, "CREATE SCHEMA \"Sales Dept\"");
      run(session, "CREATE TABLE \"Sales Dept\".\"Or.der\"\"s\" (\"Id\" bigint PRIMARY KEY)");
      run(session, "CREATE PUBLICATION \"P Two\" FOR TABLES IN SCHEMA \"Sales Dept\", TABLE t1");
      before = everything(session);
    }
    application.close();
    start();
    try (SqlSession session = open()) {
      assertThat(everything(session)).isEqualTo(before).isNotEmpty();
      run(session, "CREATE TABLE later (id int PRIMARY KEY)");
      assertThat(
              run(
                  session,
                  "SELECT count(*) FROM pg_class a JOIN pg_class b ON a.oid = b.oid"
                      + " WHERE a.relname <> b.relname"))
          .containsExactly(List.of(0L));
    }
  }

  private static List<List<Object>> everything(SqlSession session) {
    return run(
        session,
        "SELECT p.oid, p.pubname, t.schemaname, t.tablename, t.attnames, c.oid FROM pg_publication p"
            + " JOIN pg_publication_tables t ON t.pubname = p.pubname"
            + " JOIN pg_class c ON c.relname = t.tablename ORDER BY 2, 3, 4");
  }

  @Test
  @Order(5)
  @DisplayName("refuse a second start on the same data directory, and say who has it")
  @ExtendWith(OutputCaptureExtension.class)
  void secondStart(CapturedOutput output) {
    assertThatThrownBy(
            () ->
                PublisherApplication.builder()
                    .run("--server.port=0", "--millrace.data-dir=" + directory.resolve("data")))
        .rootCause()
        .hasMessageContaining("is held already");
    assertThat(output)
        .contains("APPLICATION FAILED TO START")
        .contains("running in data directory \"" + directory.resolve("data") + "\"?");
  }
}
