package dev.millrace.subscriber.apply;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.pgoutput.MessageType;
import dev.millrace.pgoutput.TupleData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * An UPDATE that writes a GENERATED ALWAYS identity column, which H2 only takes in an INSERT: the
 * row is read, removed and inserted anew with the columns that did not come from the publisher as
 * they were. Rare, so row by row.
 */
final class ReplacingRowStatement implements RowStatement {

  private final TargetRelation relation;
  private final PreparedStatement select;
  private final PreparedStatement delete;
  private final PreparedStatement insert;
  private final List<ColumnDefinition> locals;
  private final List<PreparedRowStatement.Source> key;
  private final List<Integer> written;

  /**
   * @param locals the local columns in the order of select and insert
   * @param written the remote columns to write
   */
  ReplacingRowStatement(
      TargetRelation relation,
      PreparedStatement select,
      PreparedStatement delete,
      PreparedStatement insert,
      List<ColumnDefinition> locals,
      List<PreparedRowStatement.Source> key,
      List<Integer> written) {
    this.relation = relation;
    this.select = select;
    this.delete = delete;
    this.insert = insert;
    this.locals = locals;
    this.key = key;
    this.written = written;
  }

  @Override
  public TargetRelation relation() {
    return relation;
  }

  @Override
  public MessageType operation() {
    return MessageType.UPDATE;
  }

  @Override
  public int execute(TupleData oldTuple, TupleData newTuple) throws SQLException {
    bindKey(select, oldTuple, newTuple);
    try (ResultSet row = select.executeQuery()) {
      if (!row.next()) {
        return 0;
      }
      for (int i = 1; i <= locals.size(); i++) {
        insert.setObject(i, UniqueViolations.value(row, i, locals.get(i - 1).valueOid()));
      }
    }
    for (int column : written) {
      int parameter = locals.indexOf(relation.column(column)) + 1;
      PreparedRowStatement.bind(
          insert, parameter, newTuple, column, relation.column(column).valueOid(), relation);
    }
    bindKey(delete, oldTuple, newTuple);
    delete.executeUpdate();
    return insert.executeUpdate();
  }

  private void bindKey(PreparedStatement statement, TupleData oldTuple, TupleData newTuple)
      throws SQLException, PgException {
    for (int i = 0; i < key.size(); i++) {
      int column = key.get(i).remoteColumn();
      TupleData tuple = key.get(i).fromOld() ? oldTuple : newTuple;
      PreparedRowStatement.bind(
          statement, i + 1, tuple, column, relation.column(column).valueOid(), relation);
    }
  }

  @Override
  public boolean batches() {
    return false;
  }

  @Override
  public void add(TupleData oldTuple, TupleData newTuple) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int[] executeBatch() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void clearBatch() {}

  @Override
  public void close() throws SQLException {
    select.close();
    delete.close();
    insert.close();
  }
}
