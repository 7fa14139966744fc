package dev.millrace.subscriber.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs catalogue transactions, and makes those durable that something outside this database will
 * rely on. H2 acknowledges a commit before it is on disk; CHECKPOINT SYNC forces it there.
 */
final class DurableCommit {

  private final TransactionTemplate transactions;
  private final DataSource dataSource;
  private final boolean h2;

  DurableCommit(TransactionTemplate transactions, DataSource dataSource) {
    this.transactions = transactions;
    this.dataSource = dataSource;
    try (Connection connection = dataSource.getConnection()) {
      h2 = "H2".equals(connection.getMetaData().getDatabaseProductName());
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** Commits without waiting for the disk. */
  <T> T commit(Supplier<T> work) {
    return transactions.execute(status -> work.get());
  }

  void commit(Runnable work) {
    transactions.executeWithoutResult(status -> work.run());
  }

  /** Commits and returns when the commit survives a crash. */
  void commitDurably(Runnable work) {
    commit(work);
    sync();
  }

  void sync() {
    if (!h2) {
      return;
    }
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CHECKPOINT SYNC");
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private static PgException failure(SQLException e) {
    return new PgException(
        SqlState.IO_ERROR, "could not use the target database: " + e.getMessage(), e);
  }
}
