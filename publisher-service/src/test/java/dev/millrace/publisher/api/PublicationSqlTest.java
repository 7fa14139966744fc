package dev.millrace.publisher.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.api.BadRequestException;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.api.PublicationBodies.Alter;
import dev.millrace.publisher.api.PublicationBodies.Create;
import dev.millrace.publisher.api.PublicationBodies.Table;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.SqlParser;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The statement that a publication body stands for")
class PublicationSqlTest {

  private static Table table(String schema, String name) {
    return new Table(schema, name, null, null);
  }

  @Test
  @DisplayName("names tables and schemas exactly, whatever their names hold")
  void exactNames() {
    String evil = "x\"; DROP TABLE t; --";
    String sql =
        PublicationSql.create(
            new Create(
                evil,
                List.of(table(null, "Mixed Case"), table("Sales.Dept", evil)),
                List.of("s'1"),
                false,
                List.of("insert", "delete"),
                true,
                "stored"));
    List<ParsedStatement> statements = SqlParser.parse(sql);
    assertThat(statements).hasSize(1);
    ParsedStatement.CreatePublication create =
        (ParsedStatement.CreatePublication) statements.get(0);
    assertThat(create.name()).isEqualTo(evil);
    assertThat(create.objects().tables())
        .extracting(ParsedStatement.PublicationTable::table)
        .containsExactly(
            new QualifiedName("public", "Mixed Case"), new QualifiedName("Sales.Dept", evil));
    assertThat(create.objects().schemas()).containsExactly("s'1");
    assertThat(create.options())
        .containsEntry("publish", "\"insert\", \"delete\"")
        .containsEntry("publish_via_partition_root", "true")
        .containsEntry("publish_generated_columns", "stored");
  }

  @Test
  @DisplayName("takes no name longer than 63 bytes, which SQL would cut to another name")
  void longNames() {
    assertThat(PublicationSql.drop("é".repeat(31) + "x")).contains("éx");
    assertThatThrownBy(() -> PublicationSql.drop("é".repeat(32)))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42622"));
  }

  @Test
  @DisplayName("is short when the body is")
  void minimal() {
    assertThat(PublicationSql.create(new Create("p", null, null, null, null, null, null)))
        .isEqualTo("CREATE PUBLICATION \"p\"");
    assertThat(PublicationSql.create(new Create("p", null, null, true, List.of(), null, null)))
        .isEqualTo("CREATE PUBLICATION \"p\" FOR ALL TABLES WITH (publish = '')");
    assertThat(
            PublicationSql.alter(
                "p", new Alter(null, null, null, null, null, null, null, null, null, null)))
        .isEmpty();
    assertThat(PublicationSql.drop("p")).isEqualTo("DROP PUBLICATION \"p\"");
  }

  @Test
  @DisplayName("makes all changes of a PATCH in one query, the rename last")
  void alterAll() {
    String sql =
        PublicationSql.alter(
            "p",
            new Alter(
                List.of(table("public", "a")),
                null,
                List.of(table("public", "b")),
                List.of("s1"),
                List.of("s2"),
                List.of("insert"),
                false,
                "none",
                "q",
                "current_user"));
    assertThat(SqlParser.parse(sql))
        .extracting(
            statement ->
                ((ParsedStatement.AlterPublication) statement).name()
                    + " "
                    + ((ParsedStatement.AlterPublication) statement).action())
        .containsExactly("p DROP", "p ADD", "p SET_OPTIONS", "p OWNER", "p RENAME");
  }

  @Test
  @DisplayName("is refused when the body is not complete or contradicts itself")
  void badBodies() {
    assertBad(new Create(null, null, null, null, null, null, null), "name is required");
    assertBad(new Create("", null, null, null, null, null, null), "name is required");
    assertBad(
        new Create("a\0b", null, null, null, null, null, null),
        "name must not hold the character with code 0");
    assertBad(
        new Create("p", List.of(table("s", null)), null, null, null, null, null),
        "tables.name is required");
    assertBad(
        new Create("p", Arrays.asList((Table) null), null, null, null, null, null),
        "tables must not hold null");
    assertBad(
        new Create("p", List.of(table("s", "t")), null, true, null, null, null),
        "all_tables leaves no room for tables or tables_in_schema");
    assertThatThrownBy(
            () ->
                PublicationSql.alter(
                    "p",
                    new Alter(null, List.of(), null, null, null, null, null, null, null, null)))
        .hasMessage("set_tables must name a table");
  }

  private static void assertBad(Create body, String message) {
    assertThatThrownBy(() -> PublicationSql.create(body))
        .isInstanceOf(BadRequestException.class)
        .hasMessage(message);
  }

  @Test
  @DisplayName("names the columns of a list exactly, and takes none that is empty")
  void columnLists() {
    Table listed = new Table("s", "t", List.of("id", "A, \"b\""), null);
    String sql =
        PublicationSql.create(new Create("p", List.of(listed), null, null, null, null, null));
    ParsedStatement.CreatePublication create =
        (ParsedStatement.CreatePublication) SqlParser.parse(sql).get(0);
    assertThat(create.objects().tables().get(0).columns()).containsExactly("id", "A, \"b\"");
    assertBad(
        new Create(
            "p", List.of(new Table("s", "t", List.of(), null)), null, null, null, null, null),
        "tables.columns must name a column");
  }

  @Test
  @DisplayName("holds a row filter in its brackets, whatever it holds")
  void rowFilters() {
    assertThat(filter("id > 10")).isEqualTo("id > 10");
    assertThat(filter("name <> ')' -- :-)")).startsWith("name <> ')'");
    for (String leaving :
        List.of(
            "true) WITH (publish = 'insert'",
            "1=1), TABLE (SELECT",
            "true); DROP TABLE t; SELECT (1",
            "(true",
            "/* */",
            "")) {
      assertThatThrownBy(() -> filter(leaving))
          .as(leaving)
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42601"));
    }
  }

  private static String filter(String where) {
    Table table = new Table("s", "t", null, where);
    String sql =
        PublicationSql.create(new Create("p", List.of(table), null, null, null, null, null));
    List<ParsedStatement> statements = SqlParser.parse(sql);
    assertThat(statements).hasSize(1);
    var create = (ParsedStatement.CreatePublication) statements.get(0);
    assertThat(create.options()).isEmpty();
    return create.objects().tables().get(0).where();
  }
}
