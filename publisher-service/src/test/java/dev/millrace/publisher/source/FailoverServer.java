package dev.millrace.publisher.source;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.Awaitility;

/** A PostgreSQL server of its own, a primary or a physical standby, that can be stopped. */
final class FailoverServer implements AutoCloseable {

  private final Path directory;
  private EmbeddedPostgres server;

  private FailoverServer(Path directory) {
    this.directory = directory;
    start();
  }

  static FailoverServer primary(Path directory) {
    return new FailoverServer(directory);
  }

  void start() {
    try {
      server =
          EmbeddedPostgres.builder()
              .setDataDirectory(directory)
              .setCleanDataDirectory(false)
              .setServerConfig("wal_level", "logical")
              .setServerConfig("max_prepared_transactions", "5")
              .setServerConfig("autovacuum", "off")
              .setServerConfig("fsync", "off")
              .setServerConfig("synchronous_commit", "on")
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A standby of this primary, from a copy of its directory made while it runs. */
  FailoverServer standby(Path copy, String physicalSlot, String setting) {
    run("SELECT pg_create_physical_replication_slot('" + physicalSlot + "', true)");
    try (Connection connection = DriverManager.getConnection(url());
        Statement session = connection.createStatement()) {
      session.execute("SELECT pg_backup_start('copy', true)");
      copy(directory, copy);
      String label = value(session, "SELECT labelfile FROM pg_backup_stop(false)");
      Files.writeString(copy.resolve("backup_label"), label, StandardCharsets.UTF_8);
      Files.createFile(copy.resolve("standby.signal"));
      String settings =
          """
          primary_conninfo = 'host=127.0.0.1 port=%d user=postgres dbname=postgres'
          primary_slot_name = '%s'
          hot_standby_feedback = on
          wal_receiver_status_interval = 1
          %s
          """
              .formatted(port(), physicalSlot, setting);
      Files.writeString(
          copy.resolve("postgresql.auto.conf"),
          settings,
          StandardCharsets.UTF_8,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return new FailoverServer(copy);
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
              throws IOException {
            Path made = Files.createDirectories(to.resolve(from.relativize(path)));
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx------"));
            boolean own = path.endsWith("pg_replslot");
            return own ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            String name = path.getFileName().toString();
            if (!name.startsWith("postmaster.") && !name.equals("epg-lock")) {
              Files.copy(
                  path, to.resolve(from.relativize(path)), StandardCopyOption.REPLACE_EXISTING);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  int port() {
    return server.getPort();
  }

  private String url() {
    return server.getJdbcUrl("postgres", "postgres");
  }

  void run(String... statements) {
    try (Connection connection = DriverManager.getConnection(url());
        Statement session = connection.createStatement()) {
      for (String sql : statements) {
        session.execute(sql);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  String value(String sql) {
    try (Connection connection = DriverManager.getConnection(url());
        Statement session = connection.createStatement()) {
      return value(session, sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static String value(Statement session, String sql) throws SQLException {
    try (ResultSet result = session.executeQuery(sql)) {
      return result.next() ? result.getString(1) : null;
    }
  }

  /** Waits until this standby has replayed what the primary has written so far. */
  void awaitReplayed(FailoverServer primary) {
    String lsn = primary.value("SELECT pg_current_wal_insert_lsn()");
    primary.run("SELECT pg_logical_emit_message(true, 'millrace', '')");
    await("SELECT pg_last_wal_replay_lsn() >= '" + lsn + "'");
  }

  /** Waits until the query answers true. */
  void await(String sql) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> "t".equals(value(sql)));
  }

  void promote() {
    run("SELECT pg_promote(true)");
  }

  /** Stops it; the directory stays. */
  void stop() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    stop();
  }
}
