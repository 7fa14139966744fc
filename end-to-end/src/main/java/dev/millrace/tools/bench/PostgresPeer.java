package dev.millrace.tools.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/**
 * A real PostgreSQL server with the bench table, its slots read by pg_recvlogical where that is
 * installed and by pgjdbc elsewhere.
 */
final class PostgresPeer implements AutoCloseable {

  private static final String RECEIVER = "pg_recvlogical";

  private final EmbeddedPostgres server;
  private final Connection connection;
  private final boolean receiverInstalled;

  PostgresPeer() throws IOException, SQLException {
    LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.zonky", LogLevel.WARN);
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("wal_level", "logical")
            .setServerConfig("max_wal_size", "4GB")
            .start();
    connection = DriverManager.getConnection(url(), "postgres", "postgres");
    receiverInstalled = isInstalled(RECEIVER);
  }

  private String url() {
    return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
  }

  private static boolean isInstalled(String program) {
    String path = System.getenv("PATH");
    for (String directory : (path == null ? "" : path).split(":")) {
      if (Files.isExecutable(Path.of(directory, program))) {
        return true;
      }
    }
    return false;
  }

  /** What the slots are read with. */
  String reader() {
    return receiverInstalled ? RECEIVER : "pgjdbc";
  }

  void sql(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String value(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  /**
   * CPU time of the server's processes that have ended; a walsender ends with its client. Source:
   * proc(5), the fields cutime and cstime of the postmaster, in ticks of 10 ms.
   */
  Duration endedCpu() throws IOException, SQLException {
    Path data = Path.of(value("SHOW data_directory"), "postmaster.pid");
    String pid = Files.readAllLines(data).get(0).strip();
    String stat = Files.readString(Path.of("/proc", pid, "stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Duration.ofMillis((Long.parseLong(fields[13]) + Long.parseLong(fields[14])) * 10);
  }

  /** Reads a slot up to the end of the log and throws everything away. */
  void drain(String slot) throws IOException, InterruptedException, SQLException {
    String end;
    synchronized (connection) {
      end = value("SELECT pg_current_wal_flush_lsn()");
    }
    if (receiverInstalled) {
      receive(slot, end);
    } else {
      stream(slot, LogSequenceNumber.valueOf(end));
    }
  }

  private void receive(String slot, String end) throws IOException, InterruptedException {
    Process receiver =
        new ProcessBuilder(
                RECEIVER,
                "--host=127.0.0.1",
                "--port=" + server.getPort(),
                "--username=postgres",
                "--dbname=postgres",
                "--slot=" + slot,
                "--start",
                "--no-loop",
                "--endpos=" + end,
                "--option=proto_version=1",
                "--option=publication_names=bench_pub",
                "--file=/dev/null")
            .inheritIO()
            .start();
    if (receiver.waitFor() != 0) {
      throw new IllegalStateException(RECEIVER + " ended with " + receiver.exitValue());
    }
  }

  private void stream(String slot, LogSequenceNumber end)
      throws SQLException, InterruptedException {
    Properties properties = new Properties();
    PGProperty.USER.set(properties, "postgres");
    PGProperty.REPLICATION.set(properties, "database");
    PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "18");
    PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
    try (Connection replication = DriverManager.getConnection(url(), properties);
        PGReplicationStream stream =
            replication
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName(slot)
                .withSlotOption("proto_version", 1)
                .withSlotOption("publication_names", "bench_pub")
                .start()) {
      while (stream.getLastReceiveLSN().compareTo(end) < 0) {
        ByteBuffer message = stream.readPending();
        if (message == null) {
          TimeUnit.MICROSECONDS.sleep(200);
        }
      }
    }
  }

  @Override
  public void close() throws IOException, SQLException {
    connection.close();
    server.close();
  }
}
