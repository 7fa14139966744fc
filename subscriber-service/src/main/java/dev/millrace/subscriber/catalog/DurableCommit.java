package dev.millrace.subscriber.catalog;

import dev.millrace.heap.DiskSpace;
import dev.millrace.heap.StoreSync;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs catalogue transactions, and makes those durable that something outside this database will
 * rely on. H2 acknowledges a commit before it is on disk.
 */
final class DurableCommit {

  private final TransactionTemplate transactions;
  private final Database database;
  private final DiskSpace space;

  /** What waits for the end of {@link #together} on this thread; null outside of it. */
  private final ThreadLocal<List<Runnable>> joined = new ThreadLocal<>();

  DurableCommit(TransactionTemplate transactions, DataSource dataSource) {
    this.transactions = transactions;
    try (Connection connection = dataSource.getConnection()) {
      database = connection.isWrapperFor(JdbcConnection.class) ? databaseOf(connection) : null;
      space = database == null ? null : DiskSpace.ofDatabase(database.getName());
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private static Database databaseOf(Connection connection) throws SQLException {
    return ((SessionLocal) connection.unwrap(JdbcConnection.class).getSession()).getDatabase();
  }

  /** Whether something can be written now. */
  boolean hasRoom() {
    return space == null || space.refusal() == null;
  }

  private void requireRoom() {
    if (space != null) {
      space.require();
    }
  }

  /** Commits without waiting for the disk. */
  <T> T commit(Supplier<T> work) {
    return transactions.execute(status -> work.get());
  }

  void commit(Runnable work) {
    transactions.executeWithoutResult(status -> work.run());
  }

  /** Commits and returns when the commit survives a crash; inside {@link #together} that does. */
  void commitDurably(Runnable work) {
    requireRoom();
    commit(work);
    if (joined.get() == null) {
      sync();
    }
  }

  /**
   * Makes one transaction of all that {@code work} commits.
   *
   * @param keep whether it is committed, durably, and what waits for that is run; else all is
   *     rolled back and forgotten
   */
  void together(boolean keep, Runnable work) {
    requireRoom();
    List<Runnable> waiting = new ArrayList<>();
    joined.set(waiting);
    try {
      transactions.executeWithoutResult(
          status -> {
            work.run();
            if (!keep) {
              status.setRollbackOnly();
            }
          });
    } finally {
      joined.remove();
    }
    if (keep) {
      sync();
      waiting.forEach(Runnable::run);
    }
  }

  /**
   * Runs an action once what was committed before it counts: at once, or after {@link #together}.
   */
  void afterCommit(Runnable action) {
    List<Runnable> waiting = joined.get();
    if (waiting == null) {
      action.run();
    } else {
      waiting.add(action);
    }
  }

  void sync() {
    if (database != null) {
      StoreSync.sync(database);
    }
  }

  private static PgException failure(SQLException e) {
    return new PgException(
        SqlState.IO_ERROR, "could not use the target database: " + e.getMessage(), e);
  }
}
