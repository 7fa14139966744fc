package dev.millrace.publisher.database;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import dev.millrace.sql.RowFilterText;
import java.util.List;

/**
 * What publications demand of a table whose rows are updated or deleted (requirements N9, as
 * PostgreSQL's CheckCmdReplicaIdentity): the subscriber must be able to find the row by what it is
 * sent, and the publisher to judge the old row by what it logs of it.
 */
final class PublishedOperations {

  private final CatalogSnapshot catalog;
  private final RelationDefinition relation;
  private final boolean update;
  private final IndexDefinition identity;
  private final boolean full;

  private PublishedOperations(
      CatalogSnapshot catalog, RelationDefinition relation, boolean update) {
    this.catalog = catalog;
    this.relation = relation;
    this.update = update;
    this.identity = relation.identityIndex();
    this.full = relation.replicaIdentity() == ReplicaIdentity.FULL;
  }

  /**
   * @param update UPDATE, else DELETE
   * @throws PgException 42P10 when filter, column list or generated columns do not go with the
   *     identity, 55000 without a usable one
   */
  static void check(CatalogSnapshot catalog, RelationDefinition relation, boolean update) {
    new PublishedOperations(catalog, relation, update).check();
  }

  /** Each rule over all publications before the next, so that the same one is named as there. */
  private void check() {
    List<PublicationDefinition> publishing =
        catalog.publications().values().stream().filter(this::publishes).toList();
    if (publishing.isEmpty()) {
      return;
    }
    if (publishing.stream().anyMatch(this::filterReachesBeyondIdentity)) {
      throw refused(
          "Column used in the publication WHERE expression is not part of the replica identity.");
    }
    if (publishing.stream().anyMatch(publication -> listMissesIdentity(columns(publication)))) {
      throw refused("Column list used by the publication does not cover the replica identity.");
    }
    if (publishing.stream().anyMatch(this::hidesGeneratedIdentity)) {
      throw refused("Replica identity must not contain unpublished generated columns.");
    }
    if (identity == null && !full) {
      throw withoutIdentity();
    }
  }

  private boolean publishes(PublicationDefinition publication) {
    return (update ? publication.update() : publication.delete())
        && catalog.covers(publication, relation);
  }

  /**
   * Whether an UPDATE of the table may be sent as an INSERT, which needs every value of the row:
   * publications filter its rows.
   */
  static boolean filtered(CatalogSnapshot catalog, RelationDefinition relation) {
    for (PublicationDefinition publication : catalog.publications().values()) {
      PublicationDefinition.Member listed = catalog.listed(publication, relation);
      if (publication.update() && listed != null && listed.rowFilter() != null) {
        return true;
      }
    }
    return false;
  }

  private boolean filterReachesBeyondIdentity(PublicationDefinition publication) {
    PublicationDefinition.Member listed = catalog.listed(publication, relation);
    if (full || listed == null || listed.rowFilter() == null) {
      return false;
    }
    List<Integer> known = identity == null ? List.of() : identity.attnums();
    return !known.containsAll(RowFilterText.attnums(listed.rowFilter()));
  }

  /** The publication's column list; null when it publishes all columns. */
  private List<Integer> columns(PublicationDefinition publication) {
    PublicationDefinition.Member listed = catalog.listed(publication, relation);
    return listed == null ? null : listed.columns();
  }

  private boolean listMissesIdentity(List<Integer> columns) {
    return columns != null
        && (full || identity != null && !columns.containsAll(identity.attnums()));
  }

  private boolean hidesGeneratedIdentity(PublicationDefinition publication) {
    if (!full && columns(publication) != null) {
      return false; // The list has its own rule.
    }
    for (ColumnDefinition column : relation.columns()) {
      boolean identifies = full || identity != null && identity.attnums().contains(column.attnum());
      boolean hidden =
          column.generated() == 'v'
              || column.generated() == 's' && publication.generatedColumns() != 's';
      if (hidden && identifies) {
        return true;
      }
    }
    return false;
  }

  private PgException refused(String detail) {
    return new PgException(SqlState.INVALID_COLUMN_REFERENCE, cannot()).withDetail(detail);
  }

  private PgException withoutIdentity() {
    String reason = " because it does not have a replica identity and publishes ";
    return new PgException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            cannot() + reason + (update ? "updates" : "deletes"))
        .withHint(
            "To enable "
                + (update ? "updating" : "deleting from")
                + " the table, set REPLICA IDENTITY using ALTER TABLE.");
  }

  private String cannot() {
    return (update ? "cannot update table \"" : "cannot delete from table \"")
        + relation.name().name()
        + '"';
  }
}
