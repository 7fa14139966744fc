package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The open sessions: how many there may be, and which have been idle too long. Any thread. */
final class NodeSessions implements AutoCloseable {

  private static final long SWEEP_MS = 100;

  private final Set<NodeSession> open = ConcurrentHashMap.newKeySet();
  private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService sweeper =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "session timeouts");
            thread.setDaemon(true);
            return thread;
          });
  private boolean refusing;

  NodeSessions() {
    sweeper.scheduleWithFixedDelay(
        () -> open.forEach(NodeSession::endWhenIdle), SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
  }

  /**
   * Opens a session.
   *
   * @throws PgException 57P01 while stopping, 53300 when {@code limit} are open
   */
  synchronized NodeSession open(int limit, Supplier<NodeSession> opener) {
    if (refusing) {
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "the database system is shutting down");
    }
    if (open.size() >= limit) {
      throw new PgException(SqlState.TOO_MANY_CONNECTIONS, "sorry, too many clients already");
    }
    NodeSession session = opener.get();
    open.add(session);
    return session;
  }

  void closed(NodeSession session) {
    try {
      listeners.forEach(listener -> listener.accept(session.pid()));
    } finally {
      remove(session);
    }
  }

  private synchronized void remove(NodeSession session) {
    open.remove(session);
    notifyAll();
  }

  /** The listener hears the pid of every session that ends. */
  void onEnd(LongConsumer listener) {
    listeners.add(listener);
  }

  int count() {
    return open.size();
  }

  /**
   * Takes no new sessions and ends the open ones: idle ones at once, the others when their
   * statement was cancelled or their commit is done. Returns when all have ended.
   *
   * @throws PgException 57P01 when some have not after {@code timeoutMs}
   */
  void refuse(long timeoutMs) {
    synchronized (this) {
      refusing = true;
    }
    open.forEach(NodeSession::terminate);
    long deadlineNs = System.nanoTime() + timeoutMs * 1_000_000;
    synchronized (this) {
      while (!open.isEmpty()) {
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
          throw new PgException(
              SqlState.ADMIN_SHUTDOWN, open.size() + " sessions did not end in time");
        }
        try {
          wait(leftMs);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new PgException(SqlState.ADMIN_SHUTDOWN, "interrupted while sessions end", e);
        }
      }
    }
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
  }
}
