package dev.millrace.publisher.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The whole catalogue at one moment. Immutable: a change makes a new snapshot that shares what did
 * not change.
 */
public final class CatalogSnapshot {

  /** OID of schema public in every node, as in PostgreSQL. */
  public static final int PUBLIC_OID = 2200;

  private final long sinceLsn;
  private final Map<Integer, RelationDefinition> relations;
  private final Map<Integer, SchemaDefinition> schemas;
  private final Map<String, PublicationDefinition> publications;
  private final Map<QualifiedName, RelationDefinition> relationsByName;
  private final Map<QualifiedName, TypeDefinition> types;

  /**
   * @param sinceLsn the end of the commit record that made it; changes at or after this position
   *     see it
   * @param relations by OID
   * @param schemas by OID
   * @param publications by name
   */
  public CatalogSnapshot(
      long sinceLsn,
      Map<Integer, RelationDefinition> relations,
      Map<Integer, SchemaDefinition> schemas,
      Map<String, PublicationDefinition> publications) {
    this(
        sinceLsn,
        Map.copyOf(relations),
        Map.copyOf(schemas),
        Map.copyOf(publications),
        byName(relations.values()),
        Map.of());
  }

  /** Takes immutable maps as they are. */
  CatalogSnapshot(
      long sinceLsn,
      Map<Integer, RelationDefinition> relations,
      Map<Integer, SchemaDefinition> schemas,
      Map<String, PublicationDefinition> publications,
      Map<QualifiedName, RelationDefinition> relationsByName,
      Map<QualifiedName, TypeDefinition> types) {
    this.types = types;
    this.sinceLsn = sinceLsn;
    this.relations = relations;
    this.schemas = schemas;
    this.publications = publications;
    this.relationsByName = relationsByName;
  }

  /** The catalogue of a new node: schema public and nothing else. */
  public static CatalogSnapshot initial() {
    return new CatalogSnapshot(
        0, Map.of(), Map.of(PUBLIC_OID, new SchemaDefinition(PUBLIC_OID, "public")), Map.of());
  }

  static Map<QualifiedName, RelationDefinition> byName(Collection<RelationDefinition> relations) {
    Map<QualifiedName, RelationDefinition> byName = new HashMap<>();
    relations.forEach(relation -> byName.put(relation.name(), relation));
    return byName;
  }

  /** The end of the commit record that made it. */
  public long sinceLsn() {
    return sinceLsn;
  }

  /** The tables by OID. */
  public Map<Integer, RelationDefinition> relations() {
    return relations;
  }

  /** The schemas by OID. */
  public Map<Integer, SchemaDefinition> schemas() {
    return schemas;
  }

  /** The publications by name. */
  public Map<String, PublicationDefinition> publications() {
    return publications;
  }

  /** The enums and domains by name. */
  public Map<QualifiedName, TypeDefinition> types() {
    return types;
  }

  Map<QualifiedName, RelationDefinition> relationsByQualifiedName() {
    return relationsByName;
  }

  public RelationDefinition relation(int oid) {
    return relations.get(oid);
  }

  /** Null when there is no such table. */
  public RelationDefinition relation(QualifiedName name) {
    return relationsByName.get(name);
  }

  /** Null when there is no such publication. */
  public PublicationDefinition publication(String name) {
    return publications.get(name);
  }

  /** Null when there is no such publication. */
  public PublicationDefinition publication(int oid) {
    for (PublicationDefinition publication : publications.values()) {
      if (publication.oid() == oid) {
        return publication;
      }
    }
    return null;
  }

  /** Null when there is no such schema. */
  public SchemaDefinition schema(String name) {
    for (SchemaDefinition schema : schemas.values()) {
      if (schema.name().equals(name)) {
        return schema;
      }
    }
    return null;
  }

  /** Whether the publication covers the table: listed, by its schema, or FOR ALL TABLES. */
  public boolean covers(PublicationDefinition publication, RelationDefinition relation) {
    if (publication.allTables()) {
      return true;
    }
    return publication.member(relation.oid()) != null || coversSchema(publication, relation);
  }

  private boolean coversSchema(PublicationDefinition publication, RelationDefinition relation) {
    for (PublicationDefinition.SchemaMember member : publication.schemas()) {
      SchemaDefinition schema = schemas.get(member.schemaOid());
      if (schema != null && schema.name().equals(relation.name().schema())) {
        return true;
      }
    }
    return false;
  }

  /**
   * The entry by which alone the publication covers the table, with row filter and column list;
   * null where FOR ALL TABLES or its schema publishes all of it.
   */
  public PublicationDefinition.Member listed(
      PublicationDefinition publication, RelationDefinition relation) {
    return publication.allTables() || coversSchema(publication, relation)
        ? null
        : publication.member(relation.oid());
  }

  /** The tables in name order, for lists and views. */
  public Iterable<RelationDefinition> relationsByName() {
    return new TreeMap<>(relationsByName).values();
  }

  /** The publications in name order, for lists and views. */
  public List<PublicationDefinition> publicationsByName() {
    return List.copyOf(new TreeMap<>(publications).values());
  }
}
