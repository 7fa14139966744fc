package dev.millrace.publisher.source;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.postgresql.util.PSQLException;

/**
 * A database of its own on a real PostgreSQL server, which the tests of this JVM share. The server
 * ends with the JVM.
 */
public final class SourcePostgres implements AutoCloseable {

  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static EmbeddedPostgres server;

  private final String database;
  private final Connection connection;

  private SourcePostgres(String database) throws SQLException {
    this.database = database;
    this.connection = connect();
  }

  private static synchronized EmbeddedPostgres server() {
    if (server == null) {
      try {
        server =
            EmbeddedPostgres.builder()
                .setServerConfig("wal_level", "logical")
                .setServerConfig("max_prepared_transactions", "20")
                .setServerConfig("max_replication_slots", "60")
                .setServerConfig("max_wal_senders", "30")
                .setServerConfig("max_active_replication_origins", "30")
                .setServerConfig("logical_decoding_work_mem", "64kB")
                .setServerConfig("autovacuum", "off")
                .setServerConfig("fsync", "off")
                .setServerConfig("synchronous_commit", "on")
                .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return server;
  }

  /** A new database. */
  public static SourcePostgres create() {
    String name = "source" + NUMBER.incrementAndGet();
    try (Connection admin = server().getPostgresDatabase().getConnection();
        Statement statement = admin.createStatement()) {
      statement.execute("CREATE DATABASE " + name + " TEMPLATE template0");
      return new SourcePostgres(name);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  public String url() {
    return server().getJdbcUrl("postgres", database);
  }

  int port() {
    return server().getPort();
  }

  /** Also the name of the slot that a publisher of this database should use. */
  public String database() {
    return database;
  }

  /** Another connection. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  public void run(String... statements) {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Changes a setting of the server. */
  public void configure(String setting, String value) {
    run("ALTER SYSTEM SET " + setting + " = '" + value + "'", "SELECT pg_reload_conf()");
    Awaitility.await().until(() -> value("SHOW " + setting).equals(value));
  }

  /** The rows of a query, columns joined by {@code |}. */
  public List<String> rows(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.append(i == 1 ? "" : "|").append(result.getString(i));
        }
        rows.add(row.toString());
      }
      return rows;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** SQLSTATE and message of the error of a query; null without one. */
  public String error(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet ignored = statement.executeQuery(sql)) {
      return null;
    } catch (PSQLException e) {
      return e.getSQLState() + " " + e.getServerErrorMessage().getMessage();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Drops all replication origins, once the sessions that used them have ended. */
  public void dropOrigins() {
    Awaitility.await()
        .ignoreExceptionsInstanceOf(AssertionError.class)
        .until(
            () -> {
              rows("SELECT pg_replication_origin_drop(roname) FROM pg_replication_origin");
              return true;
            });
  }

  public String value(String sql) {
    return rows(sql).get(0);
  }

  /** Ends the connections of a slot's reader, as a network failure would. */
  public void cutOff(String slot) {
    rows(
        "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '"
            + slot
            + "' AND active_pid IS NOT NULL");
  }

  /** Waits until the publisher has confirmed all that has been written so far. */
  public void awaitConfirmed() {
    String lsn = value("SELECT pg_current_wal_insert_lsn()");
    run("SELECT pg_logical_emit_message(true, 'millrace', '')"); // Forces what is before it.
    awaitPassed(lsn);
  }

  /** Waits until nobody reads the slot. */
  void awaitInactive(String slot) {
    String sql = "SELECT active FROM pg_replication_slots WHERE slot_name = '" + slot + "'";
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> value(sql).equals("f"));
  }

  /** Waits until the publisher has confirmed that position. */
  void awaitPassed(String lsn) {
    String sql =
        "SELECT confirmed_flush_lsn >= '%s' FROM pg_replication_slots WHERE slot_name = '%s'"
            .formatted(lsn, database);
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .alias("the source's " + lsn + " is taken over")
        .until(() -> value(sql).equals("t"));
  }

  /** Drops everything but those publications. */
  public void empty(Set<String> keptPublications) {
    for (String publication : rows("SELECT quote_ident(pubname) FROM pg_publication")) {
      if (!keptPublications.contains(publication)) {
        run("DROP PUBLICATION " + publication);
      }
    }
    for (String gid : rows("SELECT quote_literal(gid) FROM pg_prepared_xacts")) {
      run("ROLLBACK PREPARED " + gid);
    }
    rows("SELECT pg_replication_origin_drop(roname) FROM pg_replication_origin");
    for (String schema :
        rows(
            "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <>"
                + " 'information_schema'")) {
      run("DROP SCHEMA " + schema + " CASCADE");
    }
    run("CREATE SCHEMA public");
  }

  /** Drops the database with the slots that read it. */
  @Override
  public void close() {
    try (Connection admin = server().getPostgresDatabase().getConnection();
        Statement statement = admin.createStatement()) {
      connection.close();
      statement.execute(
          "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = '"
              + database
              + "' AND active_pid IS NOT NULL");
      statement.execute(
          "DO $$ DECLARE s record; BEGIN FOR s IN SELECT slot_name FROM pg_replication_slots"
              + " WHERE database = '"
              + database
              + "' LOOP FOR i IN 1..100 LOOP BEGIN PERFORM pg_drop_replication_slot(s.slot_name);"
              + " EXIT; EXCEPTION WHEN object_in_use THEN PERFORM pg_sleep(0.05); WHEN"
              + " undefined_object THEN EXIT; END; END LOOP; END LOOP; END $$");
      statement.execute("DROP DATABASE " + database + " WITH (FORCE)");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
