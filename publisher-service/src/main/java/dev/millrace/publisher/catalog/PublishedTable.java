package dev.millrace.publisher.catalog;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.RowFilterText;
import java.util.ArrayList;
import java.util.List;

/**
 * A table as one publication publishes it (pg_publication_tables).
 *
 * @param columns names of the published columns in their order
 * @param rowFilter as SQL over the table's present columns, null without one
 */
public record PublishedTable(
    PublicationDefinition publication,
    RelationDefinition relation,
    List<String> columns,
    String rowFilter) {

  /** The tables that a publication covers, in name order. */
  public static List<PublishedTable> of(
      CatalogSnapshot catalog, PublicationDefinition publication) {
    List<PublishedTable> tables = new ArrayList<>();
    for (RelationDefinition relation : catalog.relationsByName()) {
      if (catalog.covers(publication, relation)) {
        tables.add(published(catalog, publication, relation));
      }
    }
    return tables;
  }

  private static PublishedTable published(
      CatalogSnapshot catalog, PublicationDefinition publication, RelationDefinition relation) {
    PublicationDefinition.Member listed = catalog.listed(publication, relation);
    List<String> columns = new ArrayList<>();
    for (ColumnDefinition column : relation.columns()) {
      boolean published =
          listed != null && listed.columns() != null
              ? listed.columns().contains(column.attnum())
              : !column.isGenerated()
                  || column.generated() == 's' && publication.generatedColumns() == 's';
      if (published) {
        columns.add(column.name());
      }
    }
    String rowFilter =
        listed == null || listed.rowFilter() == null
            ? null
            : RowFilterText.show(listed.rowFilter(), relation);
    return new PublishedTable(publication, relation, columns, rowFilter);
  }
}
