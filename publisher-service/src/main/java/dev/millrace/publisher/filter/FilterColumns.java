package dev.millrace.publisher.filter;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.RelationDefinition;
import java.util.Collection;
import java.util.List;
import org.h2.table.Column;
import org.h2.table.ColumnResolver;
import org.h2.value.Value;
import org.h2.value.ValueNull;

/**
 * The columns a filter refers to, as H2 resolves them, with the values of the row that is judged.
 * They are named after their attribute numbers, so that no name of a table's can mean anything
 * else.
 */
final class FilterColumns implements ColumnResolver {

  private final int[] positions;
  private final FilterValues[] types;
  private final Column[] columns;
  private final Value[] values;

  FilterColumns(RelationDefinition relation, Collection<Integer> attnums) {
    List<ColumnDefinition> all = relation.columns();
    int count = 0;
    int[] found = new int[all.size()];
    for (int i = 0; i < all.size(); i++) {
      if (attnums.contains(all.get(i).attnum())) {
        found[count++] = i;
      }
    }
    positions = java.util.Arrays.copyOf(found, count);
    types = new FilterValues[count];
    columns = new Column[count];
    values = new Value[count];
    for (int i = 0; i < count; i++) {
      ColumnDefinition column = all.get(positions[i]);
      types[i] = FilterValues.of(column.typeOid());
      columns[i] = new Column(name(column.attnum()), types[i].type());
      columns[i].setTable(null, i);
    }
  }

  private static String name(int attnum) {
    return "c" + attnum;
  }

  static String quotedName(int attnum) {
    return '"' + name(attnum) + '"';
  }

  /** Positions in the relation's columns, ascending. */
  int[] positions() {
    return positions;
  }

  void setNull(int index) {
    values[index] = ValueNull.INSTANCE;
  }

  void set(int index, byte[] buffer, int offset, int length) {
    values[index] = types[index].read(buffer, offset, length);
  }

  @Override
  public Column[] getColumns() {
    return columns;
  }

  @Override
  public Column findColumn(String name) {
    for (Column column : columns) {
      if (column.getName().equals(name)) {
        return column;
      }
    }
    return null;
  }

  @Override
  public Value getValue(Column column) {
    return values[column.getColumnId()];
  }
}
