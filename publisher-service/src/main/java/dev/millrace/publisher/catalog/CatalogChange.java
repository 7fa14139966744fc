package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;

/**
 * One new definition of a catalogue object, or its end: what a CATALOG record carries. The kind
 * byte is a small letter for a definition and the capital one for a drop.
 */
sealed interface CatalogChange {

  char RELATION = 'r';
  char SCHEMA = 's';
  char PUBLICATION = 'p';
  char TYPE = 't';

  char kind();

  int oid();

  void applyTo(CatalogEditor catalog);

  record PutRelation(RelationDefinition relation) implements CatalogChange {
    @Override
    public char kind() {
      return RELATION;
    }

    @Override
    public int oid() {
      return relation.oid();
    }

    @Override
    public void applyTo(CatalogEditor catalog) {
      catalog.put(relation);
    }
  }

  record PutSchema(SchemaDefinition schema) implements CatalogChange {
    @Override
    public char kind() {
      return SCHEMA;
    }

    @Override
    public int oid() {
      return schema.oid();
    }

    @Override
    public void applyTo(CatalogEditor catalog) {
      catalog.put(schema);
    }
  }

  record PutPublication(PublicationDefinition publication) implements CatalogChange {
    @Override
    public char kind() {
      return PUBLICATION;
    }

    @Override
    public int oid() {
      return publication.oid();
    }

    @Override
    public void applyTo(CatalogEditor catalog) {
      catalog.put(publication);
    }
  }

  record PutType(TypeDefinition type) implements CatalogChange {
    @Override
    public char kind() {
      return TYPE;
    }

    @Override
    public int oid() {
      return type.oid();
    }

    @Override
    public void applyTo(CatalogEditor catalog) {
      catalog.put(type);
    }
  }

  /**
   * @param object {@link #RELATION}, {@link #SCHEMA}, {@link #PUBLICATION} or {@link #TYPE}
   */
  record Drop(char object, int oid) implements CatalogChange {
    @Override
    public char kind() {
      return Character.toUpperCase(object);
    }

    @Override
    public void applyTo(CatalogEditor catalog) {
      switch (object) {
        case RELATION -> catalog.dropRelation(oid);
        case SCHEMA -> catalog.dropSchema(oid);
        case TYPE -> catalog.dropType(oid);
        default -> catalog.dropPublication(oid);
      }
    }
  }
}
