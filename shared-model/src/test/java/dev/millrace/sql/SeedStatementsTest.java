package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sql.ParsedStatement.Query;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Every statement printed in sections 12.1, 12.2 and 12.4 is understood as printed")
class SeedStatementsTest {

  @Test
  @DisplayName("tables, rows and interleaved changes run")
  void run() throws SQLException {
    try (H2Database database = new H2Database();
        SimpleQuerySession session =
            new SimpleQuerySession(
                1, new H2Backend(database.connect(), SessionSettings.settings()))) {
      for (String sql :
          List.of(
              "CREATE TABLE tbl_ri (id int NOT NULL, name text, data int NOT NULL);",
              "CREATE UNIQUE INDEX tbl_ri_idx ON tbl_ri (id, data);",
              "CREATE TABLE tbl_ri_full (id int, name text, data int);",
              "CREATE TABLE tbl_1 (id int PRIMARY KEY, name text, data int);\n"
                  + "CREATE TABLE tbl_2 (id int NOT NULL UNIQUE, name text, data int);\n"
                  + "CREATE INDEX tbl_2_idx on tbl_2 (id, name);\n"
                  + "CREATE TABLE tbl_3 (id int, name text, data int);",
              "CREATE TABLE tbl_a (id int PRIMARY KEY, name text, data int);\n"
                  + "CREATE TABLE tbl_b (id int PRIMARY KEY, name text, data int);\n\n"
                  + "INSERT INTO tbl_a VALUES (1, 'Alice', 100);\n"
                  + "INSERT INTO tbl_b VALUES (10, 'Ken', 100);",
              "BEGIN; -- txid 840",
              "INSERT INTO tbl_a VALUES(2,'Bob',200);",
              "INSERT INTO tbl_b VALUES(11,'Luke',110);",
              "DELETE FROM tbl_b WHERE id=10;",
              "COMMIT;",
              "INSERT INTO tbl_a VALUES(3,'Candy',3);",
              "UPDATE tbl_a SET data=data+1 WHERE id=1;",
              "UPDATE tbl_a SET data=data+1 WHERE id=1;",
              "-- Pseudo-SQL: Identifying the tuple via the old key\n"
                  + "UPDATE tbl_a SET id = id + 100 WHERE id = 1;",
              "UPDATE tbl_a SET data = data + 100 WHERE id = 1 AND name = 'Alice' AND data ="
                  + " 100;")) {
        session.execute(sql, List.of());
      }
      assertThat(
              session.execute("SELECT * FROM tbl_a ORDER BY id", List.of()).results().get(0).rows())
          .containsExactly(
              List.of(2, "Bob", 200), List.of(3, "Candy", 3), List.of(101, "Alice", 102));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE tbl SET data = 'updated_value' WHERE id = 1;",
        "ALTER TABLE tbl_ri REPLICA IDENTITY USING INDEX tbl_ri_idx;",
        "ALTER TABLE tbl_3 REPLICA IDENTITY FULL;",
        "CREATE PUBLICATION mypub FOR TABLE tbl_1, tbl_2, tbl_3;"
      })
  @DisplayName("statements that need a node parse")
  void parse(String sql) {
    assertThat(SqlParser.parse(sql)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-- Values: 'd' (default), 'n' (nothing), 'f' (full), 'i' (index)\n"
            + "SELECT relname, relreplident FROM pg_class WHERE relname = 'tbl_ri';",
        "SELECT rel.relname AS table_name, idx_rel.relname AS index_name\n"
            + "\t FROM pg_class rel\n"
            + "\t JOIN pg_index idx ON rel.oid = idx.indrelid\n"
            + "\t JOIN pg_class idx_rel\n"
            + "\t ON idx.indexrelid = idx_rel.oid\n"
            + "\t WHERE rel.relname = 'tbl_ri' AND idx.indisreplident = true;",
        "SELECT * FROM pg_publication;",
        "SELECT * FROM pg_publication_rel;",
        "SELECT * FROM pg_publication_tables;",
        "SELECT * FROM pg_subscription;",
        "SELECT s.srsubid, s.srrelid, c.relname, s.srsublsn\n"
            + "      FROM pg_subscription_rel AS s, pg_class AS c WHERE c.oid = s.srrelid;",
        "SELECT * FROM pg_replication_slots;"
      })
  @DisplayName("queries on the catalogue pass to the database as they stand")
  void catalogueQueries(String sql) {
    Query query = (Query) SqlParser.parse(sql).get(0);
    assertThat(query.h2Sql()).isEqualTo(query.original());
  }
}
