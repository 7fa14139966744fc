package dev.millrace.sql;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a {@link SimpleQuerySession} drives: one database connection with its transaction. The
 * session keeps the state machine (I, T, E), the implicit transaction of a multi-statement call and
 * the savepoint names; the backend does the work.
 *
 * <p>Used by one thread at a time except {@link #cancel}.
 */
public interface TransactionBackend extends AutoCloseable {

  /** Begins a transaction; {@code isolation} null means the default (READ COMMITTED). */
  void begin(IsolationLevel isolation, boolean readOnly);

  /**
   * Commits; returns when the commit is as durable as synchronous_commit asks. Whatever happens, no
   * transaction is open after.
   */
  void commit();

  /** Rolls back; never fails for an open transaction. */
  void rollback();

  /**
   * Prepares the open transaction under a global identifier. Whatever happens, no transaction is
   * open after: it is prepared, durably, or rolled back.
   *
   * @throws PgException as PREPARE TRANSACTION does; 0A000 where there are no prepared transactions
   */
  default void prepare(String gid) {
    rollback();
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED, "PREPARE TRANSACTION is not supported yet");
  }

  /**
   * Ends a prepared transaction; none is open meanwhile.
   *
   * @param commit COMMIT PREPARED, else ROLLBACK PREPARED
   * @throws PgException 42704 for an unknown identifier, 55000 for one that another session ends
   */
  default void finishPrepared(String gid, boolean commit) {
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED,
        (commit ? "COMMIT" : "ROLLBACK") + " PREPARED is not supported yet");
  }

  /**
   * The open transaction, which has run nothing yet, reads an exported snapshot.
   *
   * @throws PgException as SET TRANSACTION SNAPSHOT does; 0A000 where nothing exports snapshots
   */
  default void importSnapshot(String name) {
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED, "SET TRANSACTION SNAPSHOT is not supported here");
  }

  /** Marks a savepoint; {@code level} counts the open savepoints from 1. */
  void savepoint(int level);

  /** Undoes everything after savepoint {@code level}, which stays open; higher levels are gone. */
  void rollbackToSavepoint(int level);

  /** Forgets savepoint {@code level} and the higher ones, keeping their work. */
  void releaseSavepoint(int level);

  /**
   * Runs one statement inside the open transaction (every statement has one; {@code
   * context.explicitBlock()} tells whether the user began it). A statement that needs to stand
   * outside transactions (DDL) commits or refuses by itself.
   */
  StatementResult execute(ParsedStatement statement, StatementContext context);

  /** Stops the running statement from another thread. */
  void cancel();

  @Override
  void close();

  /** PostgreSQL's isolation levels as the embedded database can run them. */
  enum IsolationLevel {
    READ_COMMITTED,
    REPEATABLE_READ,
    SERIALIZABLE
  }

  /**
   * What surrounds a statement.
   *
   * @param parameters values of {@code $1..}, empty when there are none
   * @param explicitBlock BEGIN was used
   * @param alone it is the only statement of its call, so an implicit transaction holds nothing
   *     else
   * @param notices takes the notices the statement raises
   */
  record StatementContext(
      List<Object> parameters, boolean explicitBlock, boolean alone, Consumer<Notice> notices) {}
}
