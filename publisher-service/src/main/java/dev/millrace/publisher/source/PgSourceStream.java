package dev.millrace.publisher.source;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.model.SqlState;
import dev.millrace.replication.PrimaryKeepalive;
import dev.millrace.replication.ReplicationFrame;
import dev.millrace.replication.StandbyStatusUpdate;
import dev.millrace.replication.XLogData;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyDual;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The source's slot being read over the driver's copy interface, and a connection for queries
 * beside it.
 *
 * <p>The driver's own replication stream is not used because it keeps keepalives to itself: a
 * server that has fallen silent could not be told from one that has nothing to send. Here a silent
 * server is asked to answer after half the time-out, and given up at its end. A message that stops
 * halfway ends the connection by the socket's time-out.
 *
 * <p>Requests to reply are answered at most ten times a second, so that a server that asks without
 * end, and perhaps reads nothing, is not sent replies without end. One thread; {@link #close} any.
 */
final class PgSourceStream implements SourceStream {

  private static final Logger LOG = LoggerFactory.getLogger(PgSourceStream.class);
  private static final long STATUS_INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long REPLY_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int KEEPALIVES_PER_READ = 1_000;

  private final Connection queries;
  private final Connection replication;
  private final CopyDual copy;
  private final SourceTables tables;
  private final boolean parallelStreaming;
  private final long timeoutNs;
  private final ByteBuilder out = new ByteBuilder(StandbyStatusUpdate.SIZE);
  private long receivedLsn;
  private long confirmedLsn;
  private long heardNs = System.nanoTime();
  private long sentNs = heardNs;
  private long askedNs;
  private boolean asked;
  private boolean replyDue;

  /**
   * Begins to read.
   *
   * @param command START_REPLICATION
   * @param startLsn where it begins
   * @param timeout how long the server may be silent
   */
  PgSourceStream(
      Connection queries,
      Connection replication,
      String command,
      long startLsn,
      boolean parallelStreaming,
      Duration timeout)
      throws SQLException {
    this.queries = queries;
    this.replication = replication;
    this.tables = new SourceTables(queries);
    this.parallelStreaming = parallelStreaming;
    this.timeoutNs = timeout.toNanos();
    this.receivedLsn = startLsn;
    this.confirmedLsn = startLsn;
    replication.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
    this.copy = replication.unwrap(PGConnection.class).getCopyAPI().copyDual(command);
  }

  @Override
  public ByteBuffer read() throws SQLException {
    boolean heard = false;
    ByteBuffer message = null;
    byte[] frame = copy.readFromCopy(false);
    for (int i = 0; frame != null; i++) {
      heard = true;
      message = take(frame);
      frame = message != null || i == KEEPALIVES_PER_READ ? null : copy.readFromCopy(false);
    }
    long nowNs = System.nanoTime();
    if (heard) {
      heardNs = nowNs;
      asked = false;
    } else if (!copy.isActive()) {
      throw failed("the source has ended the stream");
    } else {
      requireHeard(nowNs);
    }
    long sinceSentNs = nowNs - sentNs;
    if (sinceSentNs >= STATUS_INTERVAL_NS || replyDue && sinceSentNs >= REPLY_INTERVAL_NS) {
      send(false);
    }
    return message;
  }

  /** The message of the plugin; null for a keepalive. */
  private ByteBuffer take(byte[] frame) {
    ReplicationFrame header = ReplicationFrame.read(frame, 0, frame.length);
    if (header instanceof XLogData piece) {
      receivedLsn = Lsn.max(receivedLsn, piece.startLsn());
      return ByteBuffer.wrap(frame, XLogData.HEADER_SIZE, frame.length - XLogData.HEADER_SIZE);
    } else if (header instanceof PrimaryKeepalive keepalive) {
      receivedLsn = Lsn.max(receivedLsn, keepalive.endLsn());
      replyDue |= keepalive.replyRequested();
      return null;
    }
    throw new PgException(
        SqlState.PROTOCOL_VIOLATION,
        "the source broke the protocol: unexpected " + header.getClass().getSimpleName());
  }

  private void requireHeard(long nowNs) throws SQLException {
    if (!asked && nowNs - heardNs > timeoutNs / 2) {
      asked = true;
      askedNs = nowNs;
      send(true);
    } else if (asked && nowNs - askedNs > timeoutNs / 2) {
      throw failed(
          "the source has sent nothing for "
              + TimeUnit.NANOSECONDS.toMillis(nowNs - heardNs)
              + " ms, and does not answer");
    }
  }

  private static SQLException failed(String message) {
    return new SQLException(message, SqlState.CONNECTION_FAILURE);
  }

  private void send(boolean replyRequested) throws SQLException {
    out.truncate(0);
    new StandbyStatusUpdate(
            receivedLsn,
            confirmedLsn,
            confirmedLsn,
            PgTime.fromInstant(Instant.now()),
            replyRequested)
        .write(out);
    copy.writeToCopy(out.array(), 0, out.size());
    copy.flushCopy();
    sentNs = System.nanoTime();
    replyDue = false;
  }

  @Override
  public long receivedLsn() {
    return receivedLsn;
  }

  @Override
  public void confirm(long lsn) throws SQLException {
    confirmedLsn = lsn;
    send(false);
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
