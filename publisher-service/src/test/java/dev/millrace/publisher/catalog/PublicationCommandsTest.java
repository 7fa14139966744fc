package dev.millrace.publisher.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.SqlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * C1: SQL in, the transaction's catalogue out. The tables are public.t1 to t3, public.wide,
 * public."Mixed Case", sales.orders.
 */
@DisplayName("Publication commands")
class PublicationCommandsTest {

  private int nextOid = 20000;
  private final VersionedCatalog catalog =
      new VersionedCatalog(new MemoryProjection(), () -> nextOid++, lsn -> {});
  private final PublicationCommands commands =
      new PublicationCommands(catalog, new Settings(SettingTable.definitions(), Map.of()));
  private final List<Notice> notices = new ArrayList<>();
  private CatalogTransaction transaction;

  @BeforeEach
  void createTables() {
    CatalogTransaction tables = catalog.begin();
    tables.put(CatalogFixture.table(16390, 1, "t1", "id"));
    tables.put(CatalogFixture.table(16391, 1, "t2", "id"));
    tables.put(CatalogFixture.table(16392, 1, "t3", "id"));
    tables.put(CatalogFixture.table(16393, 1, "Mixed Case", "id"));
    tables.put(CatalogFixture.withVirtual(CatalogFixture.table(16396, 1, "wide", "id", "b", "c")));
    tables.put(new SchemaDefinition(16394, "sales"));
    RelationDefinition orders = CatalogFixture.table(16395, 1, "orders", "id");
    tables.put(
        new RelationDefinition(
            orders.oid(),
            1,
            new QualifiedName("sales", "orders"),
            orders.columns(),
            orders.indexes(),
            ReplicaIdentity.DEFAULT,
            0));
    tables.committed(0x1000100);
    transaction = catalog.begin();
  }

  @AfterEach
  void close() {
    transaction.rollbackTo(0);
    catalog.close();
  }

  private String run(String sql) {
    String command = null;
    for (ParsedStatement statement : SqlParser.parse(sql)) {
      if (statement instanceof ParsedStatement.CreatePublication create) {
        command = commands.create(create, transaction, notices::add).command();
      } else if (statement instanceof ParsedStatement.AlterPublication alter) {
        command = commands.alter(alter, transaction).command();
      } else if (statement instanceof ParsedStatement.DropPublication drop) {
        command = commands.drop(drop, transaction, notices::add).command();
      } else if (statement instanceof ParsedStatement.AlterReplicaIdentity identity) {
        ReplicaIdentityCommand.execute(identity, transaction);
      }
    }
    return command;
  }

  private PublicationDefinition publication(String name) {
    return transaction.view().publication(name);
  }

  private List<String> tables(String publication) {
    return publication(publication).tables().stream()
        .map(member -> transaction.view().relation(member.relationOid()).name().name())
        .toList();
  }

  private void assertRefused(String sql, String sqlState, String message, String detail) {
    CatalogSnapshot before = transaction.view();
    assertThatThrownBy(() -> run(sql))
        .as(sql)
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).as(e.getMessage()).isEqualTo(sqlState);
              assertThat(e.detail()).isEqualTo(detail);
            })
        .hasMessage(message);
    assertThat(transaction.view().publications()).isEqualTo(before.publications());
  }

  @Test
  @DisplayName("create one of listed tables, each once, with all operations published")
  void createForTables() {
    assertThat(run("CREATE PUBLICATION p FOR TABLE t1, ONLY t2, public.t1, \"Mixed Case\""))
        .isEqualTo("CREATE PUBLICATION");
    PublicationDefinition p = publication("p");
    assertThat(tables("p")).containsExactly("t1", "t2", "Mixed Case");
    assertThat(p.insert() && p.update() && p.delete() && p.truncate()).isTrue();
    assertThat(p.allTables() || p.viaRoot()).isFalse();
    assertThat(p.generatedColumns()).isEqualTo('n');
    assertThat(p.owner()).isEqualTo(10);
    assertThat(notices).isEmpty();
    assertThat(catalog.current().publications()).isEmpty();
  }

  @Test
  @DisplayName("create empty ones, of all tables, of schemas, with quoted names")
  void createForms() {
    run("CREATE PUBLICATION \"Empty One\"; CREATE PUBLICATION a FOR ALL TABLES");
    run("CREATE PUBLICATION s FOR TABLES IN SCHEMA sales, TABLE t1");
    assertThat(publication("Empty One").tables()).isEmpty();
    assertThat(publication("a").allTables()).isTrue();
    assertThat(publication("s").schemas())
        .extracting(PublicationDefinition.SchemaMember::schemaOid)
        .containsExactly(16394);
    CatalogSnapshot view = transaction.view();
    RelationDefinition orders = view.relation(16395);
    RelationDefinition t2 = view.relation(16391);
    assertThat(view.covers(publication("s"), orders)).isTrue();
    assertThat(view.covers(publication("s"), t2)).isFalse();
    assertThat(view.covers(publication("a"), t2)).isTrue();
    assertThat(view.covers(publication("Empty One"), t2)).isFalse();
  }

  @Test
  @DisplayName("take the options of PostgreSQL 18 and change only those given")
  void options() {
    run(
        "CREATE PUBLICATION p FOR TABLE t1 WITH (publish = ' insert , \"update\"',"
            + " publish_via_partition_root, publish_generated_columns = stored)");
    PublicationDefinition p = publication("p");
    assertThat(List.of(p.insert(), p.update(), p.delete(), p.truncate()))
        .containsExactly(true, true, false, false);
    assertThat(p.viaRoot()).isTrue();
    assertThat(p.generatedColumns()).isEqualTo('s');
    run("ALTER PUBLICATION p SET (publish = 'TRUNCATE')");
    PublicationDefinition changed = publication("p");
    assertThat(changed.insert()).isFalse();
    assertThat(changed.truncate()).isTrue();
    assertThat(changed.viaRoot()).isTrue();
    run("ALTER PUBLICATION p SET (publish = '')");
    assertThat(publication("p").truncate()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "foo = 1 | unrecognized publication parameter: \"foo\" |",
        "publish = 'insert, fly' | unrecognized value for publication option \"publish\": \"fly\" |",
        "publish = 'insert,' | invalid list syntax in parameter \"publish\" |",
        "publish = 'insert update' | invalid list syntax in parameter \"publish\" |",
        "publish = '\"insert' | invalid list syntax in parameter \"publish\" |",
        "publish_via_partition_root = 7 | publish_via_partition_root requires a Boolean value |",
        "publish_generated_columns = all | invalid value for publication parameter"
            + " \"publish_generated_columns\": \"all\" | Valid values are \"none\" and \"stored\"."
      })
  @DisplayName("refuse unknown options and values with 42601")
  void badOptions(String option, String message, String detail) {
    assertRefused("CREATE PUBLICATION p WITH (" + option + ")", "42601", message, detail);
    run("CREATE PUBLICATION q");
    assertRefused("ALTER PUBLICATION q SET (" + option + ")", "42601", message, detail);
  }

  @Test
  @DisplayName("refuse what does not exist or is there already")
  void unknownAndDuplicate() {
    run("CREATE PUBLICATION p FOR TABLE t1, TABLES IN SCHEMA sales");
    assertRefused("CREATE PUBLICATION p", "42710", "publication \"p\" already exists", null);
    assertRefused(
        "CREATE PUBLICATION q FOR TABLE t1, nosuch",
        "42P01",
        "relation \"nosuch\" does not exist",
        null);
    assertRefused(
        "CREATE PUBLICATION q FOR TABLE sales.nosuch",
        "42P01",
        "relation \"sales.nosuch\" does not exist",
        null);
    assertRefused(
        "CREATE PUBLICATION q FOR TABLE nosuch.t1",
        "3F000",
        "schema \"nosuch\" does not exist",
        null);
    assertRefused(
        "CREATE PUBLICATION q FOR TABLES IN SCHEMA nosuch",
        "3F000",
        "schema \"nosuch\" does not exist",
        null);
    assertRefused(
        "CREATE PUBLICATION q FOR TABLES IN SCHEMA pg_catalog",
        "22023",
        "cannot add schema \"pg_catalog\" to publication",
        "This operation is not supported for system schemas.");
    assertRefused(
        "ALTER PUBLICATION nosuch ADD TABLE t1",
        "42704",
        "publication \"nosuch\" does not exist",
        null);
    assertRefused(
        "ALTER PUBLICATION p ADD TABLE t2, t1",
        "42710",
        "relation \"t1\" is already member of publication \"p\"",
        null);
    assertRefused(
        "ALTER PUBLICATION p ADD TABLES IN SCHEMA sales",
        "42710",
        "schema \"sales\" is already member of publication \"p\"",
        null);
    assertRefused(
        "ALTER PUBLICATION p DROP TABLE t2",
        "42704",
        "relation \"t2\" is not part of the publication",
        null);
    assertRefused(
        "ALTER PUBLICATION p DROP TABLES IN SCHEMA public",
        "42704",
        "tables from schema \"public\" are not part of the publication",
        null);
    assertRefused(
        "DROP PUBLICATION p, nosuch", "42704", "publication \"nosuch\" does not exist", null);
  }

  @Test
  @DisplayName("keep a row filter by attribute numbers, so that it follows renamed columns")
  void rowFilters() {
    run("CREATE PUBLICATION p FOR TABLE wide (id, b) WHERE (id > 10 and wide.b = 5 /* five */)");
    PublicationDefinition.Member member = publication("p").tables().get(0);
    assertThat(member.rowFilter()).isEqualTo("$1 > 10 and $2 = 5");
    assertThat(PublishedTable.of(transaction.view(), publication("p")).get(0).rowFilter())
        .isEqualTo("(id > 10 and b = 5)");
    run("ALTER PUBLICATION p SET TABLE wide (id, b) WHERE (id > 10 AND b=5)");
    assertThat(publication("p").tables().get(0).oid()).isNotEqualTo(member.oid());
    run("ALTER PUBLICATION p SET TABLE wide WHERE (false), t1 WHERE (NULL)");
    assertThat(publication("p").tables()).extracting("rowFilter").containsExactly("false", "NULL");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x > 1 | 42703 | column \"x\" does not exist |",
        "other.id > 1 | 42P01 | missing FROM-clause entry for table \"other\" |",
        "id > $1 | 42P02 | there is no parameter $1 |",
        "id | 42804" + " | argument of PUBLICATION WHERE must be type boolean, not type integer |",
        "id > 'x' | 22P02 | invalid input syntax: \"x\" |",
        "nosuch(id) > 1 | 42883 | function nosuch does not exist |",
        "count(*) > 1 | 42803 | aggregate functions are not allowed in WHERE |",
        "ctid IS NOT NULL | 0A000 | invalid publication WHERE expression"
            + " | System columns are not allowed.",
        "id > random() | 0A000 | invalid publication WHERE expression"
            + " | User-defined or built-in mutable functions are not allowed.",
        "id > pg_current_wal_lsn() | 0A000 | invalid publication WHERE expression"
            + " | User-defined or built-in mutable functions are not allowed.",
        "id IN (SELECT 1) | 0A000 | invalid publication WHERE expression | ONLY_SIMPLE",
        "EXISTS (SELECT 1) | 0A000 | invalid publication WHERE expression | ONLY_SIMPLE",
        "current_date > '2026-01-01' | 0A000 | invalid publication WHERE expression | ONLY_SIMPLE",
        "current_user = 'me' | 0A000 | invalid publication WHERE expression | ONLY_SIMPLE",
      })
  @DisplayName("refuse row filters that cannot be, worded as PostgreSQL does")
  void badRowFilters(String filter, String sqlState, String message, String detail) {
    String onlySimple =
        "Only columns, constants, built-in operators, built-in data types, built-in collations, and"
            + " immutable built-in functions are allowed.";
    assertRefused(
        "CREATE PUBLICATION p FOR TABLE wide WHERE (" + filter + ")",
        sqlState,
        message,
        "ONLY_SIMPLE".equals(detail) ? onlySimple : detail);
  }

  @Test
  @DisplayName("refuse a table named twice with a row filter")
  void repeatedRowFilters() {
    for (String tables : List.of("wide WHERE (id > 1), wide", "wide, wide WHERE (id > 1)")) {
      assertRefused(
          "CREATE PUBLICATION p FOR TABLE " + tables,
          "42710",
          "conflicting or redundant WHERE clauses for table \"wide\"",
          null);
    }
  }

  @Test
  @DisplayName("keep a column list as attribute numbers in order; a changed one is a new member")
  void columnLists() {
    run("CREATE PUBLICATION p FOR TABLE wide (c, id), t1");
    assertThat(publication("p").tables().get(0).columns()).containsExactly(1, 3);
    assertThat(publication("p").tables().get(1).columns()).isNull();
    int oid = publication("p").tables().get(0).oid();
    run("ALTER PUBLICATION p SET TABLE wide (id, c)");
    assertThat(publication("p").tables().get(0).oid()).isEqualTo(oid);
    run("ALTER PUBLICATION p SET TABLE wide (id)");
    assertThat(publication("p").tables().get(0).oid()).isNotEqualTo(oid);
    assertThat(publication("p").tables().get(0).columns()).containsExactly(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wide (id, x) | 42703 | column \"x\" of relation \"wide\" does not exist",
        "wide (id, ctid) | 42P10 | cannot use system column \"ctid\" in publication column list",
        "wide (id, v) | 42P10"
            + " | cannot use virtual generated column \"v\" in publication column list",
        "wide (id, id) | 42710 | duplicate column \"id\" in publication column list",
        "wide (id), wide | 42710" + " | conflicting or redundant column lists for table \"wide\"",
        "wide, wide (id) | 42710" + " | conflicting or redundant column lists for table \"wide\"",
      })
  @DisplayName("refuse column lists that cannot be, worded as PostgreSQL does")
  void badColumnLists(String table, String sqlState, String message) {
    assertRefused("CREATE PUBLICATION p FOR TABLE " + table, sqlState, message, null);
  }

  @Test
  @DisplayName("refuse column lists beside whole schemas, which publish every column")
  void columnListsAndSchemas() {
    String noList =
        "Column lists cannot be specified in publications containing FOR TABLES IN SCHEMA elements.";
    assertRefused(
        "CREATE PUBLICATION p FOR TABLE wide (id), TABLES IN SCHEMA sales",
        "22023",
        "cannot use column list for relation \"public.wide\" in publication \"p\"",
        noList);
    run("CREATE PUBLICATION p FOR TABLES IN SCHEMA sales");
    assertRefused(
        "ALTER PUBLICATION p ADD TABLE wide (id)",
        "22023",
        "cannot use column list for relation \"public.wide\" in publication \"p\"",
        noList);
    run("CREATE PUBLICATION q FOR TABLE wide (id)");
    assertRefused(
        "ALTER PUBLICATION q ADD TABLES IN SCHEMA sales",
        "22023",
        "cannot add schema to publication \"q\"",
        "Schemas cannot be added if any tables that specify a column list are already part of the"
            + " publication.");
  }

  @Test
  @DisplayName("refuse details where a table is taken out")
  void dropWithDetails() {
    run("CREATE PUBLICATION p FOR TABLE t1");
    assertRefused(
        "ALTER PUBLICATION p DROP TABLE t1 (id)",
        "42601",
        "column list must not be specified in ALTER PUBLICATION ... DROP",
        null);
    assertRefused(
        "ALTER PUBLICATION p DROP TABLE t1 WHERE (id > 1)",
        "42601",
        "cannot use a WHERE clause when removing a table from a publication",
        null);
  }

  @Test
  @DisplayName("add, set and drop members; a member that stays keeps its OID")
  void members() {
    run("CREATE PUBLICATION p FOR TABLE t1");
    int oid = publication("p").tables().get(0).oid();
    run("ALTER PUBLICATION p ADD TABLE t2; ALTER PUBLICATION p ADD TABLES IN SCHEMA sales");
    assertThat(tables("p")).containsExactly("t1", "t2");
    run("ALTER PUBLICATION p SET TABLE t3, t1");
    assertThat(tables("p")).containsExactly("t3", "t1");
    assertThat(publication("p").tables().get(1).oid()).isEqualTo(oid);
    assertThat(publication("p").schemas()).isEmpty();
    run("ALTER PUBLICATION p DROP TABLE t1");
    assertThat(tables("p")).containsExactly("t3");
    run("ALTER PUBLICATION p SET TABLES IN SCHEMA sales");
    assertThat(tables("p")).isEmpty();
    assertThat(publication("p").schemas()).hasSize(1);
    run("ALTER PUBLICATION p DROP TABLES IN SCHEMA sales");
    assertThat(publication("p").schemas()).isEmpty();
  }

  @Test
  @DisplayName("refuse members for a publication of all tables")
  void allTables() {
    run("CREATE PUBLICATION p FOR ALL TABLES");
    String message = "publication \"p\" is defined as FOR ALL TABLES";
    for (String action : new String[] {"ADD", "SET", "DROP"}) {
      assertRefused(
          "ALTER PUBLICATION p " + action + " TABLE t1",
          "55000",
          message,
          "Tables cannot be added to or dropped from FOR ALL TABLES publications.");
      assertRefused(
          "ALTER PUBLICATION p " + action + " TABLES IN SCHEMA sales",
          "55000",
          message,
          "Schemas cannot be added to or dropped from FOR ALL TABLES publications.");
    }
  }

  @Test
  @DisplayName("rename, swap names, and give to another owner")
  void renameAndOwner() {
    run("CREATE PUBLICATION a FOR TABLE t1; CREATE PUBLICATION b FOR TABLE t2");
    assertRefused(
        "ALTER PUBLICATION a RENAME TO b", "42710", "publication \"b\" already exists", null);
    run(
        "ALTER PUBLICATION a RENAME TO c; ALTER PUBLICATION b RENAME TO a;"
            + " ALTER PUBLICATION c RENAME TO b");
    assertThat(tables("a")).containsExactly("t2");
    assertThat(tables("b")).containsExactly("t1");
    assertThat(transaction.view().publications()).containsOnlyKeys("a", "b");
    run("ALTER PUBLICATION a OWNER TO CURRENT_USER");
    assertRefused(
        "ALTER PUBLICATION a OWNER TO alice", "42704", "role \"alice\" does not exist", null);
  }

  @Test
  @DisplayName("drop several at once; IF EXISTS leaves a notice")
  void drop() {
    run("CREATE PUBLICATION a; CREATE PUBLICATION b; CREATE PUBLICATION c");
    assertThat(run("DROP PUBLICATION a, b")).isEqualTo("DROP PUBLICATION");
    run("DROP PUBLICATION IF EXISTS nosuch, c");
    assertThat(transaction.view().publications()).isEmpty();
    assertThat(notices)
        .containsExactly(Notice.notice("publication \"nosuch\" does not exist, skipping"));
  }

  @Test
  @DisplayName("warn when wal_level is not enough")
  void walLevel() {
    Settings replica = new Settings(SettingTable.definitions(), Map.of("wal_level", "replica"));
    new PublicationCommands(catalog, replica)
        .create(
            (ParsedStatement.CreatePublication) SqlParser.parse("CREATE PUBLICATION p").get(0),
            transaction,
            notices::add);
    assertThat(notices)
        .singleElement()
        .satisfies(
            notice -> {
              assertThat(notice.severity()).isEqualTo("WARNING");
              assertThat(notice.sqlstate()).isEqualTo("55000");
              assertThat(notice.message())
                  .isEqualTo("\"wal_level\" is insufficient to publish logical changes");
              assertThat(notice.hint())
                  .isEqualTo("Set \"wal_level\" to \"logical\" before creating subscriptions.");
            });
  }

  @Test
  @DisplayName("N7: REPLICA IDENTITY makes a new version of the table; an index must identify rows")
  void replicaIdentity() {
    RelationDefinition t1 = catalog.current().relation(16390);
    IndexDefinition unique = new IndexDefinition(17001, "t1_k", true, false, List.of(2));
    IndexDefinition nullable = new IndexDefinition(17002, "t1_n", true, false, List.of(2, 3));
    IndexDefinition plain = new IndexDefinition(17003, "t1_p", false, false, List.of(1));
    ColumnDefinition id = t1.columns().get(0);
    transaction.put(
        new RelationDefinition(
            16390,
            2,
            t1.name(),
            List.of(id, column(2, "k", true), column(3, "n", false)),
            List.of(t1.primaryKey(), unique, nullable, plain),
            ReplicaIdentity.DEFAULT,
            0));

    run("ALTER TABLE t1 REPLICA IDENTITY FULL");
    assertThat(identity()).isEqualTo(ReplicaIdentity.FULL);
    assertThat(transaction.view().relation(16390).version()).isEqualTo(3);
    run("ALTER TABLE t1 REPLICA IDENTITY USING INDEX t1_k");
    assertThat(identity()).isEqualTo(ReplicaIdentity.INDEX);
    assertThat(transaction.view().relation(16390).identityIndex()).isEqualTo(unique);
    run("ALTER TABLE t1 REPLICA IDENTITY NOTHING");
    assertThat(transaction.view().relation(16390).identityIndex()).isNull();
    run("ALTER TABLE t1 REPLICA IDENTITY DEFAULT");
    assertThat(transaction.view().relation(16390).identityIndex()).isEqualTo(t1.primaryKey());

    String alter = "ALTER TABLE t1 REPLICA IDENTITY USING INDEX ";
    assertRefused(
        alter + "nosuch", "42704", "index \"nosuch\" for table \"t1\" does not exist", null);
    assertRefused(alter + "t2_pkey", "42809", "\"t2_pkey\" is not an index for table \"t1\"", null);
    assertRefused(
        alter + "t1_p", "42809", "cannot use non-unique index \"t1_p\" as replica identity", null);
    assertRefused(
        alter + "t1_n",
        "42809",
        "index \"t1_n\" cannot be used as replica identity because column \"n\" is nullable",
        null);
    assertRefused(
        "ALTER TABLE nosuch REPLICA IDENTITY FULL",
        "42P01",
        "relation \"nosuch\" does not exist",
        null);
  }

  private static ColumnDefinition column(int attnum, String name, boolean notNull) {
    return new ColumnDefinition(attnum, name, PgType.INT4, -1, notNull, (char) 0, (char) 0);
  }

  private ReplicaIdentity identity() {
    return transaction.view().relation(16390).replicaIdentity();
  }
}
