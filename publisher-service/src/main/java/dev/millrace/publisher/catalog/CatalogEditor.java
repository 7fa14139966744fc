package dev.millrace.publisher.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A snapshot being changed: copies a map of it at the first change to that map. One thread. */
final class CatalogEditor {

  private final CatalogSnapshot base;
  private Map<Integer, RelationDefinition> relations;
  private Map<QualifiedName, RelationDefinition> relationsByName;
  private Map<Integer, SchemaDefinition> schemas;
  private Map<String, PublicationDefinition> publications;
  private Map<QualifiedName, TypeDefinition> types;

  CatalogEditor(CatalogSnapshot base) {
    this.base = base;
  }

  static CatalogSnapshot apply(
      CatalogSnapshot base, Iterable<CatalogChange> changes, long sinceLsn) {
    CatalogEditor editor = new CatalogEditor(base);
    changes.forEach(change -> change.applyTo(editor));
    return editor.snapshot(sinceLsn);
  }

  /** Also takes the table out of publications whose filter or list names a column it lost. */
  void put(RelationDefinition relation) {
    removeRelation(relation.oid());
    relations.put(relation.oid(), relation);
    relationsByName.put(relation.name(), relation);
    editMembers(publication -> publication.withoutMissingColumns(relation));
  }

  /** Also takes the table out of the publications that list it. */
  void dropRelation(int oid) {
    removeRelation(oid);
    editMembers(publication -> publication.withoutTables(table -> table == oid));
  }

  private void removeRelation(int oid) {
    if (relations == null) {
      relations = new HashMap<>(base.relations());
      relationsByName = new HashMap<>(base.relationsByQualifiedName());
    }
    RelationDefinition old = relations.remove(oid);
    if (old != null) {
      relationsByName.remove(old.name(), old);
    }
  }

  void put(SchemaDefinition schema) {
    removeSchema(schema.oid());
    schemas.put(schema.oid(), schema);
  }

  /** Also takes the schema out of the publications that list it. */
  void dropSchema(int oid) {
    removeSchema(oid);
    editMembers(publication -> publication.withoutSchemas(schema -> schema == oid));
  }

  /** Takes tables and schemas that are not there any more out of all publications. */
  void dropMissingMembers() {
    Map<Integer, RelationDefinition> tables = relations == null ? base.relations() : relations;
    Map<Integer, SchemaDefinition> known = schemas == null ? base.schemas() : schemas;
    editMembers(
        publication ->
            publication
                .withoutTables(table -> !tables.containsKey(table))
                .withoutSchemas(schema -> !known.containsKey(schema)));
  }

  private void editMembers(UnaryOperator<PublicationDefinition> edit) {
    Map<String, PublicationDefinition> before =
        publications == null ? base.publications() : publications;
    Map<String, PublicationDefinition> after = new HashMap<>();
    before.forEach((name, publication) -> after.put(name, edit.apply(publication)));
    if (!after.equals(before)) {
      publications = after;
    }
  }

  private void removeSchema(int oid) {
    if (schemas == null) {
      schemas = new HashMap<>(base.schemas());
    }
    schemas.remove(oid);
  }

  /** The OID decides: a publication that was renamed does not stay under its old name. */
  void put(PublicationDefinition publication) {
    dropPublication(publication.oid());
    publications.put(publication.name(), publication);
  }

  void dropPublication(int oid) {
    if (publications == null) {
      publications = new HashMap<>(base.publications());
    }
    publications.values().removeIf(publication -> publication.oid() == oid);
  }

  /** The OID decides: a type that was renamed does not stay under its old name. */
  void put(TypeDefinition type) {
    dropType(type.oid());
    types.put(type.name(), type);
  }

  void dropType(int oid) {
    if (types == null) {
      types = new HashMap<>(base.types());
    }
    types.values().removeIf(type -> type.oid() == oid);
  }

  CatalogSnapshot snapshot(long sinceLsn) {
    return new CatalogSnapshot(
        sinceLsn,
        relations == null ? base.relations() : Map.copyOf(relations),
        schemas == null ? base.schemas() : Map.copyOf(schemas),
        publications == null ? base.publications() : Map.copyOf(publications),
        relations == null ? base.relationsByQualifiedName() : Map.copyOf(relationsByName),
        types == null ? base.types() : Map.copyOf(types));
  }
}
