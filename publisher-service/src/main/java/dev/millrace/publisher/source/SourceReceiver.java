package dev.millrace.publisher.source;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.ForeignTransactions;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the source's slot on a thread of its own: connects, takes over what comes, connects again
 * when that ends.
 *
 * <p>Messages are collected and appended in larger pieces; whenever nothing more is there, what has
 * been collected is appended, the log forced, and the source told how far. So a transaction is
 * visible to this node's slots, and confirmed, as soon as the source pauses, and many share one
 * force while it does not. Only what is on this node's disk is confirmed, which is why a crash here
 * loses nothing: the source sends again from the position that the log itself knows. Where the
 * source has nothing to send for long, that too is a position in the log before it is confirmed, so
 * the slot over there can never be further than the log here unless somebody else moved it.
 */
final class SourceReceiver implements Runnable {

  /** Opens the stream where the log ends; may throw {@link SourceProblem}. */
  @FunctionalInterface
  interface Connector {
    SourceStream open() throws SQLException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(SourceReceiver.class);
  private static final int MESSAGES_PER_CONFIRMATION = 1_000;
  private static final int EMPTY_READS_BEFORE_REST = 50;
  private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /** How often the position of an idle source may cost a record in the log. */
  private static final long IDLE_POSITION_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long STOP_MS = TimeUnit.SECONDS.toMillis(10);

  private final Connector connector;
  private final ForeignTransactions transactions;
  private final WriteAheadLog log;
  private final CatalogStore catalog;
  private final ReplicationOrigins origins;
  private final PositionWaiters waiters;
  private final SourceStatus status;
  private final SourceProperties properties;
  private volatile boolean stopping;
  private volatile SourceStream reading;
  private Thread thread;

  SourceReceiver(
      Connector connector,
      ForeignTransactions transactions,
      WriteAheadLog log,
      CatalogStore catalog,
      ReplicationOrigins origins,
      PositionWaiters waiters,
      SourceStatus status,
      SourceProperties properties) {
    this.connector = connector;
    this.transactions = transactions;
    this.log = log;
    this.catalog = catalog;
    this.origins = origins;
    this.waiters = waiters;
    this.status = status;
    this.properties = properties;
  }

  synchronized void start() {
    thread = new Thread(this, "source receiver");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns when the thread has ended; what was received is in the log. */
  synchronized void stop() {
    stopping = true;
    if (thread == null) {
      return;
    }
    LockSupport.unpark(thread);
    try {
      thread.join(STOP_MS);
      SourceStream stuck = reading;
      if (thread.isAlive() && stuck != null) {
        stuck.close(); // A server that reads nothing can hold a write up for ever.
      }
      thread.join(TimeUnit.MINUTES.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    while (!stopping) {
      try (SourceStream stream = connector.open()) {
        receive(stream);
      } catch (SourceProblem e) {
        status.failed(e.state(), e.getMessage());
      } catch (SQLException e) {
        status.failed(SourceState.AWAY, SourceServer.translate(e).getMessage());
      } catch (PgException e) {
        status.failed(SourceState.AWAY, e.getMessage());
      } catch (RuntimeException | Error e) {
        LOG.error("the stream of the source has ended unexpectedly", e);
        status.failed(SourceState.AWAY, PgException.unexpected(e).getMessage());
      }
      rest(properties.retryInterval());
    }
  }

  private void rest(Duration duration) {
    long untilNs = System.nanoTime() + duration.toNanos();
    while (!stopping && System.nanoTime() < untilNs) {
      LockSupport.parkNanos(this, untilNs - System.nanoTime());
    }
  }

  private void receive(SourceStream stream) throws SQLException {
    SourceRelations relations = new SourceRelations(catalog, transactions, stream.tables());
    Confirmations confirmations = new Confirmations(transactions.sourceLsn());
    StreamWriter writer =
        new StreamWriter(transactions, relations, confirmations, waiters, origins::findOrCreate);
    reading = stream;
    try {
      new Conversation(stream, relations, confirmations, writer).run();
    } finally {
      reading = null;
      writer.abandon();
    }
  }

  /** One connection's life. */
  private final class Conversation {
    private final SourceStream stream;
    private final SourceRelations relations;
    private final Confirmations confirmations;
    private final StreamWriter writer;
    private final PgOutputReader reader;
    private long messageLsn;
    private long confirmedLsn;
    private long refreshAtNs = System.nanoTime();
    private long idlePositionAtNs = refreshAtNs;
    private int messages;
    private int emptyReads;

    Conversation(
        SourceStream stream,
        SourceRelations relations,
        Confirmations confirmations,
        StreamWriter writer) {
      this.stream = stream;
      this.relations = relations;
      this.confirmations = confirmations;
      this.writer = writer;
      this.reader = new PgOutputReader(stream.parallelStreaming());
    }

    void run() throws SQLException {
      refreshTables();
      status.streaming();
      while (!stopping) {
        ByteBuffer message = stream.read();
        if (message == null) {
          drained();
        } else {
          take(message);
        }
      }
      drained();
    }

    private void take(ByteBuffer message) throws SQLException {
      emptyReads = 0;
      int offset = message.arrayOffset() + message.position();
      writer.write(reader.read(message.array(), offset, message.remaining()));
      messageLsn = Lsn.max(messageLsn, stream.receivedLsn());
      if (++messages % MESSAGES_PER_CONFIRMATION == 0) {
        confirm(confirmations.flushed(log.flushLsn()));
      }
    }

    /** Nothing is there to read: a good moment for everything else. */
    private void drained() throws SQLException {
      long appendedLsn = writer.append();
      log.flush(appendedLsn);
      long confirmableLsn = confirmations.flushed(log.flushLsn());
      long receivedLsn = stream.receivedLsn();
      long completeLsn = writer.completeLsn();
      if (Lsn.isBefore(messageLsn, receivedLsn) && !writer.insideTransaction()) {
        completeLsn = Lsn.max(completeLsn, receivedLsn); // A keepalive named it.
        confirmableLsn = Lsn.max(confirmableLsn, idlePosition(receivedLsn));
      }
      waiters.idleAt(completeLsn);
      relations.caughtUpTo(completeLsn);
      confirm(confirmableLsn);
      if (System.nanoTime() - refreshAtNs >= 0 && !writer.insideTransaction()) {
        refreshTables();
      }
      if (++emptyReads > EMPTY_READS_BEFORE_REST) {
        LockSupport.parkNanos(this, REST_NS);
      }
    }

    /** Returns the position once it is in the log on disk, 0 when that is for later. */
    private long idlePosition(long receivedLsn) {
      boolean due = System.nanoTime() - idlePositionAtNs >= 0;
      if (!due || !Lsn.isBefore(transactions.sourceLsn(), receivedLsn)) {
        return 0;
      }
      idlePositionAtNs = System.nanoTime() + IDLE_POSITION_NS;
      log.flush(transactions.passed(receivedLsn));
      return receivedLsn;
    }

    private void confirm(long lsn) throws SQLException {
      if (Lsn.isBefore(confirmedLsn, lsn)) {
        stream.confirm(lsn);
        confirmedLsn = lsn;
      }
    }

    /** Also finds out whether the server still answers, which an idle stream does not tell. */
    private void refreshTables() throws SQLException {
      try {
        relations.look(properties.publication());
      } catch (SQLException e) {
        if (SourceServer.isConnectionLost(e)) {
          throw e;
        }
        LOG.debug("could not look up the source's tables now", e); // They may be changing.
      }
      refreshAtNs = System.nanoTime() + properties.refreshInterval().toNanos();
    }
  }
}
