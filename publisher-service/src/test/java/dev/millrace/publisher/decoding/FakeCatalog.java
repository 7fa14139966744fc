package dev.millrace.publisher.decoding;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import dev.millrace.publisher.catalog.SchemaDefinition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A catalogue history made by hand. The body of its CATALOG records is {@code publication:oid} and
 * adds that table to the publication.
 */
final class FakeCatalog implements CatalogHistory {

  static final int PUBLIC = 2200;

  private final List<CatalogSnapshot> snapshots = new ArrayList<>();
  private final Map<Long, RelationDefinition> versions = new HashMap<>();

  FakeCatalog() {
    snapshots.add(
        new CatalogSnapshot(
            0, Map.of(), Map.of(PUBLIC, new SchemaDefinition(PUBLIC, "public")), Map.of()));
  }

  /** Columns {@code id int primary key, name text, data int} and what {@code more} adds. */
  static RelationDefinition table(
      int oid, int version, String name, ReplicaIdentity identity, ColumnDefinition... more) {
    List<ColumnDefinition> columns =
        new ArrayList<>(
            List.of(
                column(1, "id", PgType.INT4, true),
                column(2, "name", PgType.TEXT, false),
                column(3, "data", PgType.INT4, false)));
    columns.addAll(List.of(more));
    return new RelationDefinition(
        oid,
        version,
        new QualifiedName("public", name),
        columns,
        List.of(new IndexDefinition(oid + 1, name + "_pkey", true, true, List.of(1))),
        identity,
        0);
  }

  static ColumnDefinition column(int attnum, String name, int typeOid, boolean notNull) {
    return new ColumnDefinition(attnum, name, typeOid, -1, notNull, (char) 0, (char) 0);
  }

  static PublicationDefinition publication(int oid, String name, Integer... tables) {
    return publication(oid, name, "insert update delete truncate", tables);
  }

  /** One WITH (publish_generated_columns = stored). */
  static PublicationDefinition storedGenerated(int oid, String name, Integer... tables) {
    PublicationDefinition plain = publication(oid, name, tables);
    return new PublicationDefinition(
        oid, name, 10, false, true, true, true, true, false, 's', plain.tables(), List.of());
  }

  static PublicationDefinition publication(
      int oid, String name, String publish, Integer... tables) {
    List<PublicationDefinition.Member> members = new ArrayList<>();
    for (Integer table : tables) {
      members.add(new PublicationDefinition.Member(oid * 100 + table, table, null, null));
    }
    return new PublicationDefinition(
        oid,
        name,
        10,
        false,
        publish.contains("insert"),
        publish.contains("update"),
        publish.contains("delete"),
        publish.contains("truncate"),
        false,
        'n',
        members,
        List.of());
  }

  void put(long sinceLsn, RelationDefinition relation) {
    versions.put(key(relation.oid(), relation.version()), relation);
    Map<Integer, RelationDefinition> relations = new HashMap<>(current().relations());
    relations.put(relation.oid(), relation);
    add(sinceLsn, relations, current().publications());
  }

  void put(long sinceLsn, PublicationDefinition publication) {
    Map<String, PublicationDefinition> publications = new HashMap<>(current().publications());
    publications.put(publication.name(), publication);
    add(sinceLsn, current().relations(), publications);
  }

  private void add(
      long sinceLsn,
      Map<Integer, RelationDefinition> relations,
      Map<String, PublicationDefinition> publications) {
    snapshots.add(new CatalogSnapshot(sinceLsn, relations, current().schemas(), publications));
  }

  private static long key(int oid, int version) {
    return (long) oid << 32 | version;
  }

  @Override
  public CatalogSnapshot current() {
    return snapshots.get(snapshots.size() - 1);
  }

  @Override
  public CatalogSnapshot asOf(long lsn) {
    CatalogSnapshot found = snapshots.get(0);
    for (CatalogSnapshot snapshot : snapshots) {
      if (!Lsn.isBefore(lsn, snapshot.sinceLsn())) {
        found = snapshot;
      }
    }
    return found;
  }

  @Override
  public long nextChangeAfter(long lsn) {
    for (CatalogSnapshot snapshot : snapshots) {
      if (Lsn.isBefore(lsn, snapshot.sinceLsn())) {
        return snapshot.sinceLsn();
      }
    }
    return Long.MAX_VALUE;
  }

  @Override
  public RelationDefinition relation(int oid, int version) {
    return versions.get(key(oid, version));
  }

  @Override
  public CatalogSnapshot withRecord(
      CatalogSnapshot base, byte[] buffer, int bodyOffset, int bodyLength) {
    String[] parts = new String(buffer, bodyOffset, bodyLength, StandardCharsets.UTF_8).split(":");
    PublicationDefinition old = base.publication(parts[0]);
    List<Integer> tables = new ArrayList<>();
    old.tables().forEach(member -> tables.add(member.relationOid()));
    tables.add(Integer.valueOf(parts[1]));
    Map<String, PublicationDefinition> publications = new HashMap<>(base.publications());
    publications.put(parts[0], publication(old.oid(), parts[0], tables.toArray(new Integer[0])));
    return new CatalogSnapshot(base.sinceLsn(), base.relations(), base.schemas(), publications);
  }

  @Override
  public void forgetBefore(long lsn) {
    throw new UnsupportedOperationException("decoding never forgets");
  }
}
