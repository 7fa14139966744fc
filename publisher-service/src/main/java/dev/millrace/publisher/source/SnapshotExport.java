package dev.millrace.publisher.source;

import dev.millrace.model.Identifiers;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode.ConsistentPoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes a snapshot of the source that agrees exactly with a position of the own log.
 *
 * <p>A temporary slot over there exports a snapshot together with the position C it belongs to: it
 * shows what committed before C and nothing else. {@link PositionWaiters} tells the own position
 * with the same property. The slot goes as soon as the snapshot is in use; like every slot it is
 * made only when the transactions then running over there have ended. Any thread.
 */
final class SnapshotExport {

  private static final long STREAM_TIMEOUT_MS = 60_000;

  private final SourceServer server;
  private final PositionWaiters waiters;
  private final String publication;
  private final AtomicInteger number = new AtomicInteger();

  SnapshotExport(SourceServer server, PositionWaiters waiters, String publication) {
    this.server = server;
    this.waiters = waiters;
    this.publication = publication;
  }

  ConsistentPoint export() {
    Connection reader = null;
    try (PositionWaiters.Watch watch = waiters.watch();
        Connection exporter = server.openReplication()) {
      List<String> slot = createSlot(exporter);
      reader = server.openReader();
      use(reader, slot.get(2));
      ConsistentPoint point = watch.await(Lsn.parse(slot.get(1)).value(), STREAM_TIMEOUT_MS);
      return new ConsistentPoint(
          point.lsn(),
          point.restartLsn(),
          point.nextXid(),
          new SourceSnapshot(reader, publication));
    } catch (SQLException e) {
      closeAfter(reader);
      throw SourceServer.translate(e);
    } catch (InterruptedException e) {
      closeAfter(reader);
      Thread.currentThread().interrupt();
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "terminating connection", e);
    } catch (RuntimeException e) {
      closeAfter(reader);
      throw e;
    }
  }

  private List<String> createSlot(Connection exporter) throws SQLException {
    String name = "millrace_copy_" + ProcessHandle.current().pid() + "_" + number.incrementAndGet();
    return server.createSlot(
        exporter,
        "CREATE_REPLICATION_SLOT "
            + Identifiers.alwaysQuote(name)
            + " TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT");
  }

  private static void use(Connection reader, String snapshot) throws SQLException {
    reader.setAutoCommit(false);
    reader.setReadOnly(true);
    reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = reader.createStatement()) {
      statement.execute("SET TRANSACTION SNAPSHOT " + Identifiers.literal(snapshot));
    }
  }

  private static void closeAfter(Connection reader) {
    if (reader != null) {
      PgSourceStream.close(reader);
    }
  }
}
