package dev.millrace.publisher.source;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.postgresql.PGProperty;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Opens connections to the source. Values must look as PostgreSQL prints them everywhere in this
 * publisher, whatever the server's or this machine's defaults are, so every connection sets the
 * parameters that form them. Whatever the server does, each call ends: connecting and queries
 * within the receive time-out, except where a server may rightly take its time (making a slot,
 * reading rows). Safe for any thread.
 */
final class SourceServer {

  private static final int CONNECT_TIMEOUT_S = 10;

  /** The stream stands still meanwhile, so a table that is being altered is looked up later. */
  private static final int LOCK_TIMEOUT_MS = 50;

  private static final List<String> OUTPUT_FORMS =
      List.of(
          "SET TimeZone = 'UTC'",
          "SET DateStyle = 'ISO, MDY'",
          "SET IntervalStyle = 'postgres'",
          "SET extra_float_digits = 1",
          "SET bytea_output = 'hex'",
          "SET xmlbinary = 'base64'",
          "SET statement_timeout = 0");

  private final SourceProperties properties;

  SourceServer(SourceProperties properties) {
    this.properties = properties;
  }

  /** A connection for queries about the catalogue. */
  Connection open() throws SQLException {
    Connection connection = open(common());
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET lock_timeout = " + LOCK_TIMEOUT_MS);
      statement.execute("SET search_path = public"); // How types are shown.
    }
    return connection;
  }

  /** A connection for reading rows, which may take any time. */
  Connection openReader() throws SQLException {
    Connection connection = open(common());
    waitWithoutLimit(connection);
    return connection;
  }

  /** A connection that takes replication commands. */
  Connection openReplication() throws SQLException {
    Properties with = common();
    PGProperty.REPLICATION.set(with, "database");
    PGProperty.ASSUME_MIN_SERVER_VERSION.set(with, "10");
    PGProperty.PREFER_QUERY_MODE.set(with, "simple");
    return open(with);
  }

  /** The row that CREATE_REPLICATION_SLOT answers once all that runs over there has ended. */
  List<String> createSlot(Connection replication, String sql) throws SQLException {
    waitWithoutLimit(replication);
    List<String> row = query(replication, sql).get(0);
    replication.setNetworkTimeout(Runnable::run, (int) properties.receiveTimeout().toMillis());
    return row;
  }

  /** A server that has gone is still found out, by TCP's own keepalives. */
  private static void waitWithoutLimit(Connection connection) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, 0);
  }

  private Properties common() {
    Properties with = new Properties();
    if (properties.username() != null) {
      PGProperty.USER.set(with, properties.username());
    }
    if (properties.password() != null) {
      PGProperty.PASSWORD.set(with, properties.password());
    }
    PGProperty.APPLICATION_NAME.set(with, properties.slotName());
    int timeoutS = Math.max(1, (int) properties.receiveTimeout().toSeconds());
    PGProperty.CONNECT_TIMEOUT.set(with, Math.min(CONNECT_TIMEOUT_S, timeoutS));
    PGProperty.LOGIN_TIMEOUT.set(with, timeoutS);
    PGProperty.SOCKET_TIMEOUT.set(with, timeoutS);
    PGProperty.TCP_KEEP_ALIVE.set(with, "true");
    return with;
  }

  private Connection open(Properties with) throws SQLException {
    Connection connection = DriverManager.getConnection(properties.url(), with);
    try (Statement statement = connection.createStatement()) {
      for (String form : OUTPUT_FORMS) {
        statement.execute(form);
      }
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** The rows of a query as text. */
  static List<List<String>> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<List<String>> rows = new ArrayList<>();
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          row.add(result.getString(i));
        }
        rows.add(row);
      }
      return rows;
    }
  }

  /** Whether the connection cannot be used any more, rather than the server refused something. */
  static boolean isConnectionLost(SQLException e) {
    String state = e.getSQLState();
    return state == null || state.startsWith("08") || state.startsWith("57");
  }

  /** The server's error as this publisher reports errors. */
  static PgException translate(SQLException e) {
    String state = e.getSQLState() == null ? SqlState.CONNECTION_FAILURE : e.getSQLState();
    ServerErrorMessage server =
        e instanceof PSQLException known ? known.getServerErrorMessage() : null;
    if (server == null || server.getMessage() == null) {
      return new PgException(state, "source: " + e.getMessage(), e);
    }
    PgException error = new PgException(state, "source: " + server.getMessage(), e);
    error = server.getDetail() == null ? error : error.withDetail(server.getDetail());
    return server.getHint() == null ? error : error.withHint(server.getHint());
  }
}
