package dev.millrace.publisher.catalog;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.sql.SystemColumns;
import java.util.List;
import java.util.TreeSet;

/** The column list of a published table, checked as PostgreSQL does. */
final class ColumnList {

  private ColumnList() {}

  /**
   * The attribute numbers of the named columns in ascending order: the order they are named in does
   * not matter.
   *
   * @throws PgException 42703 for an unknown column, 42710 for one named twice, 42P10 for one that
   *     cannot be published
   */
  static List<Integer> of(RelationDefinition relation, List<String> names) {
    TreeSet<Integer> attnums = new TreeSet<>();
    for (String name : names) {
      if (!attnums.add(column(relation, name).attnum())) {
        throw new PgException(
            SqlState.DUPLICATE_OBJECT,
            "duplicate column \"" + name + "\" in publication column list");
      }
    }
    return List.copyOf(attnums);
  }

  private static ColumnDefinition column(RelationDefinition relation, String name) {
    int index = relation.columnIndex(name);
    if (index < 0) {
      if (SystemColumns.isOne(name)) {
        throw unusable("system column", name);
      }
      throw new PgException(
          SqlState.UNDEFINED_COLUMN,
          "column \"" + name + "\" of relation \"" + relation.name().name() + "\" does not exist");
    }
    ColumnDefinition column = relation.columns().get(index);
    if (column.generated() == 'v') {
      throw unusable("virtual generated column", name);
    }
    return column;
  }

  private static PgException unusable(String kind, String name) {
    return new PgException(
        SqlState.INVALID_COLUMN_REFERENCE,
        "cannot use " + kind + " \"" + name + "\" in publication column list");
  }
}
