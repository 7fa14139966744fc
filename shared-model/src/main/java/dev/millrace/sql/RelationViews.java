package dev.millrace.sql;

import dev.millrace.model.BootstrapRole;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgType;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * pg_class, pg_namespace, pg_attribute and pg_index of user tables, with PostgreSQL 18's columns.
 * What depends on PostgreSQL's storage shows what an empty new table has.
 */
public final class RelationViews {

  private static final String PG_CLASS =
      "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam oid,"
          + " relfilenode oid, reltablespace oid, relpages int4, reltuples float8,"
          + " relallvisible int4, relallfrozen int4, reltoastrelid oid, relhasindex bool,"
          + " relisshared bool, relpersistence \"char\", relkind \"char\", relnatts int2,"
          + " relchecks int2, relhasrules bool, relhastriggers bool, relhassubclass bool,"
          + " relrowsecurity bool, relforcerowsecurity bool, relispopulated bool,"
          + " relreplident \"char\", relispartition bool, relrewrite oid, relfrozenxid xid,"
          + " relminmxid xid, relacl text, reloptions text, relpartbound text";

  private static final String PG_ATTRIBUTE =
      "attrelid oid, attname name, atttypid oid, attlen int2, attnum int2, atttypmod int4,"
          + " attndims int2, attbyval bool, attalign \"char\", attstorage \"char\","
          + " attcompression \"char\", attnotnull bool, atthasdef bool, atthasmissing bool,"
          + " attidentity \"char\", attgenerated \"char\", attisdropped bool, attislocal bool,"
          + " attinhcount int2, attcollation oid, attstattarget int2, attacl text, attoptions text,"
          + " attfdwoptions text, attmissingval text";

  private static final String PG_INDEX =
      "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool,"
          + " indnullsnotdistinct bool, indisprimary bool, indisexclusion bool, indimmediate bool,"
          + " indisclustered bool, indisvalid bool, indcheckxmin bool, indisready bool,"
          + " indislive bool, indisreplident bool, indkey int2vector, indcollation oidvector, indclass oidvector,"
          + " indoption int2vector, indexprs text, indpred text";

  private static final long HEAP_ACCESS_METHOD = 2;
  private static final long BTREE_ACCESS_METHOD = 403;
  private static final long DEFAULT_COLLATION = 100;

  private RelationViews() {}

  /** The views; {@code source} is asked once per use of a view. */
  public static List<SystemView> of(Supplier<RelationSource> source) {
    return List.of(
        new SystemView("pg_class", ViewColumns.of(PG_CLASS), () -> classes(source.get())),
        new SystemView(
            "pg_namespace",
            ViewColumns.of("oid oid, nspname name, nspowner oid, nspacl text"),
            () -> namespaces(source.get())),
        new SystemView(
            "pg_attribute", ViewColumns.of(PG_ATTRIBUTE), () -> attributes(source.get())),
        new SystemView("pg_index", ViewColumns.of(PG_INDEX), () -> indexes(source.get())));
  }

  private static long oid(int oid) {
    return Integer.toUnsignedLong(oid);
  }

  private static List<Object[]> namespaces(RelationSource source) {
    Map<Integer, String> all = new HashMap<>(RelationSource.SYSTEM_SCHEMAS);
    all.putAll(source.schemas());
    List<Object[]> rows = new ArrayList<>();
    all.forEach(
        (schemaOid, name) ->
            rows.add(new Object[] {oid(schemaOid), name, oid(BootstrapRole.OID), null}));
    return rows;
  }

  private static List<Object[]> classes(RelationSource source) {
    List<Object[]> rows = new ArrayList<>();
    for (RelationDefinition relation : source.relations()) {
      long schema = source.schemaOid(relation.name().schema());
      boolean indexed = !relation.indexes().isEmpty();
      rows.add(
          classRow(
              relation.oid(),
              relation.name().name(),
              schema,
              HEAP_ACCESS_METHOD,
              "r",
              relation.columns().size(),
              indexed,
              String.valueOf(relation.replicaIdentity().code())));
      for (IndexDefinition index : relation.indexes()) {
        rows.add(
            classRow(
                index.oid(),
                index.name(),
                schema,
                BTREE_ACCESS_METHOD,
                "i",
                index.attnums().size(),
                false,
                "n"));
      }
    }
    return rows;
  }

  private static Object[] classRow(
      int oid,
      String name,
      long schema,
      long accessMethod,
      String kind,
      int columns,
      boolean indexed,
      String replicaIdentity) {
    return new Object[] {
      oid(oid),
      name,
      schema,
      0L,
      0L,
      oid(BootstrapRole.OID),
      accessMethod,
      oid(oid),
      0L,
      0,
      -1d,
      0,
      0,
      0L,
      indexed,
      false,
      "p",
      kind,
      columns,
      0,
      false,
      false,
      false,
      false,
      false,
      true,
      replicaIdentity,
      false,
      0L,
      0L,
      0L,
      null,
      null,
      null
    };
  }

  private static List<Object[]> attributes(RelationSource source) {
    List<Object[]> rows = new ArrayList<>();
    for (RelationDefinition relation : source.relations()) {
      for (ColumnDefinition column : relation.columns()) {
        rows.add(attribute(relation, column));
      }
    }
    return rows;
  }

  private static Object[] attribute(RelationDefinition relation, ColumnDefinition column) {
    PgType type = PgType.byOid(column.typeOid());
    int length = type == null ? -1 : type.length();
    boolean byValue = length > 0 && length <= 8;
    boolean collatable = type != null && type.category() == 'S';
    String alignment = length == 8 ? "d" : length == 2 ? "s" : length == 1 ? "c" : "i";
    return new Object[] {
      oid(relation.oid()),
      column.name(),
      oid(column.typeOid()),
      length,
      column.attnum(),
      column.typeModifier(),
      0,
      byValue,
      alignment,
      length > 0 ? "p" : "x",
      "",
      column.notNull(),
      column.isGenerated(),
      false,
      letter(column.identity()),
      letter(column.generated()),
      false,
      true,
      0,
      collatable ? DEFAULT_COLLATION : 0L,
      null,
      null,
      null,
      null,
      null
    };
  }

  private static String letter(char code) {
    return code == 0 ? "" : String.valueOf(code);
  }

  private static List<Object[]> indexes(RelationSource source) {
    List<Object[]> rows = new ArrayList<>();
    for (RelationDefinition relation : source.relations()) {
      for (IndexDefinition index : relation.indexes()) {
        rows.add(index(relation, index));
      }
    }
    return rows;
  }

  private static Object[] index(RelationDefinition relation, IndexDefinition index) {
    int columns = index.attnums().size();
    boolean identifies =
        relation.replicaIdentity() == ReplicaIdentity.INDEX
            && relation.identityIndexOid() == index.oid();
    String key = index.attnums().stream().map(String::valueOf).collect(Collectors.joining(" "));
    String zeros = "0 ".repeat(columns).trim();
    return new Object[] {
      oid(index.oid()),
      oid(relation.oid()),
      columns,
      columns,
      index.unique(),
      false,
      index.primary(),
      false,
      true,
      false,
      true,
      false,
      true,
      true,
      identifies,
      key,
      zeros,
      zeros,
      zeros,
      null,
      null
    };
  }
}
