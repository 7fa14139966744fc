package dev.millrace.subscriber.session;

import dev.millrace.model.Identifiers;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.SystemCatalog;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * The database users that clients' statements run as. Rows are read and written as one that may use
 * the user's schemas and nothing else, definitions are changed as one that may change schemas; no
 * client is the administrator, who could read files and compile code, and none reads the schema
 * {@code millrace}, where connection strings with passwords are. Safe for any thread.
 */
final class TargetUsers {

  private static final String SESSION_USER = "millrace_session";
  private static final String OWNER_USER = "millrace_owner";
  private static final String[] USERS = {SESSION_USER, OWNER_USER};

  /** The file is protected by its place; the password only keeps the roles apart. */
  private static final String PASSWORD = "millrace";

  private static final String USER_SCHEMAS =
      "select schema_name from information_schema.schemata where schema_name not in"
          + " ('information_schema', 'pg_catalog', 'millrace', '"
          + SystemCatalog.SCHEMA
          + "')";

  private final DataSource admin;
  private final String url;

  /** Makes the users where they are missing. */
  TargetUsers(DataSource admin, String jdbcUrl) {
    this.admin = admin;
    // Only the administrator may set a database's options; they are in force since it connected.
    int options = jdbcUrl.indexOf(';');
    this.url = (options < 0 ? jdbcUrl : jdbcUrl.substring(0, options)) + ";TIME ZONE=UTC";
    List<String> statements = new ArrayList<>();
    statements.add("CREATE SCHEMA IF NOT EXISTS " + SystemCatalog.SCHEMA);
    for (String user : USERS) {
      statements.add("CREATE USER IF NOT EXISTS " + user + " PASSWORD '" + PASSWORD + "'");
      statements.add("GRANT SELECT ON SCHEMA " + SystemCatalog.SCHEMA + " TO " + user);
    }
    statements.add("GRANT ALTER ANY SCHEMA TO " + OWNER_USER);
    asAdmin(statements);
    openSchemas();
  }

  /** Lets clients use all schemas that are theirs; to be called after one was made. */
  void openSchemas() {
    List<String> grants = new ArrayList<>();
    for (String schema : schemas()) {
      for (String user : USERS) {
        grants.add("GRANT ALL ON SCHEMA " + Identifiers.alwaysQuote(schema) + " TO " + user);
      }
    }
    asAdmin(grants);
  }

  /** The schemas that are the clients'. */
  List<String> schemas() {
    List<String> schemas = new ArrayList<>();
    try (Connection connection = admin.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(USER_SCHEMAS)) {
      while (rows.next()) {
        schemas.add(rows.getString(1));
      }
      return schemas;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private void asAdmin(List<String> sql) {
    try (Connection connection = admin.getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : sql) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /** For a client's statements. */
  Connection openSession() {
    return open(SESSION_USER);
  }

  /** For a client's DDL; each statement commits by itself. */
  Connection openOwner() {
    return open(OWNER_USER);
  }

  private Connection open(String user) {
    try {
      Connection connection = DriverManager.getConnection(url, user, PASSWORD);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET SCHEMA public");
        statement.execute("SET SCHEMA_SEARCH_PATH " + SystemCatalog.SCHEMA + ", public");
      }
      return connection;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
