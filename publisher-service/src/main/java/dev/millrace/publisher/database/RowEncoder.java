package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import java.util.Arrays;
import java.util.List;

/**
 * Writes rows of one table version as log record bodies (see WalFormat); a tuple has the layout of
 * pgoutput's, so nothing is converted again on the way to a subscriber.
 *
 * <p>What is logged of an old row follows the replica identity (requirements N8). A value counts as
 * large from 2 kB; a large value that an UPDATE leaves equal is logged as {@code u}, judged by
 * value, not by whether the statement assigned the column. Where a row filter may turn the UPDATE
 * into an INSERT, which needs all values, large ones are logged as the others are, unless the old
 * row holds them.
 *
 * <p>Stateless; safe for any thread.
 */
final class RowEncoder {

  /** PostgreSQL's TOAST threshold, about: values above it are large. */
  private static final int LARGE = 2048;

  private final TableShape shape;
  private final int[] typeOids;
  private final int[] typeModifiers;
  private final boolean[] virtual;
  private final boolean wholeRows;

  RowEncoder(TableShape shape) {
    this(shape, false);
  }

  private RowEncoder(TableShape shape, boolean wholeRows) {
    this.shape = shape;
    this.wholeRows = wholeRows && shape.oldTupleKind() != 'O';
    List<ColumnDefinition> columns = shape.relation().columns();
    this.typeOids = columns.stream().mapToInt(ColumnDefinition::valueOid).toArray();
    this.virtual = new boolean[columns.size()];
    for (int i = 0; i < virtual.length; i++) {
      virtual[i] = columns.get(i).generated() == 'v'; // PostgreSQL has no value of it in a row.
    }
    this.typeModifiers = columns.stream().mapToInt(ColumnDefinition::valueModifier).toArray();
  }

  /** The same for a table whose published rows are filtered. */
  RowEncoder wholeRows() {
    return new RowEncoder(shape, true);
  }

  void insert(ByteBuilder out, Object[] row) {
    relation(out);
    if (shape.primaryKey().length == 0) {
      locator(out, row);
    }
    out.putByte('N');
    whole(out, row);
  }

  void update(ByteBuilder out, Object[] oldRow, Object[] newRow) {
    relation(out);
    if (shape.oldTupleKind() == 'O') {
      out.putByte('O');
      whole(out, oldRow);
    } else if (shape.oldTupleKind() == 'K' && keyMustBeLogged(oldRow, newRow)) {
      out.putByte('K');
      key(out, oldRow);
    }
    if (shape.needsLocator()) {
      locator(out, oldRow);
    }
    out.putByte('N');
    changed(out, oldRow, newRow);
  }

  void delete(ByteBuilder out, Object[] oldRow) {
    relation(out);
    if (shape.oldTupleKind() == 'O') {
      out.putByte('O');
      whole(out, oldRow);
    } else if (shape.oldTupleKind() == 'K') {
      out.putByte('K');
      key(out, oldRow);
    }
    if (shape.needsLocator()) {
      locator(out, oldRow);
    }
  }

  private void relation(ByteBuilder out) {
    out.putInt(shape.relation().oid()).putInt(shape.relation().version());
  }

  private void whole(ByteBuilder out, Object[] row) {
    out.putShort(typeOids.length);
    for (int i = 0; i < typeOids.length; i++) {
      value(out, row[shape.place(i)], i);
    }
  }

  private void key(ByteBuilder out, Object[] row) {
    out.putShort(typeOids.length);
    for (int i = 0; i < typeOids.length; i++) {
      if (shape.isIdentity(i)) {
        value(out, row[shape.place(i)], i);
      } else {
        out.putByte('n');
      }
    }
  }

  private void changed(ByteBuilder out, Object[] oldRow, Object[] newRow) {
    out.putShort(typeOids.length);
    for (int i = 0; i < typeOids.length; i++) {
      Object value = newRow[shape.place(i)];
      boolean maybeUnchanged = !wholeRows && !virtual[i];
      if (maybeUnchanged && isLarge(value) && equal(oldRow[shape.place(i)], value)) {
        out.putByte('u');
      } else {
        value(out, value, i);
      }
    }
  }

  private void locator(ByteBuilder out, Object[] row) {
    out.putByte('L');
    int[] key = shape.primaryKey();
    if (key.length == 0) {
      out.putShort(1);
      text(out, row[shape.ridPlace()], PgType.INT8, -1);
      return;
    }
    out.putShort(key.length);
    for (int column : key) {
      value(out, row[shape.place(column)], column);
    }
  }

  private void value(ByteBuilder out, Object value, int column) {
    if (value == null || virtual[column]) {
      out.putByte('n');
    } else {
      text(out, value, typeOids[column], typeModifiers[column]);
    }
  }

  private static void text(ByteBuilder out, Object value, int typeOid, int typeModifier) {
    out.putByte('t').putInt(0);
    int start = out.size();
    PgText.write(value, typeOid, typeModifier, out);
    out.setInt(start - Integer.BYTES, out.size() - start);
  }

  /** A large key value is always logged: the new tuple may show it as unchanged. */
  private boolean keyMustBeLogged(Object[] oldRow, Object[] newRow) {
    for (int i = 0; i < typeOids.length; i++) {
      if (shape.isIdentity(i)) {
        Object value = oldRow[shape.place(i)];
        if (!equal(value, newRow[shape.place(i)]) || isLarge(value)) {
          return true;
        }
      }
    }
    return false;
  }

  static boolean equal(Object a, Object b) {
    if (a instanceof byte[] bytes) {
      return b instanceof byte[] others && Arrays.equals(bytes, others);
    }
    return a == null ? b == null : a.equals(b);
  }

  private static boolean isLarge(Object value) {
    if (value instanceof String text) {
      return text.length() > LARGE || text.length() > LARGE / 4 && utf8Length(text) > LARGE;
    }
    return value instanceof byte[] bytes && bytes.length > LARGE;
  }

  private static int utf8Length(String text) {
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // Each half of a surrogate pair counts two of its four bytes.
      length += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return length;
  }
}
