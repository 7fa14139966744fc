package dev.millrace.publisher.database;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;

/**
 * What publications demand of a table whose rows are updated or deleted (requirements N9, as
 * PostgreSQL's CheckCmdReplicaIdentity). Stateless.
 */
final class PublishedOperations {

  private PublishedOperations() {}

  /**
   * @param update UPDATE, else DELETE
   * @throws PgException 55000 without a usable identity, 42P10 when the identity is not published
   */
  static void check(CatalogSnapshot catalog, RelationDefinition relation, boolean update) {
    IndexDefinition index = relation.identityIndex();
    boolean identified = index != null || relation.replicaIdentity() == ReplicaIdentity.FULL;
    if (identified && !identityIsGenerated(relation, index)) {
      return;
    }
    for (PublicationDefinition publication : catalog.publications().values()) {
      if ((update ? publication.update() : publication.delete())
          && catalog.covers(publication, relation)) {
        if (!identified) {
          throw withoutIdentity(relation, update);
        }
        if (publication.generatedColumns() == 'n') {
          throw generatedIdentity(relation, update);
        }
      }
    }
  }

  /**
   * @param index null when all columns identify a row
   */
  private static boolean identityIsGenerated(RelationDefinition relation, IndexDefinition index) {
    for (ColumnDefinition column : relation.columns()) {
      if (column.isGenerated() && (index == null || index.attnums().contains(column.attnum()))) {
        return true;
      }
    }
    return false;
  }

  private static PgException withoutIdentity(RelationDefinition relation, boolean update) {
    String reason = " because it does not have a replica identity and publishes ";
    return new PgException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            cannot(relation, update) + reason + (update ? "updates" : "deletes"))
        .withHint(
            "To enable "
                + (update ? "updating" : "deleting from")
                + " the table, set REPLICA IDENTITY using ALTER TABLE.");
  }

  private static PgException generatedIdentity(RelationDefinition relation, boolean update) {
    return new PgException(SqlState.INVALID_COLUMN_REFERENCE, cannot(relation, update))
        .withDetail("Replica identity must not contain unpublished generated columns.");
  }

  private static String cannot(RelationDefinition relation, boolean update) {
    return (update ? "cannot update table \"" : "cannot delete from table \"")
        + relation.name().name()
        + '"';
  }
}
