package dev.millrace.subscriber.apply;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.sql.H2Errors;
import dev.millrace.subscriber.target.FirstWrites;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Collects consecutive changes that one statement writes and sends them to the database together.
 *
 * <p>Rows are kept as the tuples that arrived, so that a batch that fails can be written again row
 * by row: the database goes on past a failed row of a batch and does not say what later rows did,
 * and a row that only failed because of its neighbours passes alone. One thread.
 */
final class ChangeBatch implements AutoCloseable {

  /** Told of rows that are not as their changes expect. */
  interface RowConflicts {

    /** There was no row to update or delete; the change is skipped. */
    void missing(RowStatement statement, TupleData oldTuple, TupleData newTuple);

    /** What to say about a row that violates a unique index. */
    PgException duplicate(
        RowStatement statement, TupleData oldTuple, TupleData newTuple, PgException error);
  }

  static final int GREATEST_ROWS = 1000;

  /** Tuples keep their frames alive, so a batch of few large rows ends early. */
  static final int GREATEST_BYTES = 1 << 20;

  /** H2 has rolled back the whole transaction and begun another one. */
  private static final String SERIALIZATION_FAILURE_CLASS = "40";

  private final ErrorContext context;
  private final RowConflicts conflicts;
  private final FirstWrites firstWrites;
  private final Statement savepoints;
  private final TupleData[] oldTuples = new TupleData[GREATEST_ROWS];
  private final TupleData[] newTuples = new TupleData[GREATEST_ROWS];
  private RowStatement statement;
  private int rows;
  private int bytes;
  private int failedRow;
  private TupleData failedTuple;

  /**
   * @param firstWrites cleared by the owner when the connection's transaction ends
   */
  ChangeBatch(
      Connection connection, ErrorContext context, RowConflicts conflicts, FirstWrites firstWrites)
      throws SQLException {
    this.context = context;
    this.conflicts = conflicts;
    this.firstWrites = firstWrites;
    this.savepoints = connection.createStatement();
  }

  /** Adds a change, writing what does not go together with it first. */
  void add(RowStatement next, TupleData oldTuple, TupleData newTuple) {
    if (next != statement) {
      flush();
      statement = next;
    }
    oldTuples[rows] = oldTuple;
    newTuples[rows] = newTuple;
    rows++;
    bytes += (oldTuple == null ? 0 : oldTuple.size()) + (newTuple == null ? 0 : newTuple.size());
    if (rows == GREATEST_ROWS || bytes >= GREATEST_BYTES || !next.batches()) {
      flush();
    }
  }

  /**
   * Writes what was collected.
   *
   * @throws PgException of the first row that the database refuses, with its context
   */
  void flush() {
    if (rows == 0) {
      return;
    }
    context.change(statement.operation(), statement.relation().name());
    try {
      firstWrites.write(statement.relation().name(), this::writeRows);
    } catch (SQLException refused) {
      throw context.addTo(H2Errors.translate(refused));
    } catch (PgException refused) {
      throw context.addTo(refused);
    } finally {
      clear();
    }
    context.message(null);
  }

  private void writeRows() throws SQLException {
    if (rows == 1) {
      writeRow(0);
    } else if (!writeBatch()) {
      for (int row = 0; row < rows; row++) {
        writeRow(row);
      }
    }
  }

  private void writeRow(int row) throws SQLException {
    failedRow = row;
    failedTuple = newTuples[row];
    int changed;
    try {
      changed = statement.execute(oldTuples[row], newTuples[row]);
    } catch (SQLException refused) {
      throw refused(row, H2Errors.translate(refused));
    }
    if (changed == 0) {
      conflicts.missing(statement, oldTuples[row], newTuples[row]);
    }
  }

  private PgException refused(int row, PgException error) {
    TupleData newTuple = newTuples[row];
    if (newTuple == null) {
      return error;
    }
    return switch (error.sqlState()) {
      case SqlState.UNIQUE_VIOLATION ->
          conflicts.duplicate(statement, oldTuples[row], newTuple, error);
      case SqlState.NOT_NULL_VIOLATION, SqlState.CHECK_VIOLATION ->
          error.withDetail(
              "Failing row contains " + statement.relation().describeLocalRow(newTuple) + ".");
      default -> error;
    };
  }

  /** False when the batch failed and was undone. */
  private boolean writeBatch() throws SQLException {
    savepoints.execute("SAVEPOINT apply_batch");
    int[] changed;
    try {
      for (int row = 0; row < rows; row++) {
        statement.add(oldTuples[row], newTuples[row]);
      }
      changed = statement.executeBatch();
    } catch (PgException unfit) {
      statement.clearBatch();
      return false;
    } catch (BatchUpdateException failed) {
      if (lostTransaction(failed)) {
        throw failed;
      }
      savepoints.execute("ROLLBACK TO SAVEPOINT apply_batch");
      return false;
    }
    for (int row = 0; row < rows; row++) {
      if (changed[row] == 0) {
        conflicts.missing(statement, oldTuples[row], newTuples[row]);
      }
    }
    return true;
  }

  private static boolean lostTransaction(SQLException failed) {
    for (SQLException e = failed; e != null; e = e.getNextException()) {
      if (e.getSQLState() != null && e.getSQLState().startsWith(SERIALIZATION_FAILURE_CLASS)) {
        return true;
      }
    }
    return false;
  }

  boolean isEmpty() {
    return rows == 0;
  }

  /** After {@link #flush} has thrown: which of its rows was refused, from 0. */
  int failedRow() {
    return failedRow;
  }

  /** The new row of {@link #failedRow}. */
  TupleData failedTuple() {
    return failedTuple;
  }

  /** Forgets what was collected; the transaction is being rolled back. */
  void clear() {
    java.util.Arrays.fill(oldTuples, 0, rows, null);
    java.util.Arrays.fill(newTuples, 0, rows, null);
    statement = null;
    rows = 0;
    bytes = 0;
  }

  @Override
  public void close() throws SQLException {
    savepoints.close();
  }
}
