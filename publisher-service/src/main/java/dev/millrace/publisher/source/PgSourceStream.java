package dev.millrace.publisher.source;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A replication connection of the PostgreSQL driver, and one for queries beside it. */
final class PgSourceStream implements SourceStream {

  private static final Logger LOG = LoggerFactory.getLogger(PgSourceStream.class);

  private final Connection queries;
  private final Connection replication;
  private final PGReplicationStream stream;
  private final SourceTables tables;
  private final boolean parallelStreaming;

  PgSourceStream(
      Connection queries,
      Connection replication,
      PGReplicationStream stream,
      boolean parallelStreaming) {
    this.queries = queries;
    this.replication = replication;
    this.stream = stream;
    this.tables = new SourceTables(queries);
    this.parallelStreaming = parallelStreaming;
  }

  @Override
  public ByteBuffer read() throws SQLException {
    return stream.readPending();
  }

  @Override
  public long receivedLsn() {
    return stream.getLastReceiveLSN().asLong();
  }

  @Override
  public void confirm(long lsn) throws SQLException {
    LogSequenceNumber position = LogSequenceNumber.valueOf(lsn);
    stream.setFlushedLSN(position);
    stream.setAppliedLSN(position);
    stream.forceUpdateStatus();
  }

  @Override
  public SourceTables tables() {
    return tables;
  }

  @Override
  public boolean parallelStreaming() {
    return parallelStreaming;
  }

  /** The socket ends the stream: asking the server to end it would first drain what it sends. */
  @Override
  public void close() {
    close(replication);
    close(queries);
  }

  static void close(Connection connection) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("could not close a connection to the source", e);
    }
  }
}
