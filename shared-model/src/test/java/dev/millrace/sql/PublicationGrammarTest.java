package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.sql.ParsedStatement.AlterPublication;
import dev.millrace.sql.ParsedStatement.AlterPublication.Action;
import dev.millrace.sql.ParsedStatement.AlterSubscription;
import dev.millrace.sql.ParsedStatement.CreatePublication;
import dev.millrace.sql.ParsedStatement.CreateSubscription;
import dev.millrace.sql.ParsedStatement.DropPublication;
import dev.millrace.sql.ParsedStatement.DropSubscription;
import dev.millrace.sql.ParsedStatement.PublicationObjects;
import dev.millrace.sql.ParsedStatement.PublicationTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("CREATE, ALTER and DROP PUBLICATION and SUBSCRIPTION")
class PublicationGrammarTest {

  private static ParsedStatement one(String sql) {
    return SqlParser.parse(sql).get(0);
  }

  private static PublicationTable table(String schema, String name) {
    return new PublicationTable(new QualifiedName(schema, name), null, null);
  }

  @Test
  @DisplayName("a publication of tables with column lists and row filters")
  void tables() {
    CreatePublication create =
        (CreatePublication)
            one(
                "CREATE PUBLICATION \"Pub One\" FOR TABLE ONLY a (id, \"B c\"), TABLE s.b * WHERE"
                    + " (id > 10 AND (x <> ')')), c WITH (publish = 'insert, update',"
                    + " publish_via_partition_root)");
    assertThat(create.name()).isEqualTo("Pub One");
    assertThat(create.allTables()).isFalse();
    assertThat(create.objects().schemas()).isEmpty();
    assertThat(create.objects().tables())
        .containsExactly(
            new PublicationTable(new QualifiedName("public", "a"), List.of("id", "B c"), null),
            new PublicationTable(new QualifiedName("s", "b"), null, "id > 10 AND (x <> ')')"),
            table("public", "c"));
    assertThat(create.options())
        .containsExactly(
            Map.entry("publish", "insert, update"),
            Map.entry("publish_via_partition_root", "true"));
  }

  @Test
  @DisplayName("a publication of schemas, of everything, of nothing")
  void otherForms() {
    CreatePublication create =
        (CreatePublication)
            one("CREATE PUBLICATION p FOR TABLES IN SCHEMA s, \"T\", CURRENT_SCHEMA, TABLE a, b");
    assertThat(create.objects())
        .isEqualTo(
            new PublicationObjects(
                List.of(table("public", "a"), table("public", "b")), List.of("s", "T", "public")));
    assertThat(((CreatePublication) one("CREATE PUBLICATION p FOR ALL TABLES")).allTables())
        .isTrue();
    CreatePublication empty = (CreatePublication) one("CREATE PUBLICATION p");
    assertThat(empty.objects().tables()).isEmpty();
    assertThat(empty.allTables()).isFalse();
    assertThat(empty.options()).isEmpty();
  }

  @Test
  @DisplayName("ALTER PUBLICATION")
  void alter() {
    AlterPublication add = (AlterPublication) one("ALTER PUBLICATION p ADD TABLE a, s.b");
    assertThat(add.action()).isEqualTo(Action.ADD);
    assertThat(add.objects().tables()).containsExactly(table("public", "a"), table("s", "b"));
    AlterPublication set =
        (AlterPublication) one("ALTER PUBLICATION p SET TABLE a (id), b WHERE (id > 10)");
    assertThat(set.action()).isEqualTo(Action.SET);
    assertThat(set.objects().tables().get(1).where()).isEqualTo("id > 10");
    AlterPublication drop = (AlterPublication) one("ALTER PUBLICATION p DROP TABLES IN SCHEMA s");
    assertThat(drop.action()).isEqualTo(Action.DROP);
    assertThat(drop.objects().schemas()).containsExactly("s");
    AlterPublication options =
        (AlterPublication) one("ALTER PUBLICATION p SET (publish = 'delete', x = 5)");
    assertThat(options.action()).isEqualTo(Action.SET_OPTIONS);
    assertThat(options.options()).containsEntry("publish", "delete").containsEntry("x", "5");
    assertThat(((AlterPublication) one("ALTER PUBLICATION p RENAME TO \"Q\"")).newName())
        .isEqualTo("Q");
    assertThat(((AlterPublication) one("ALTER PUBLICATION p OWNER TO alice")).newName())
        .isEqualTo("alice");
    assertThat(one("DROP PUBLICATION IF EXISTS a, \"B\" CASCADE"))
        .isEqualTo(
            new DropPublication(
                "DROP PUBLICATION IF EXISTS a, \"B\" CASCADE", List.of("a", "B"), true));
  }

  @Test
  @DisplayName("CREATE SUBSCRIPTION as printed in the book, and with every option")
  void createSubscription() {
    CreateSubscription create =
        (CreateSubscription)
            one(
                "CREATE SUBSCRIPTION mysub\n"
                    + "            CONNECTION 'host=192.168.3.10 port=5432 dbname=testdb'\n"
                    + "            PUBLICATION mypub\n"
                    + "            WITH (enabled = true, binary = false);");
    assertThat(create.name()).isEqualTo("mysub");
    assertThat(create.connection()).isEqualTo("host=192.168.3.10 port=5432 dbname=testdb");
    assertThat(create.publications()).containsExactly("mypub");
    assertThat(create.options())
        .containsExactly(Map.entry("enabled", "true"), Map.entry("binary", "false"));
    CreateSubscription all =
        (CreateSubscription)
            one(
                "CREATE SUBSCRIPTION s CONNECTION '' PUBLICATION a, \"B\" WITH (connect,"
                    + " create_slot = false, slot_name = NONE, synchronous_commit = 'off', streaming"
                    + " = parallel, origin = none, copy_data = on)");
    assertThat(all.publications()).containsExactly("a", "B");
    assertThat(all.options())
        .containsEntry("connect", "true")
        .containsEntry("slot_name", null)
        .containsEntry("streaming", "parallel")
        .containsEntry("origin", "none")
        .containsEntry("copy_data", "on");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "CONNECTION 'host=x'|CONNECTION",
        "SET PUBLICATION a, b|SET_PUBLICATION",
        "ADD PUBLICATION a WITH (refresh = false)|ADD_PUBLICATION",
        "DROP PUBLICATION a|DROP_PUBLICATION",
        "REFRESH PUBLICATION|REFRESH_PUBLICATION",
        "REFRESH PUBLICATION WITH (copy_data = false)|REFRESH_PUBLICATION",
        "ENABLE|ENABLE",
        "DISABLE|DISABLE",
        "SET (slot_name = NONE)|SET_OPTIONS",
        "SKIP (lsn = '0/16B1970')|SKIP",
        "SKIP (lsn = NONE)|SKIP",
        "RENAME TO t|RENAME",
        "OWNER TO CURRENT_USER|OWNER"
      })
  @DisplayName("ALTER SUBSCRIPTION in every form")
  void alterSubscription(String form, AlterSubscription.Action action) {
    AlterSubscription alter = (AlterSubscription) one("ALTER SUBSCRIPTION s " + form);
    assertThat(alter.name()).isEqualTo("s");
    assertThat(alter.action()).isEqualTo(action);
  }

  @Test
  @DisplayName("what ALTER SUBSCRIPTION carries")
  void alterSubscriptionParts() {
    AlterSubscription add =
        (AlterSubscription)
            one("ALTER SUBSCRIPTION s ADD PUBLICATION a, b WITH (refresh = false, copy_data)");
    assertThat(add.publications()).containsExactly("a", "b");
    assertThat(add.options())
        .containsExactly(Map.entry("refresh", "false"), Map.entry("copy_data", "true"));
    AlterSubscription skip = (AlterSubscription) one("ALTER SUBSCRIPTION s SKIP (lsn = '0/1A')");
    assertThat(skip.options()).containsEntry("lsn", "0/1A");
    assertThat(((AlterSubscription) one("ALTER SUBSCRIPTION s SKIP (lsn = NONE)")).options())
        .containsEntry("lsn", null);
    assertThat(((AlterSubscription) one("ALTER SUBSCRIPTION s CONNECTION 'it''s'")).connection())
        .isEqualTo("it's");
    assertThat(one("DROP SUBSCRIPTION IF EXISTS s CASCADE"))
        .isEqualTo(new DropSubscription("DROP SUBSCRIPTION IF EXISTS s CASCADE", "s", true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE PUBLICATION",
        "CREATE PUBLICATION p FOR",
        "CREATE PUBLICATION p FOR a",
        "CREATE PUBLICATION p FOR TABLE",
        "CREATE PUBLICATION p FOR TABLE a,",
        "CREATE PUBLICATION p FOR TABLE a WHERE id > 1",
        "CREATE PUBLICATION p FOR TABLE a ()",
        "CREATE PUBLICATION p FOR TABLE a WHERE ()",
        "CREATE PUBLICATION p FOR TABLES IN SCHEMA s (a)",
        "CREATE PUBLICATION p FOR TABLES IN SCHEMA s WHERE (a)",
        "CREATE PUBLICATION p FOR TABLES IN SCHEMA a.b",
        "CREATE PUBLICATION p WITH publish = 'x'",
        "CREATE PUBLICATION p WITH (publish = 'x', publish = 'y')",
        "CREATE PUBLICATION p WITH ()",
        "CREATE PUBLICATION s.p",
        "ALTER PUBLICATION p",
        "ALTER PUBLICATION p ADD",
        "ALTER PUBLICATION p RENAME q",
        "DROP PUBLICATION",
        "CREATE SUBSCRIPTION s PUBLICATION p",
        "CREATE SUBSCRIPTION s CONNECTION host PUBLICATION p",
        "CREATE SUBSCRIPTION s CONNECTION 'x'",
        "CREATE SUBSCRIPTION s CONNECTION 'x' PUBLICATION p WITH enabled",
        "ALTER SUBSCRIPTION s ENABLE now",
        "ALTER SUBSCRIPTION s SKIP lsn = '0/0'",
        "DROP SUBSCRIPTION a, b"
      })
  @DisplayName("anything else is a syntax error with its position")
  void syntaxErrors(String sql) {
    assertThatThrownBy(() -> one(sql))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("42601");
              assertThat(e.position()).isPositive();
            });
  }

  @Test
  @DisplayName("a name without TABLE before it gets PostgreSQL's advice")
  void standaloneName() {
    assertThatThrownBy(() -> one("ALTER PUBLICATION p ADD a"))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.getMessage()).isEqualTo("invalid publication object list");
              assertThat(e.detail()).startsWith("One of TABLE or TABLES IN SCHEMA must be");
            });
  }
}
