package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import dev.millrace.sql.ParsedStatement.Ddl;

/**
 * What row filters and column lists demand of DDL: a column they name cannot change its type, nor
 * go without CASCADE, which takes the table out of those publications.
 */
final class PublishedColumns {

  private PublishedColumns() {}

  /**
   * @throws PgException 0A000 for a type, 2BP01 for a column that would go
   */
  static void check(Ddl ddl, CatalogSnapshot catalog) {
    RelationDefinition relation = ddl.target() == null ? null : catalog.relation(ddl.target());
    if (relation == null) {
      return;
    }
    for (Ddl.ColumnChange change : ddl.columnChanges()) {
      int index = relation.columnIndex(change.column());
      if (index >= 0 && !change.cascade()) {
        check(change, relation, relation.columns().get(index).attnum(), catalog);
      }
    }
  }

  private static void check(
      Ddl.ColumnChange change, RelationDefinition relation, int attnum, CatalogSnapshot catalog) {
    for (PublicationDefinition publication : catalog.publicationsByName()) {
      PublicationDefinition.Member member = publication.member(relation.oid());
      if (member != null && member.attnums().contains(attnum)) {
        String table = relation.name().name();
        String dependent =
            "publication of table " + table + " in publication " + publication.name();
        throw change.dropped()
            ? cannotDrop(change.column(), table, dependent)
            : new PgException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "cannot alter type of a column used by a publication WHERE clause")
                .withDetail(dependent + " depends on column \"" + change.column() + "\"");
      }
    }
  }

  private static PgException cannotDrop(String column, String table, String member) {
    String what = "column " + column + " of table " + table;
    return new PgException(
            SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
            "cannot drop " + what + " because other objects depend on it")
        .withDetail(member + " depends on " + what)
        .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
  }
}
