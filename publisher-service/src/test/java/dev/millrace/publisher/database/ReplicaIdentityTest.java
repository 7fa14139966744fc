package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.model.PgException;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What publications demand of rows that are updated or deleted (N7, N9, S04). */
class ReplicaIdentityTest {

  @TempDir Path directory;
  private TestNode node;

  @BeforeEach
  void open() {
    node = TestNode.open(directory);
    node.run("CREATE TABLE bare (a int); INSERT INTO bare VALUES (1)");
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  @DisplayName(
      "UPDATE and DELETE without identity are refused where they are published, INSERT is not")
  void withoutIdentity() {
    node.run("UPDATE bare SET a = 2");
    node.run("CREATE PUBLICATION p FOR TABLE bare");
    PgException update =
        catchThrowableOfType(
            PgException.class, () -> node.run("UPDATE bare SET a = 3 WHERE false"));
    assertThat(update.sqlState()).isEqualTo("55000");
    assertThat(update)
        .hasMessage(
            "cannot update table \"bare\" because it does not have a replica identity and"
                + " publishes updates");
    assertThat(update.hint())
        .isEqualTo("To enable updating the table, set REPLICA IDENTITY using ALTER TABLE.");
    PgException delete =
        catchThrowableOfType(PgException.class, () -> node.run("DELETE FROM bare"));
    assertThat(delete)
        .hasMessage(
            "cannot delete from table \"bare\" because it does not have a replica identity and"
                + " publishes deletes");
    assertThat(delete.hint())
        .isEqualTo("To enable deleting from the table, set REPLICA IDENTITY using ALTER TABLE.");
    node.run("INSERT INTO bare VALUES (4)");
    node.run("ALTER PUBLICATION p SET (publish = 'insert')");
    node.run("UPDATE bare SET a = 3; DELETE FROM bare");
  }

  @Test
  @DisplayName("FULL, a primary key or a fitting index makes the table usable at once")
  void madeUsable() {
    node.run("CREATE PUBLICATION p FOR ALL TABLES");
    assertThat(Errors.of(() -> node.run("DELETE FROM bare"))).startsWith("55000");
    node.run("ALTER TABLE bare REPLICA IDENTITY FULL; UPDATE bare SET a = 5");
    node.run("ALTER TABLE bare REPLICA IDENTITY DEFAULT");
    assertThat(Errors.of(() -> node.run("DELETE FROM bare"))).startsWith("55000");
    node.run("ALTER TABLE bare ADD PRIMARY KEY (a)");
    node.run("UPDATE bare SET a = 6");
    node.run("ALTER TABLE bare REPLICA IDENTITY NOTHING");
    assertThat(Errors.of(() -> node.run("DELETE FROM bare"))).startsWith("55000");
  }

  @Test
  @DisplayName("USING INDEX wants a unique index over columns that are never null")
  void usingIndex() {
    node.run("CREATE TABLE t (a int NOT NULL, b int UNIQUE, c int NOT NULL)");
    node.run("CREATE INDEX t_a ON t (a); CREATE UNIQUE INDEX t_c ON t (c)");
    assertThat(Errors.of(() -> node.run("ALTER TABLE t REPLICA IDENTITY USING INDEX nope")))
        .isEqualTo("42704 index \"nope\" for table \"t\" does not exist");
    assertThat(Errors.of(() -> node.run("ALTER TABLE t REPLICA IDENTITY USING INDEX t_a")))
        .isEqualTo("42809 cannot use non-unique index \"t_a\" as replica identity");
    assertThat(Errors.of(() -> node.run("ALTER TABLE t REPLICA IDENTITY USING INDEX t_b_key")))
        .isEqualTo(
            "42809 index \"t_b_key\" cannot be used as replica identity because column \"b\" is"
                + " nullable");
    node.run("ALTER TABLE t REPLICA IDENTITY USING INDEX t_c; INSERT INTO t VALUES (1, 2, 3)");
    long start = node.log().insertLsn();
    node.run("CREATE PUBLICATION p FOR TABLE t");
    node.run("DELETE FROM t");
    assertThat(node.logFrom(start).changes()).contains("DELETE t K(n,n,3) L(1)");
    node.run("DROP INDEX t_c");
    assertThat(Errors.of(() -> node.run("DELETE FROM t"))).startsWith("55000");
  }

  @Test
  @DisplayName(
      "A publication made in a transaction counts for it at once and for others when committed")
  void transactional() {
    try (SqlSession session = node.session()) {
      session.execute("BEGIN; CREATE PUBLICATION p FOR TABLE bare", List.of());
      node.run("UPDATE bare SET a = 9");
      assertThat(Errors.of(() -> session.execute("UPDATE bare SET a = 8", List.of())))
          .startsWith("55000");
      session.execute("ROLLBACK", List.of());
      session.execute("UPDATE bare SET a = 8", List.of());
      session.execute(
          "BEGIN; SAVEPOINT s; ALTER TABLE bare REPLICA IDENTITY FULL; ROLLBACK TO s; COMMIT",
          List.of());
    }
    assertThat(node.table("bare").replicaIdentity().code()).isEqualTo('d');
  }

  @Test
  @DisplayName("A cascade into a published table without identity is refused, too")
  void cascade() {
    node.run(
        "CREATE TABLE p (id int PRIMARY KEY);"
            + "CREATE TABLE c (p int REFERENCES p ON DELETE CASCADE);"
            + "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1); CREATE PUBLICATION pub FOR TABLE c");
    assertThat(Errors.of(() -> node.run("DELETE FROM p")))
        .startsWith("55000 cannot delete from table \"c\"");
    assertThat(node.rows("SELECT count(*) FROM c")).containsExactly("1");
    node.run("INSERT INTO p VALUES (2)");
    assertThat(Errors.of(() -> node.run("DELETE FROM p WHERE id = 2"))) // Nothing refers to it.
        .startsWith("55000 cannot delete from table \"c\"");
  }
}
