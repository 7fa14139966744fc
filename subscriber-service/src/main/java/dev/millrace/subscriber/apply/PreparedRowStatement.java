package dev.millrace.subscriber.apply;

import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.pgoutput.MessageType;
import dev.millrace.pgoutput.TupleData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/** A {@link RowStatement} that is one prepared SQL statement. */
final class PreparedRowStatement implements RowStatement {

  /**
   * Where the value of a parameter comes from.
   *
   * @param fromOld the old tuple, else the new one
   */
  record Source(boolean fromOld, int remoteColumn) {}

  private final TargetRelation relation;
  private final MessageType operation;
  private final PreparedStatement statement;
  private final boolean[] fromOld;
  private final int[] columns;
  private final int[] types;

  PreparedRowStatement(
      TargetRelation relation,
      MessageType operation,
      PreparedStatement statement,
      List<Source> parameters) {
    this.relation = relation;
    this.operation = operation;
    this.statement = statement;
    this.fromOld = new boolean[parameters.size()];
    this.columns = new int[parameters.size()];
    this.types = new int[parameters.size()];
    for (int i = 0; i < columns.length; i++) {
      fromOld[i] = parameters.get(i).fromOld();
      columns[i] = parameters.get(i).remoteColumn();
      types[i] = relation.column(columns[i]).valueOid();
    }
  }

  @Override
  public TargetRelation relation() {
    return relation;
  }

  @Override
  public MessageType operation() {
    return operation;
  }

  @Override
  public int execute(TupleData oldTuple, TupleData newTuple) throws SQLException {
    bind(oldTuple, newTuple);
    return statement.executeUpdate();
  }

  @Override
  public boolean batches() {
    return true;
  }

  @Override
  public void add(TupleData oldTuple, TupleData newTuple) throws SQLException {
    bind(oldTuple, newTuple);
    statement.addBatch();
  }

  @Override
  public int[] executeBatch() throws SQLException {
    return statement.executeBatch();
  }

  @Override
  public void clearBatch() throws SQLException {
    statement.clearBatch();
  }

  private void bind(TupleData oldTuple, TupleData newTuple) throws SQLException {
    for (int i = 0; i < columns.length; i++) {
      TupleData tuple = fromOld[i] ? oldTuple : newTuple;
      bind(statement, i + 1, tuple, columns[i], types[i], relation);
    }
  }

  static void bind(
      PreparedStatement statement,
      int parameter,
      TupleData tuple,
      int column,
      int typeOid,
      TargetRelation relation)
      throws SQLException {
    if (!tuple.hasValue(column)) {
      statement.setNull(parameter, Types.NULL);
      return;
    }
    try {
      statement.setObject(
          parameter,
          PgText.parse(
              tuple.buffer(), tuple.valueOffset(column), tuple.valueLength(column), typeOid));
    } catch (PgException unfit) {
      throw unfit.withColumn(relation.column(column).name());
    }
  }

  @Override
  public void close() throws SQLException {
    statement.close();
  }
}
