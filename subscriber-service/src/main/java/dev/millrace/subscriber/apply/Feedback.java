package dev.millrace.subscriber.apply;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.replication.StandbyStatusUpdate;
import dev.millrace.subscriber.receiver.PublisherConnection;
import dev.millrace.subscriber.target.TargetDatabase;
import java.time.Clock;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Tells the publisher how far this subscriber is, from a thread of its own, so that a worker that
 * applies a large transaction or waits for a lock is not taken for dead.
 *
 * <p>Three positions go out. Write is what was received. Apply is the last point between two
 * transactions that the worker has reached ({@link #settled}); positions inside an open transaction
 * never count. Flush is the apply position of the moment before the last sync of the database
 * began; it moves along with apply, without a sync, while nothing was written since. The publisher
 * may forget what lies before flush, so flush never runs ahead of the disk.
 *
 * <p>When an update goes out: at once when the publisher asks (after a sync, if one is due),
 * whenever write or flush moved and all input is consumed, after each sync, and every
 * wal_receiver_status_interval. Unasked ones keep a distance of a millisecond: the first of a burst
 * goes out at once, and a busy stream of small transactions does not spend its time on them.
 */
final class Feedback implements AutoCloseable {

  /** How long a commit may wait for its sync. */
  private static final long SYNC_INTERVAL_NANOS = 200_000_000;

  private static final long GREATEST_WAIT_NANOS = 10_000_000_000L;
  private static final long UNASKED_DISTANCE_NANOS = 1_000_000;

  private final PublisherConnection connection;
  private final TargetDatabase target;
  private final StreamPositions positions;
  private final Runnable afterSync;
  private final LongSupplier statusIntervalMs;
  private final Clock clock;
  private final Thread thread;

  private boolean dirty = true;
  private boolean replyRequested;
  private boolean pingRequested;
  private boolean inputConsumed;
  private boolean closed;
  private long lastSyncNanos = System.nanoTime();
  private long lastSendNanos = System.nanoTime();
  private long sentWriteLsn;
  private long sentFlushLsn;
  private volatile PgException failure;

  /**
   * @param afterSync run on the feedback thread after each sync that covered new commits
   * @param statusIntervalMs wal_receiver_status_interval, 0 = only when asked
   */
  Feedback(
      String name,
      PublisherConnection connection,
      TargetDatabase target,
      StreamPositions positions,
      Runnable afterSync,
      LongSupplier statusIntervalMs,
      Clock clock) {
    this.connection = connection;
    this.target = target;
    this.positions = positions;
    this.afterSync = afterSync;
    this.statusIntervalMs = statusIntervalMs;
    this.clock = clock;
    this.thread = new Thread(this::run, "feedback " + name);
    thread.setDaemon(true);
  }

  void start() {
    connection.onReplyRequested(this::requestReply);
    thread.start();
  }

  /** The publisher wants an answer now. Any thread. */
  synchronized void requestReply() {
    replyRequested = true;
    notifyAll();
  }

  /** Asks the publisher for a sign of life. */
  synchronized void ping() {
    pingRequested = true;
    notifyAll();
  }

  /**
   * All transactions before a position are dealt with.
   *
   * @param committed whether the last one was committed here and is not yet durable
   */
  synchronized void settled(long lsn, boolean committed) {
    positions.settled(lsn);
    if (committed && !dirty) {
      dirty = true;
      notifyAll();
    }
  }

  /** Nothing received is left to apply. */
  synchronized void inputConsumed() {
    if (!inputConsumed) {
      inputConsumed = true;
      notifyAll();
    }
  }

  /**
   * @throws PgException what ended the feedback thread
   */
  void check() {
    if (failure != null) {
      throw failure;
    }
  }

  private void run() {
    try {
      while (awaitWork()) {
        work();
      }
    } catch (PgException error) {
      failure = error;
    } catch (RuntimeException | Error unexpected) {
      failure = PgException.unexpected(unexpected);
    }
  }

  /** False when closed. */
  private synchronized boolean awaitWork() {
    while (!closed) {
      long wait = nanosUntilDue(System.nanoTime());
      if (wait <= 0) {
        return true;
      }
      try {
        wait(wait / 1_000_000 + 1);
      } catch (InterruptedException unexpected) {
        // Nobody interrupts this thread: it writes to the target database.
        throw new IllegalStateException(unexpected);
      }
    }
    return false;
  }

  private long nanosUntilDue(long now) {
    if (replyRequested || pingRequested) {
      return 0;
    }
    long due = GREATEST_WAIT_NANOS;
    long intervalNanos = statusIntervalMs.getAsLong() * 1_000_000;
    if (dirty) {
      due = Math.min(due, lastSyncNanos + SYNC_INTERVAL_NANOS - now);
    }
    if (intervalNanos > 0) {
      due = Math.min(due, lastSendNanos + intervalNanos - now);
      if (inputConsumed && moved()) {
        due = Math.min(due, lastSendNanos + UNASKED_DISTANCE_NANOS - now);
      }
    }
    return due;
  }

  private boolean moved() {
    long flushLsn = dirty ? positions.flushedLsn() : positions.settledLsn();
    return positions.receivedLsn() != sentWriteLsn || flushLsn != sentFlushLsn;
  }

  private void work() {
    boolean asked;
    boolean ping;
    boolean sync;
    long coveredLsn;
    synchronized (this) {
      asked = replyRequested;
      ping = pingRequested;
      replyRequested = false;
      pingRequested = false;
      inputConsumed = false;
      sync = dirty && (asked || System.nanoTime() - lastSyncNanos >= SYNC_INTERVAL_NANOS);
      coveredLsn = positions.settledLsn();
      if (sync) {
        dirty = false;
      } else if (!dirty) {
        positions.flushed(coveredLsn);
      }
    }
    if (sync) {
      sync(coveredLsn);
    }
    boolean unasked = statusIntervalMs.getAsLong() > 0;
    if (asked || ping || unasked) {
      send(ping);
    }
  }

  private void sync(long coveredLsn) {
    target.makeDurable();
    positions.flushed(coveredLsn);
    lastSyncNanos = System.nanoTime();
    afterSync.run();
  }

  private void send(boolean replyWanted) {
    long writeLsn = positions.receivedLsn();
    long flushLsn = positions.flushedLsn();
    long now = PgTime.fromInstant(clock.instant());
    ByteBuilder payload = new ByteBuilder(StandbyStatusUpdate.SIZE);
    new StandbyStatusUpdate(writeLsn, flushLsn, positions.settledLsn(), now, replyWanted)
        .write(payload);
    connection.send(Arrays.copyOf(payload.array(), payload.size()));
    positions.reported(writeLsn, now);
    synchronized (this) {
      sentWriteLsn = writeLsn;
      sentFlushLsn = flushLsn;
      lastSendNanos = System.nanoTime();
    }
  }

  /** Makes durable what was applied and says so a last time, before the stream is ended. */
  void finish() {
    close();
    check();
    long coveredLsn = positions.settledLsn();
    target.makeDurable();
    positions.flushed(coveredLsn);
    send(false);
  }

  /** Ends the thread; it is not interrupted, since it may be writing to the target database. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException later) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
