package dev.millrace.publisher.source;

import dev.millrace.publisher.database.PublisherNode;
import java.sql.Connection;

/** A read-only transaction on the source that sees one snapshot. One thread. */
final class SourceSnapshot implements PublisherNode.PinnedSnapshot {

  private final Connection connection;

  SourceSnapshot(Connection connection) {
    this.connection = connection;
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public boolean isForeign() {
    return true;
  }

  /** DDL on the source waits for its readers by itself and names their connection. */
  @Override
  public void describe(String holder) {}

  @Override
  public void close() {
    PgSourceStream.close(connection);
  }
}
