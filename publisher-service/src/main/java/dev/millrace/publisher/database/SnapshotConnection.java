package dev.millrace.publisher.database;

import dev.millrace.sql.H2Errors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection whose every query sees the database at one moment. Opened first, pinned later: only
 * the pinning happens under the commit gate. One thread, except {@link #holder}.
 */
final class SnapshotConnection implements PublisherNode.PinnedSnapshot {

  private final Connection connection;
  private final OpenSnapshots snapshots;
  private volatile String holder = "a replication slot";
  private boolean closed;

  /**
   * Counts the connection as an open snapshot.
   *
   * @param limit how many may be open
   */
  SnapshotConnection(Connection connection, OpenSnapshots snapshots, int limit) {
    this.connection = connection;
    this.snapshots = snapshots;
    try {
      snapshots.add(this, limit);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT");
    } catch (SQLException e) {
      close();
      throw H2Errors.translate(e);
    }
  }

  /** From now on it sees what is committed at this moment. */
  void pin() {
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT 1").close();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public void describe(String newHolder) {
    holder = newHolder;
  }

  /** Who holds it, in words. Any thread. */
  String holder() {
    return holder;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    snapshots.remove(this);
    try {
      connection.close();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
