package dev.millrace.sql;

import dev.millrace.model.PgException;
import java.sql.Connection;
import java.util.List;

/**
 * Runs one H2 statement on a JDBC connection and turns what comes back into a {@link
 * StatementResult}: rows in JSON form with PostgreSQL's type names, at most {@code maxRows} of them
 * (54000 above). One thread; {@link #cancel} from any.
 */
public final class StatementRunner {

  private final Connection connection;
  private final int maxRows;

  public StatementRunner(Connection connection, int maxRows) {
    this.connection = connection;
    this.maxRows = maxRows;
  }

  /** Runs a query. */
  public StatementResult query(String h2Sql, List<Object> parameters) throws PgException {
    throw new UnsupportedOperationException("sql");
  }

  /** Runs INSERT, UPDATE, DELETE or MERGE; returns the update count. */
  public long update(String h2Sql, List<Object> parameters) throws PgException {
    throw new UnsupportedOperationException("sql");
  }

  /** Stops the running statement; it fails with 57014. */
  public void cancel() {
    throw new UnsupportedOperationException("sql");
  }
}
