package dev.millrace.publisher.catalog;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Definitions for the catalogue's tests. */
final class CatalogFixture {

  private CatalogFixture() {}

  /** A table in public of integer columns, the first of them the primary key. */
  static RelationDefinition table(int oid, int version, String name, String... columns) {
    List<ColumnDefinition> definitions = new ArrayList<>();
    for (String column : columns) {
      int attnum = definitions.size() + 1;
      definitions.add(
          new ColumnDefinition(attnum, column, PgType.INT4, -1, attnum == 1, (char) 0, (char) 0));
    }
    return new RelationDefinition(
        oid,
        version,
        new QualifiedName("public", name),
        definitions,
        List.of(new IndexDefinition(oid + 1000, name + "_pkey", true, true, List.of(1))),
        ReplicaIdentity.DEFAULT,
        0);
  }

  static RelationDefinition withoutKey(RelationDefinition table) {
    return with(table, List.of(), ReplicaIdentity.DEFAULT, 0);
  }

  /** The table with one more column: v, generated when it is read. */
  static RelationDefinition withVirtual(RelationDefinition table) {
    List<ColumnDefinition> columns = new ArrayList<>(table.columns());
    columns.add(
        new ColumnDefinition(columns.size() + 1, "v", PgType.INT4, -1, false, (char) 0, 'v'));
    return new RelationDefinition(
        table.oid(),
        table.version(),
        table.name(),
        columns,
        table.indexes(),
        table.replicaIdentity(),
        table.identityIndexOid());
  }

  static RelationDefinition with(
      RelationDefinition table,
      List<IndexDefinition> indexes,
      ReplicaIdentity identity,
      int identityIndexOid) {
    return new RelationDefinition(
        table.oid(),
        table.version() + 1,
        table.name(),
        table.columns(),
        indexes,
        identity,
        identityIndexOid);
  }

  static PublicationDefinition publication(int oid, String name, int... relationOids) {
    return new PublicationDefinition(
        oid, name, 10, false, true, true, true, true, false, 'n', members(relationOids), List.of());
  }

  static List<PublicationDefinition.Member> members(int... relationOids) {
    return Arrays.stream(relationOids)
        .mapToObj(oid -> new PublicationDefinition.Member(oid + 5000, oid, null, null))
        .toList();
  }
}
