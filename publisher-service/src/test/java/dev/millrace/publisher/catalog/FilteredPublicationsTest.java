package dev.millrace.publisher.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.model.PgException;
import dev.millrace.publisher.PublisherUnderTest;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Row filters and column lists in the catalogue")
class FilteredPublicationsTest {

  @TempDir Path directory;
  private PublisherUnderTest publisher;

  @BeforeEach
  void start() {
    publisher = PublisherUnderTest.start(directory);
    publisher.sql(
        "CREATE TABLE t (id int PRIMARY KEY, \"B\" text, c int);"
            + "CREATE PUBLICATION p FOR TABLE t (id, c) WHERE (id > 10 AND \"B\" <> 'x')");
  }

  @AfterEach
  void stop() {
    publisher.close();
  }

  private PgException refused(String sql) {
    return catchThrowableOfType(PgException.class, () -> publisher.sql(sql));
  }

  private Object filter() {
    return publisher.value("SELECT rowfilter FROM pg_publication_tables WHERE pubname = 'p'");
  }

  @Test
  @DisplayName("C1 are shown by pg_publication_rel, pg_publication_tables and their functions")
  void views() {
    String filter = "(id > 10 AND \"B\" <> 'x')";
    assertThat(publisher.sql("SELECT prqual, prattrs FROM pg_publication_rel"))
        .containsExactly(List.of(filter, "1 3"));
    assertThat(publisher.sql("SELECT pg_get_expr(prqual, prrelid) FROM pg_publication_rel"))
        .containsExactly(List.of(filter));
    assertThat(publisher.sql("SELECT attnames, rowfilter FROM pg_publication_tables"))
        .containsExactly(List.of("{id,c}", filter));
    publisher.sql("CREATE PUBLICATION whole FOR ALL TABLES");
    assertThat(
            publisher.sql(
                "SELECT p.pubname, c.relname, g.attrs, g.qual"
                    + " FROM pg_get_publication_tables('p', 'whole') g"
                    + " JOIN pg_publication p ON p.oid = g.pubid"
                    + " JOIN pg_class c ON c.oid = g.relid ORDER BY pubname"))
        .containsExactly(
            List.of("p", "t", "1 3", filter), Arrays.asList("whole", "t", "1 2 3", null));
    assertThat(refused("SELECT * FROM pg_get_publication_tables('nosuch')").sqlState())
        .isEqualTo("42704");
  }

  @Test
  @DisplayName("C1 follow renamed columns and tables, also over a restart")
  void renames() {
    publisher.sql("ALTER TABLE t RENAME COLUMN \"B\" TO name; ALTER TABLE t RENAME TO renamed");
    assertThat(filter()).isEqualTo("(id > 10 AND name <> 'x')");
    publisher.close();
    publisher = PublisherUnderTest.start(directory);
    assertThat(filter()).isEqualTo("(id > 10 AND name <> 'x')");
    publisher.sql("ALTER TABLE renamed REPLICA IDENTITY FULL");
    publisher.sql("SELECT pg_create_logical_replication_slot('s', 'pgoutput')");
    publisher.sql("INSERT INTO renamed VALUES (11, 'x', 1), (12, 'y', 2)");
    assertThat(messages("s", "p")).isEqualTo("BRIC");
  }

  /** The types of the messages a slot sends. */
  private String messages(String slot, String publication) {
    StringBuilder types = new StringBuilder();
    for (List<Object> row :
        publisher.sql(
            "SELECT data FROM pg_logical_slot_get_binary_changes('"
                + slot
                + "', NULL, NULL, 'proto_version', '1', 'publication_names', '"
                + publication
                + "')")) {
      types.append((char) Integer.parseInt(row.get(0).toString().substring(2, 4), 16));
    }
    return types.toString();
  }

  @Test
  @DisplayName("N9 refuse changes that the identity does not cover, naming the rule")
  void identity() {
    PgException update = refused("UPDATE t SET c = 1");
    assertThat(update).hasMessage("cannot update table \"t\"");
    assertThat(update.sqlState()).isEqualTo("42P10");
    assertThat(update.detail())
        .isEqualTo(
            "Column used in the publication WHERE expression is not part of the replica identity.");
    publisher.sql("ALTER TABLE t REPLICA IDENTITY FULL");
    PgException delete = refused("DELETE FROM t");
    assertThat(delete).hasMessage("cannot delete from table \"t\"");
    assertThat(delete.detail())
        .isEqualTo("Column list used by the publication does not cover the replica identity.");
    publisher.sql("ALTER PUBLICATION p SET (publish = 'insert')");
    publisher.sql("UPDATE t SET c = 1; DELETE FROM t");
    publisher.sql("ALTER PUBLICATION p SET (publish = 'update')");
    assertThat(refused("UPDATE t SET c = 1").sqlState()).isEqualTo("42P10");
    publisher.sql("DELETE FROM t");
    publisher.sql("ALTER PUBLICATION p SET TABLE t WHERE (c IS NULL)");
    publisher.sql("UPDATE t SET c = 1; DELETE FROM t");
  }

  @Test
  @DisplayName("hold their columns: no other type, no DROP without CASCADE, which ends membership")
  void dependencies() {
    String dependent = "publication of table t in publication p depends on column ";
    PgException type = refused("ALTER TABLE t ALTER COLUMN c TYPE bigint");
    assertThat(type).hasMessage("cannot alter type of a column used by a publication WHERE clause");
    assertThat(type.sqlState()).isEqualTo("0A000");
    assertThat(type.detail()).isEqualTo(dependent + "\"c\"");
    PgException drop = refused("ALTER TABLE t DROP COLUMN \"B\"");
    assertThat(drop)
        .hasMessage("cannot drop column B of table t because other objects depend on it");
    assertThat(drop.sqlState()).isEqualTo("2BP01");
    assertThat(drop.detail()).isEqualTo(dependent + "B of table t");
    publisher.sql("CREATE PUBLICATION whole FOR TABLE t");
    publisher.sql("ALTER TABLE t DROP COLUMN \"B\" CASCADE");
    String members = "SELECT pubname FROM pg_publication_tables";
    assertThat(publisher.sql(members)).containsExactly(List.of("whole"));
    publisher.close();
    publisher = PublisherUnderTest.start(directory);
    assertThat(publisher.sql(members)).containsExactly(List.of("whole"));
  }
}
