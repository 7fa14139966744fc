package dev.millrace.publisher.database;

import dev.millrace.heap.AtomicStores;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.SystemCatalog;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;

/**
 * The H2 database that is this node's heap: one file, opened by this process alone.
 *
 * <p>Three users share the work. The administrator creates triggers, sets database options and
 * makes the file durable; it never runs what a client wrote. Clients' statements run as {@link
 * #SESSION_USER}, which may read and write the rows of every schema and nothing else: an
 * administrator could read files and compile code. Their DDL runs as {@link #OWNER_USER}, which may
 * change schemas but is no administrator either.
 *
 * <p>Safe for any thread; the admin connection is guarded by its own monitor.
 */
final class EmbeddedDatabase implements AutoCloseable {

  /** Holds the marker table; no client may name it. */
  static final String INTERNAL_SCHEMA = "millrace";

  static final String SESSION_USER = "millrace_session";
  static final String OWNER_USER = "millrace_owner";
  private static final String ADMIN_USER = "millrace_admin";

  /** The file is protected by its place; the passwords only keep the three roles apart. */
  private static final String PASSWORD = "millrace";

  /** Set once by the first connection, which is the administrator's. */
  private static final String DATABASE_OPTIONS =
      ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
          + ";DB_CLOSE_ON_EXIT=FALSE;CACHE_SIZE=49152"
          // Without it the stored definition of our version() is refused when the file is opened.
          + ";BUILTIN_ALIAS_OVERRIDE=TRUE";

  private final String url;
  private final Connection admin;
  private final Database h2;
  private volatile boolean closing;

  private EmbeddedDatabase(String url, Connection admin) {
    this.url = url;
    this.admin = admin;
    this.h2 = ((SessionLocal) ((JdbcConnection) admin).getSession()).getDatabase();
  }

  /** Opens {@code directory/name}, creating the database when it is not there. */
  static EmbeddedDatabase open(Path directory, String name) {
    return open("jdbc:h2:file:" + directory.toAbsolutePath().resolve(name));
  }

  /** Opens a database without a file: what a node needs that holds views and no rows. */
  static EmbeddedDatabase openInMemory() {
    return open("jdbc:h2:mem:" + UUID.randomUUID());
  }

  private static EmbeddedDatabase open(String place) {
    String url = place + ";TIME ZONE=UTC";
    try {
      Connection admin = DriverManager.getConnection(url + DATABASE_OPTIONS, ADMIN_USER, PASSWORD);
      AtomicStores.install(admin);
      EmbeddedDatabase database = new EmbeddedDatabase(url, admin);
      database.prepareSchemas();
      return database;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private void prepareSchemas() throws SQLException {
    executeAsAdmin("CREATE SCHEMA IF NOT EXISTS " + INTERNAL_SCHEMA);
    SystemCatalog.installTypes(admin);
    executeAsAdmin(
        "CREATE TABLE IF NOT EXISTS " + INTERNAL_SCHEMA + ".applied (xid integer PRIMARY KEY)");
    for (String user : new String[] {SESSION_USER, OWNER_USER}) {
      executeAsAdmin("CREATE USER IF NOT EXISTS " + user + " PASSWORD '" + PASSWORD + "'");
      executeAsAdmin("GRANT SELECT ON SCHEMA " + SystemCatalog.SCHEMA + " TO " + user);
    }
    executeAsAdmin("GRANT ALTER ANY SCHEMA TO " + OWNER_USER);
    executeAsAdmin("GRANT INSERT ON " + INTERNAL_SCHEMA + ".applied TO " + SESSION_USER);
    openSchema("public");
  }

  /** Lets clients use a schema. */
  void openSchema(String schema) {
    for (String user : new String[] {SESSION_USER, OWNER_USER}) {
      admin("GRANT ALL ON SCHEMA " + Identifiers.alwaysQuote(schema) + " TO " + user);
    }
  }

  /** A connection for a client's statements, in the default isolation, without auto-commit. */
  Connection openSession() {
    return open(SESSION_USER, "");
  }

  /** A connection for clients' DDL. */
  Connection openOwner() {
    return open(OWNER_USER, "");
  }

  /** A connection for reading a snapshot: results are streamed instead of buffered. */
  Connection openSnapshotReader() {
    return open(SESSION_USER, ";LAZY_QUERY_EXECUTION=1");
  }

  /** A second administrator's connection, for redo. */
  Connection openAdmin() {
    return open(ADMIN_USER, "");
  }

  /**
   * Whether H2 has given its file up: it does so when memory runs out in the middle of a change or
   * the file cannot be written. A further connection would open the file anew under the feet of
   * what is left of the old one, and that has destroyed files; only a new process may open it.
   */
  boolean isLost() {
    return !closing && (h2.isClosing() || h2.getStore().getMvStore().getPanicException() != null);
  }

  private Connection open(String user, String options) {
    if (closing || isLost()) {
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "the database has been closed");
    }
    try {
      Connection connection = DriverManager.getConnection(url + options, user, PASSWORD);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET SCHEMA public");
        statement.execute("SET SCHEMA_SEARCH_PATH " + SystemCatalog.SCHEMA + ", public");
      }
      return connection;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /** Runs an administrator's statement. */
  void admin(String sql) {
    try {
      executeAsAdmin(sql);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private void executeAsAdmin(String sql) throws SQLException {
    synchronized (admin) {
      try (Statement statement = admin.createStatement()) {
        statement.execute(sql);
      }
    }
  }

  /** The administrator's connection; hold its monitor while using it. */
  Connection adminConnection() {
    return admin;
  }

  /** Returns when everything committed so far is on disk. */
  void checkpointSync() {
    admin("CHECKPOINT SYNC");
  }

  /** Closes the file; open sessions end with it. */
  @Override
  public void close() {
    closing = true;
    try {
      executeAsAdmin("SHUTDOWN");
      admin.close();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
