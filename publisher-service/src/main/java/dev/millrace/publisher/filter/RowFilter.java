package dev.millrace.publisher.filter;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.RowFilterText;
import org.h2.engine.SessionLocal;
import org.h2.expression.Expression;
import org.h2.message.DbException;
import org.h2.value.Value;

/**
 * A compiled row filter. Give it the values of the columns it refers to, then ask {@link #matches}.
 * One thread.
 */
public final class RowFilter {

  private final SessionLocal session;
  private final Expression expression;
  private final FilterColumns columns;

  RowFilter(SessionLocal session, Expression expression, FilterColumns columns) {
    this.session = session;
    this.expression = expression;
    this.columns = columns;
  }

  /** The columns it refers to, as positions in the relation's columns, ascending. */
  public int[] positions() {
    return columns.positions();
  }

  /**
   * @param index of the column in {@link #positions}
   */
  public void setNull(int index) {
    columns.setNull(index);
  }

  /**
   * Sets a value by its text form.
   *
   * @param index of the column in {@link #positions}
   * @throws dev.millrace.model.PgException when H2 cannot hold it
   */
  public void set(int index, byte[] buffer, int offset, int length) {
    columns.set(index, buffer, offset, length);
  }

  /**
   * Whether the filter is true; NULL is not.
   *
   * @throws dev.millrace.model.PgException the expression's own error, such as 22012
   */
  public boolean matches() {
    try {
      return expression.getBooleanValue(session);
    } catch (DbException e) {
      throw FilterSession.translated(e);
    }
  }

  /**
   * What PostgreSQL finds when the filter is made; a bare NULL may be of any type.
   *
   * @throws PgException 42804, 42883
   */
  void requireBoolean() {
    try {
      OperandTypes.check(expression);
    } catch (DbException e) {
      throw FilterSession.translated(e);
    }
    int type = expression.getType().getValueType();
    if (type != Value.BOOLEAN && type != Value.NULL && type != Value.UNKNOWN) {
      throw new PgException(
          SqlState.DATATYPE_MISMATCH,
          "argument of PUBLICATION WHERE must be type boolean, not type "
              + RowFilterText.typeName(Value.getTypeName(type)));
    }
  }
}
