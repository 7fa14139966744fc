package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs one H2 statement on a JDBC connection and turns what comes back into a {@link
 * StatementResult}: rows in JSON form with PostgreSQL's type names, at most {@code maxRows} of
 * them, and no more text than a part of the heap (54000 above). One thread; {@link #cancel} from
 * any.
 */
public final class StatementRunner {

  /** An answer is held whole, so its text must leave room in the heap for others. */
  private static final int MAX_ANSWERS_IN_HEAP = 8;

  private final Connection connection;
  private final int maxRows;
  private final long maxTextLength;

  private volatile Statement running;
  private volatile boolean canceled;
  private long timeoutMs;
  private long timeoutInForceMs;

  public StatementRunner(Connection connection, int maxRows) {
    this(connection, maxRows, Runtime.getRuntime().maxMemory() / MAX_ANSWERS_IN_HEAP);
  }

  StatementRunner(Connection connection, int maxRows, long maxTextLength) {
    this.connection = connection;
    this.maxRows = maxRows;
    this.maxTextLength = maxTextLength;
  }

  /** statement_timeout for the statements to come, in milliseconds; 0 = none. */
  public void setStatementTimeout(long milliseconds) {
    timeoutMs = milliseconds;
  }

  /** Runs a query. */
  public StatementResult query(String h2Sql, List<Object> parameters) throws PgException {
    return run(h2Sql, parameters, this::rows);
  }

  /** Runs INSERT, UPDATE, DELETE or MERGE; returns the update count. */
  public long update(String h2Sql, List<Object> parameters) throws PgException {
    return run(h2Sql, parameters, PreparedStatement::executeLargeUpdate);
  }

  /** Runs a statement that changes rows; the tag has their number. */
  public StatementResult change(ParsedStatement.Dml dml, List<Object> parameters) {
    if (!dml.returning()) {
      return StatementResult.ofCommand(dml.tag() + ' ' + update(dml.h2Sql(), parameters));
    }
    StatementResult rows = query(dml.h2Sql(), parameters);
    return new StatementResult(dml.tag() + ' ' + rows.rows().size(), rows.columns(), rows.rows());
  }

  /** Stops the running statement; it fails with 57014. Nothing happens when none runs. */
  public void cancel() {
    Statement statement = running;
    if (statement != null) {
      canceled = true;
      try {
        statement.cancel();
      } catch (SQLException ended) {
        // A statement that has just ended needs no cancelling, and says so with an error.
        canceled = false;
      }
    }
  }

  private interface Execution<R> {
    R run(PreparedStatement statement) throws SQLException;
  }

  private <R> R run(String h2Sql, List<Object> parameters, Execution<R> execution) {
    canceled = false;
    try (SystemFunctions.StatementScope scope = SystemFunctions.beginStatement()) {
      applyTimeout();
      try (PreparedStatement statement = connection.prepareStatement(h2Sql)) {
        running = statement;
        bind(statement, parameters);
        return execution.run(statement);
      } finally {
        running = null;
      }
    } catch (SQLException error) {
      throw withTimeoutNamed(H2Errors.translate(error));
    }
  }

  /** H2 says the same for both ends, PostgreSQL does not. */
  private PgException withTimeoutNamed(PgException error) {
    boolean timeout =
        error.sqlState().equals(SqlState.QUERY_CANCELED) && !canceled && timeoutInForceMs > 0;
    return timeout
        ? new PgException(
            SqlState.QUERY_CANCELED, "canceling statement due to statement timeout", error)
        : error;
  }

  private void applyTimeout() throws SQLException {
    if (timeoutMs != timeoutInForceMs) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET QUERY_TIMEOUT " + timeoutMs);
      }
      timeoutInForceMs = timeoutMs;
    }
  }

  private StatementResult rows(PreparedStatement statement) throws SQLException {
    statement.setMaxRows(maxRows + 1);
    try (ResultSet result = statement.executeQuery()) {
      ResultReader reader = new ResultReader(connection, result.getMetaData());
      List<List<Object>> rows = new ArrayList<>();
      long textLength = 0;
      while (result.next()) {
        if (rows.size() == maxRows) {
          throw new PgException(
                  SqlState.PROGRAM_LIMIT_EXCEEDED, "the answer has more than " + maxRows + " rows")
              .withHint("Use LIMIT, or raise max_rows_per_answer.");
        }
        List<Object> row = reader.row(result);
        textLength += textLength(row);
        if (textLength > maxTextLength) {
          throw new PgException(
                  SqlState.PROGRAM_LIMIT_EXCEEDED,
                  "the answer holds more than " + maxTextLength + " characters")
              .withHint("Use LIMIT, or name fewer columns.");
        }
        rows.add(row);
      }
      return new StatementResult("SELECT " + rows.size(), reader.columns(), rows);
    }
  }

  private static long textLength(List<Object> row) {
    long length = 0;
    for (Object value : row) {
      length += value instanceof String text ? text.length() : 0;
    }
    return length;
  }

  private static void bind(PreparedStatement statement, List<Object> parameters)
      throws SQLException {
    if (parameters.isEmpty()) {
      // The usual case pays for no metadata; a statement that wants some says so itself.
      return;
    }
    ParameterMetaData metadata = statement.getParameterMetaData();
    int expected = metadata.getParameterCount();
    if (parameters.size() != expected) {
      throw new PgException(
          SqlState.PROTOCOL_VIOLATION,
          "the statement has "
              + expected
              + " parameters, but "
              + parameters.size()
              + " values were given");
    }
    for (int i = 1; i <= expected; i++) {
      Object value = parameters.get(i - 1);
      statement.setObject(
          i, converted(value, H2TypeNames.oid(metadata.getParameterTypeName(i)), i));
    }
  }

  /** The value as the parameter's type takes it, read as a literal of that type would be. */
  private static Object converted(Object value, int typeOid, int position) {
    if (value == null) {
      return null;
    }
    boolean scalar = value instanceof String || value instanceof Number || value instanceof Boolean;
    if (!scalar) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "array value of parameter $" + position + " is not supported");
    }
    if (value instanceof String string) {
      Encoding.check(string);
    }
    PgType type = PgType.byOid(typeOid);
    if (type == null || !type.isSupported() || type.category() == 'S') {
      return value instanceof String ? value : text(value);
    }
    return PgText.parse(text(value), typeOid);
  }

  /** JSON numbers arrive as Double where they have a fraction; 1E+3 and 1000.0 are integers too. */
  private static String text(Object value) {
    if (value instanceof Double || value instanceof Float || value instanceof BigDecimal) {
      BigDecimal decimal = new BigDecimal(value.toString());
      return decimal.signum() != 0 && decimal.stripTrailingZeros().scale() <= 0
          ? decimal.toBigInteger().toString()
          : decimal.toPlainString();
    }
    return value.toString();
  }
}
