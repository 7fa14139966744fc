package dev.millrace.subscriber.apply;

import dev.millrace.pgoutput.MessageType;
import dev.millrace.pgoutput.TupleData;
import java.sql.SQLException;

/**
 * Writes rows of one table in one way: the unit that batches are made of. Two changes belong into
 * one batch when they have the same statement object. One thread.
 */
interface RowStatement extends AutoCloseable {

  TargetRelation relation();

  /** INSERT, UPDATE or DELETE. */
  MessageType operation();

  /**
   * Writes one row.
   *
   * @return how many rows it changed: 0 or 1
   * @throws dev.millrace.model.PgException when a value does not fit its column's type
   */
  int execute(TupleData oldTuple, TupleData newTuple) throws SQLException;

  /** Whether {@link #add} and {@link #executeBatch} work. */
  boolean batches();

  void add(TupleData oldTuple, TupleData newTuple) throws SQLException;

  /** Per row added how many rows it changed. */
  int[] executeBatch() throws SQLException;

  /** Forgets rows added and not executed. */
  void clearBatch() throws SQLException;

  @Override
  void close() throws SQLException;
}
