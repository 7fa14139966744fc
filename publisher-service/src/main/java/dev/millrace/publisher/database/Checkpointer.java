package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.H2Errors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Makes H2 durable up to a position of the log, so that redo can begin there and older log can go.
 *
 * <p>Under the exclusive side of the commit gate, H2 shows exactly the transactions whose commit
 * records lie before the insert LSN: that is the redo LSN. Transactions running then are written to
 * the log with their first LSNs, because redo needs their earlier records; those of transactions
 * that are prepared go to files of their own, since they may stay for long. The markers that H2
 * shows at that moment are needed no more once H2 is durable; a snapshot pinned under the gate
 * finds them.
 *
 * <p>Runs every {@code checkpoint_timeout}, after {@code max_wal_size} of log, and when asked. Safe
 * for any thread; one checkpoint at a time.
 */
final class Checkpointer implements AutoCloseable {

  private static final long POLL_MS = 1_000;
  private static final int MARKERS_PER_DELETE = 10_000;

  private final NodeParts node;
  private final ControlFile control;
  private final LogRetention retention;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "checkpointer");
            thread.setDaemon(true);
            return thread;
          });
  private long lastMs;

  Checkpointer(NodeParts node, ControlFile control, LogRetention retention) {
    this.node = node;
    this.control = control;
    this.retention = retention;
    this.lastMs = node.clock().millis();
  }

  /** Begins to make checkpoints by time and size. */
  void start() {
    timer.scheduleWithFixedDelay(this::checkpointWhenDue, POLL_MS, POLL_MS, TimeUnit.MILLISECONDS);
  }

  private void checkpointWhenDue() {
    node.stopIfDatabaseLost(null);
    long redoLsn = control.state().redoLsn();
    long grown = node.log().insertLsn() - redoLsn;
    long waitedMs = node.clock().millis() - lastMs;
    boolean due =
        waitedMs >= node.settings().getMillis("checkpoint_timeout") && grown > 0
            || grown >= node.settings().getBytes("max_wal_size") / 2;
    if (due && node.failure().reason() == null) {
      try {
        checkpoint();
      } catch (RuntimeException | Error e) {
        if (!isDiskFull(e)) {
          node.failure().stop("could not make a checkpoint", e);
        } // A full disk refuses writers until there is room; so must checkpoints wait.
      }
    }
  }

  private static boolean isDiskFull(Throwable e) {
    return e instanceof PgException error && error.sqlState().equals(SqlState.DISK_FULL);
  }

  /** Makes a checkpoint; returns its redo LSN. */
  synchronized long checkpoint() {
    lastMs = node.clock().millis();
    try (Connection markers = openMarkerReader()) {
      RedoPosition position = noteRedoPosition(markers);
      long redoLsn = position.redoLsn();
      node.log().flush(node.log().insertLsn());
      FaultPoint.hit("checkpoint.noted");
      writePrepared(position.prepared());
      node.database().checkpointSync();
      node.catalog().save();
      node.origins().save();
      FaultPoint.hit("checkpoint.synced");
      long time = node.transactions().commitTime();
      int nextXid = node.running().nextXid();
      control.update(state -> state.withCheckpoint(redoLsn, node.log().flushLsn(), nextXid, time));
      FaultPoint.hit("checkpoint.controlled");
      node.twoPhase().files().retain(xids(position.prepared()));
      deleteMarkers(markers);
      retention.release(position.neededLsn());
      return redoLsn;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private Connection openMarkerReader() throws SQLException {
    Connection markers = node.database().openAdmin();
    try (Statement statement = markers.createStatement()) {
      statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT");
    }
    return markers;
  }

  /**
   * @param neededLsn the first record of a transaction that ran or was prepared then, whether or
   *     not it has ended since: redo or a new slot may need it
   */
  private record RedoPosition(long redoLsn, long neededLsn, List<PreparedTransaction> prepared) {}

  private void writePrepared(List<PreparedTransaction> prepared) {
    for (PreparedTransaction each : prepared) {
      NodeTransaction transaction = each.transaction();
      node.twoPhase()
          .files()
          .write(node.log(), transaction.xid(), transaction.firstLsn(), each.prepareEndLsn());
    }
  }

  private static Set<Integer> xids(List<PreparedTransaction> prepared) {
    return prepared.stream().map(each -> each.transaction().xid()).collect(Collectors.toSet());
  }

  private RedoPosition noteRedoPosition(Connection markers) throws SQLException {
    long stamp = node.gate().enterExclusive();
    try (Statement statement = markers.createStatement()) {
      long redoLsn = node.log().insertLsn();
      long neededLsn = Lsn.min(redoLsn, node.running().oldestFirstLsn());
      List<PreparedTransaction> prepared = node.twoPhase().prepared().all();
      WalBatch batch = new WalBatch(256);
      addRunningTransactions(batch, xids(prepared));
      node.sequences().checkpointed(batch);
      node.log().append(batch);
      statement.executeQuery("SELECT 1").close();
      return new RedoPosition(redoLsn, neededLsn, prepared);
    } finally {
      node.gate().leave(stamp);
    }
  }

  private void addRunningTransactions(WalBatch batch, Set<Integer> prepared) {
    List<NodeTransaction> running = new ArrayList<>(node.running().all());
    running.removeIf(transaction -> prepared.contains(transaction.xid()));
    ByteBuilder out =
        batch.begin(
            WalRecordType.RUNNING_TRANSACTIONS,
            node.isForeign() ? WalFormat.WITH_SOURCE_LSN : 0,
            NodeTransaction.NO_XID,
            NodeTransaction.NO_XID,
            node.databaseOid(),
            0);
    out.putInt(node.running().nextXid()).putInt(control.state().oidBound()).putInt(running.size());
    for (NodeTransaction transaction : running) {
      out.putInt(transaction.xid()).putLong(transaction.firstLsn());
    }
    out.putInt(prepared.size());
    prepared.forEach(out::putInt);
    if (node.isForeign()) {
      out.putLong(node.foreign().sourceLsn());
    }
    batch.end();
  }

  private static void deleteMarkers(Connection markers) throws SQLException {
    try (Statement statement = markers.createStatement()) {
      String sql =
          "DELETE FROM "
              + EmbeddedDatabase.INTERNAL_SCHEMA
              + ".applied FETCH FIRST "
              + MARKERS_PER_DELETE
              + " ROWS ONLY";
      while (statement.executeUpdate(sql) > 0) {
        FaultPoint.hit("checkpoint.markers");
      }
    }
    markers.commit();
  }

  @Override
  public void close() {
    timer.shutdown();
    try {
      timer.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
