package dev.millrace.publisher.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.wal.ControlState;
import dev.millrace.sql.SystemView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The catalogue's views")
class CatalogViewsTest {

  private int nextOid = 20000;
  private final VersionedCatalog catalog =
      new VersionedCatalog(new MemoryProjection(), () -> nextOid++, lsn -> {});
  private final List<SystemView> views =
      CatalogViews.of(catalog, new ControlState(1, 1, 1 << 24, 0, 0, 731, 0, 0, 0, 16384, "testdb"))
          .views();

  @BeforeEach
  void fill() {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(new SchemaDefinition(16394, "sales"));
    transaction.put(table(16390, "public", "Mixed \"Case\""));
    transaction.put(table(16391, "sales", "orders"));
    transaction.put(CatalogFixture.publication(16400, "p", 16390));
    transaction.put(
        new PublicationDefinition(
            16410, "all", 10, true, true, false, true, false, true, 's', List.of(), List.of()));
    transaction.put(
        new PublicationDefinition(
            16420,
            "s",
            10,
            false,
            true,
            true,
            true,
            true,
            false,
            'n',
            List.of(),
            List.of(new PublicationDefinition.SchemaMember(16421, 16394))));
    transaction.committed(0x1000100);
  }

  /** Columns id (key), "a b", a dropped third one, gen (stored generated). */
  private static RelationDefinition table(int oid, String schema, String name) {
    return new RelationDefinition(
        oid,
        1,
        new QualifiedName(schema, name),
        List.of(
            new ColumnDefinition(1, "id", PgType.INT4, -1, true, 'd', (char) 0),
            new ColumnDefinition(2, "a b", PgType.VARCHAR, 24, true, (char) 0, (char) 0),
            new ColumnDefinition(4, "gen", PgType.INT8, -1, false, (char) 0, 's')),
        List.of(
            new IndexDefinition(oid + 1000, name + "_pkey", true, true, List.of(1)),
            new IndexDefinition(oid + 2000, name + "_k", true, false, List.of(2, 1))),
        ReplicaIdentity.INDEX,
        oid + 2000);
  }

  @AfterEach
  void close() {
    catalog.close();
  }

  private List<Map<String, Object>> rows(String view) {
    SystemView found =
        views.stream().filter(candidate -> candidate.name().equals(view)).findFirst().orElseThrow();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Object[] values : found.rows().get()) {
      assertThat(values).as(view).hasSameSizeAs(found.columns());
      Map<String, Object> row = new LinkedHashMap<>();
      for (int i = 0; i < values.length; i++) {
        row.put(found.columns().get(i).name(), values[i]);
      }
      rows.add(row);
    }
    return rows;
  }

  @ParameterizedTest
  @CsvSource({
    "pg_class, 34",
    "pg_namespace, 4",
    "pg_attribute, 25",
    "pg_index, 21",
    "pg_database, 18",
    "pg_roles, 13",
    "pg_publication, 10",
    "pg_publication_rel, 5",
    "pg_publication_namespace, 3",
    "pg_publication_tables, 5"
  })
  @DisplayName("have as many columns as PostgreSQL 18's, and rows of that many values")
  void columns(String view, int count) {
    assertThat(rows(view)).isNotEmpty().allSatisfy(row -> assertThat(row).hasSize(count));
  }

  @Test
  @DisplayName("show publications with their members under the same OIDs everywhere (C1)")
  void publications() {
    assertThat(rows("pg_publication"))
        .extracting(row -> new ArrayList<>(row.values()))
        .containsExactly(
            list(16410L, "all", 10L, true, true, false, true, false, true, "s"),
            list(16400L, "p", 10L, false, true, true, true, true, false, "n"),
            list(16420L, "s", 10L, false, true, true, true, true, false, "n"));
    assertThat(rows("pg_publication_rel"))
        .extracting(row -> new ArrayList<>(row.values()))
        .containsExactly(list(21390L, 16400L, 16390L, null, null));
    assertThat(rows("pg_publication_namespace"))
        .extracting(row -> new ArrayList<>(row.values()))
        .containsExactly(list(16421L, 16420L, 16394L));
  }

  private static ArrayList<Object> list(Object... values) {
    return new ArrayList<>(Arrays.asList(values));
  }

  @Test
  @DisplayName("list published tables with their columns; generated ones only when published")
  void publicationTables() {
    assertThat(rows("pg_publication_tables"))
        .extracting(row -> new ArrayList<>(row.values()))
        .containsExactly(
            list("all", "public", "Mixed \"Case\"", "{id,\"a b\",gen}", null),
            list("all", "sales", "orders", "{id,\"a b\",gen}", null),
            list("p", "public", "Mixed \"Case\"", "{id,\"a b\"}", null),
            list("s", "sales", "orders", "{id,\"a b\"}", null));
  }

  @Test
  @DisplayName("N7: show the replica identity in pg_class and its index in pg_index")
  void replicaIdentity() {
    assertThat(rows("pg_class"))
        .filteredOn(row -> row.get("oid").equals(16391L))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row)
                  .containsEntry("relname", "orders")
                  .containsEntry("relnamespace", 16394L)
                  .containsEntry("relkind", "r")
                  .containsEntry("relnatts", 3)
                  .containsEntry("relhasindex", true)
                  .containsEntry("relreplident", "i");
            });
    assertThat(rows("pg_index"))
        .filteredOn(row -> row.get("indrelid").equals(16391L))
        .extracting(
            row -> row.get("indexrelid"),
            row -> row.get("indisprimary"),
            row -> row.get("indisreplident"),
            row -> row.get("indkey"))
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(17391L, true, false, "1"),
            org.assertj.core.groups.Tuple.tuple(18391L, false, true, "2 1"));
    assertThat(rows("pg_attribute"))
        .filteredOn(row -> row.get("attrelid").equals(16391L))
        .extracting(
            row -> row.get("attname"), row -> row.get("attnum"), row -> row.get("attgenerated"))
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("id", 1, ""),
            org.assertj.core.groups.Tuple.tuple("a b", 2, ""),
            org.assertj.core.groups.Tuple.tuple("gen", 4, "s"));
    assertThat(rows("pg_namespace"))
        .extracting(row -> row.get("nspname"))
        .contains("public", "sales", "pg_catalog");
    assertThat(rows("pg_database"))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("datname", "testdb"));
  }
}
