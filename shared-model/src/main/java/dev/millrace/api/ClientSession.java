package dev.millrace.api;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.TransactionStatus;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A session that lives between calls. It takes one call at a time. */
final class ClientSession {

  private final String id;
  private final SqlSession session;

  /** Taken by a call for its length: a second one is refused rather than queued. */
  private final AtomicBoolean busy = new AtomicBoolean();

  /** Guards the session: held by a call, by the look at its idle time, and while it closes. */
  private final ReentrantLock use = new ReentrantLock();

  private volatile long idleSinceMs;
  private boolean closed;

  ClientSession(String id, SqlSession session, long nowMs) {
    this.id = id;
    this.session = session;
    this.idleSinceMs = nowMs;
  }

  String id() {
    return id;
  }

  long pid() {
    return session.pid();
  }

  /**
   * Throws 55006 while another call runs, the statement's own error as {@link SqlCallException}.
   */
  SqlResponse execute(SqlRequest request, Clock clock) {
    if (!busy.compareAndSet(false, true)) {
      throw new PgException(
          SqlState.OBJECT_IN_USE, "session \"" + id + "\" is busy with another call");
    }
    use.lock();
    try {
      if (closed) {
        throw SqlSessions.unknown(id);
      }
      return session.execute(request.sql(), request.parameters());
    } catch (PgException e) {
      throw closed ? e : new SqlCallException(e);
    } finally {
      idleSinceMs = clock.millis();
      use.unlock();
      busy.set(false);
    }
  }

  /**
   * Closes it when no call has run for longer than its settings allow; true when it is closed.
   *
   * @param nodeSettings for a session without settings of its own
   */
  boolean closeIfIdle(long nowMs, Settings nodeSettings) {
    if (!use.tryLock()) {
      return false;
    }
    try {
      long timeoutMs = timeoutMs(session.settings() == null ? nodeSettings : session.settings());
      if (timeoutMs > 0 && nowMs - idleSinceMs >= timeoutMs) {
        closeOnce();
      }
      return closed;
    } finally {
      use.unlock();
    }
  }

  /** Inside a transaction the shorter of the two time-outs counts, since it may hold locks. */
  private long timeoutMs(Settings settings) {
    long idleMs = settings.getMillis("idle_session_timeout");
    if (session.status() == TransactionStatus.IDLE) {
      return idleMs;
    }
    long inTransactionMs = settings.getMillis("idle_in_transaction_session_timeout");
    if (idleMs <= 0 || inTransactionMs <= 0) {
      return Math.max(idleMs, inTransactionMs);
    }
    return Math.min(idleMs, inTransactionMs);
  }

  /** Cancels what runs and closes. */
  void close() {
    while (!use.tryLock()) {
      session.cancel();
      Thread.onSpinWait();
      LockSupport.parkNanos(1_000_000);
    }
    try {
      closeOnce();
    } finally {
      use.unlock();
    }
  }

  private void closeOnce() {
    if (!closed) {
      closed = true;
      session.close();
    }
  }
}
