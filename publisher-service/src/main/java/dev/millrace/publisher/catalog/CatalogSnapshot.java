package dev.millrace.publisher.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import java.util.Map;
import java.util.TreeMap;

/**
 * The whole catalogue at one moment. Immutable: a change makes a new snapshot that shares what did
 * not change.
 *
 * @param sinceLsn the end of the commit record that made it; changes at or after this position see
 *     it
 */
public record CatalogSnapshot(
    long sinceLsn,
    Map<Integer, RelationDefinition> relations,
    Map<Integer, SchemaDefinition> schemas,
    Map<String, PublicationDefinition> publications) {

  public CatalogSnapshot {
    relations = Map.copyOf(relations);
    schemas = Map.copyOf(schemas);
    publications = Map.copyOf(publications);
  }

  public RelationDefinition relation(int oid) {
    return relations.get(oid);
  }

  /** Null when there is no such table. */
  public RelationDefinition relation(QualifiedName name) {
    for (RelationDefinition relation : relations.values()) {
      if (relation.name().equals(name)) {
        return relation;
      }
    }
    return null;
  }

  /** Null when there is no such publication. */
  public PublicationDefinition publication(String name) {
    return publications.get(name);
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
    for (PublicationDefinition.Member member : publication.tables()) {
      if (member.relationOid() == relation.oid()) {
        return true;
      }
    }
    for (PublicationDefinition.SchemaMember member : publication.schemas()) {
      SchemaDefinition schema = schemas.get(member.schemaOid());
      if (schema != null && schema.name().equals(relation.name().schema())) {
        return true;
      }
    }
    return false;
  }

  /** The tables in name order, for lists and views. */
  public Iterable<RelationDefinition> relationsByName() {
    TreeMap<QualifiedName, RelationDefinition> sorted = new TreeMap<>();
    relations.values().forEach(relation -> sorted.put(relation.name(), relation));
    return sorted.values();
  }
}
