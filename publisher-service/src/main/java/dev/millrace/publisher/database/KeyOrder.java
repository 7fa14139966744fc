package dev.millrace.publisher.database;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.SqlState;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/**
 * Refuses a statement whose rows cannot be applied one after the other.
 *
 * <p>H2 checks unique keys at the end of a statement, so it takes {@code UPDATE t SET id = id + 1}
 * and swaps of keys, which PostgreSQL refuses and which neither redo nor a subscriber could repeat
 * row by row: a row would take a key that a later row still holds. Each key a row took is
 * remembered; when a later row of the same statement turns out to have held it before, the
 * statement fails.
 *
 * <p>One table of one statement; one thread.
 */
final class KeyOrder {

  private final TableShape shape;
  private final List<Set<Object>> taken = new ArrayList<>();

  KeyOrder(TableShape shape) {
    this.shape = shape;
    for (int i = 0; i < shape.uniqueKeys().length; i++) {
      taken.add(new HashSet<>());
    }
  }

  /** A row changed in that way; either side is null for INSERT and DELETE. */
  void row(Object[] oldRow, Object[] newRow) {
    for (int i = 0; i < taken.size(); i++) {
      int[] columns = shape.uniqueKeys()[i];
      Set<Object> keys = taken.get(i);
      if (oldRow != null && newRow != null && sameKey(columns, oldRow, newRow)) {
        continue;
      }
      if (oldRow != null && !keys.isEmpty()) {
        Object oldKey = key(columns, oldRow);
        if (oldKey != null && keys.contains(oldKey)) {
          throw refused(i, oldRow);
        }
      }
      if (newRow != null) {
        Object newKey = key(columns, newRow);
        if (newKey != null) {
          keys.add(newKey);
        }
      }
    }
  }

  private boolean sameKey(int[] columns, Object[] oldRow, Object[] newRow) {
    for (int column : columns) {
      int place = shape.place(column);
      if (!RowEncoder.equal(oldRow[place], newRow[place])) {
        return false;
      }
    }
    return true;
  }

  /** A key comparable with equals; null when a part is null, since such keys never collide. */
  private Object key(int[] columns, Object[] row) {
    if (columns.length == 1) {
      return part(row[shape.place(columns[0])]);
    }
    List<Object> parts = new ArrayList<>(columns.length);
    for (int column : columns) {
      Object part = part(row[shape.place(column)]);
      if (part == null) {
        return null;
      }
      parts.add(part);
    }
    return parts;
  }

  private static Object part(Object value) {
    if (value instanceof byte[] bytes) {
      return ByteBuffer.wrap(bytes);
    }
    return value instanceof BigDecimal number ? number.stripTrailingZeros() : value;
  }

  private PgException refused(int uniqueKey, Object[] row) {
    int seen = 0;
    for (IndexDefinition index : shape.relation().indexes()) {
      if (index.unique() && seen++ == uniqueKey) {
        return new PgException(
                SqlState.UNIQUE_VIOLATION,
                "duplicate key value violates unique constraint \"" + index.name() + '"')
            .withDetail(detail(shape.uniqueKeys()[uniqueKey], row));
      }
    }
    throw new IllegalStateException("no unique index " + uniqueKey);
  }

  private String detail(int[] key, Object[] row) {
    StringJoiner names = new StringJoiner(", ");
    StringJoiner values = new StringJoiner(", ");
    for (int position : key) {
      ColumnDefinition column = shape.relation().columns().get(position);
      Object value = row[shape.place(position)];
      names.add(column.name());
      values.add(PgText.format(value, column.valueOid(), column.valueModifier()));
    }
    return "Key (" + names + ")=(" + values + ") already exists.";
  }
}
