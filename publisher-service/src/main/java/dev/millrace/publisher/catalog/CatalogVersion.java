package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;
import jakarta.persistence.Column;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;

/** A row of the projection: a definition of a table, schema, publication or type, or its end. */
@Entity
@Table(name = "catalog_version")
class CatalogVersion {

  @EmbeddedId private CatalogVersionId id;

  @Column(nullable = false)
  private boolean dropped;

  @Column(name = "schema_name")
  private String schemaName;

  private String name;

  @Column(nullable = false)
  private String definition;

  protected CatalogVersion() {}

  CatalogVersion(long sinceLsn, CatalogChange change) {
    char object = Character.toLowerCase(change.kind());
    id = new CatalogVersionId(object, change.oid(), sinceLsn);
    dropped = change instanceof CatalogChange.Drop;
    definition = CatalogRecordCodec.definition(change);
    if (change instanceof CatalogChange.PutRelation put) {
      RelationDefinition relation = put.relation();
      schemaName = relation.name().schema();
      name = relation.name().name();
    } else if (change instanceof CatalogChange.PutSchema put) {
      name = put.schema().name();
    } else if (change instanceof CatalogChange.PutPublication put) {
      name = put.publication().name();
    } else if (change instanceof CatalogChange.PutType put) {
      schemaName = put.type().name().schema();
      name = put.type().name().name();
    }
  }

  CatalogProjection.Version version() {
    char kind = dropped ? Character.toUpperCase(id.object()) : id.object();
    return new CatalogProjection.Version(
        id.sinceLsn(), CatalogRecordCodec.decode(kind, definition));
  }
}
