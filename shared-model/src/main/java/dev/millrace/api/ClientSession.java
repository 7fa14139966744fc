package dev.millrace.api;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import java.util.concurrent.locks.ReentrantLock;

/** A session that lives between calls. It takes one call at a time. */
final class ClientSession {

  private final String id;
  private final SqlSession session;
  private final ReentrantLock call = new ReentrantLock();
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
  SqlResponse execute(SqlRequest request, java.time.Clock clock) {
    if (!call.tryLock()) {
      throw new PgException(
          SqlState.OBJECT_IN_USE, "session \"" + id + "\" is busy with another call");
    }
    try {
      if (closed) {
        throw SqlSessions.unknown(id);
      }
      return session.execute(request.sql(), request.parameters());
    } catch (PgException e) {
      throw closed ? e : new SqlCallException(e);
    } finally {
      idleSinceMs = clock.millis();
      call.unlock();
    }
  }

  /** Closes it when no call has run for so long; true when it is closed. */
  boolean closeIfIdle(long nowMs, long timeoutMs) {
    if (nowMs - idleSinceMs < timeoutMs || !call.tryLock()) {
      return false;
    }
    try {
      if (nowMs - idleSinceMs >= timeoutMs) {
        closeOnce();
      }
      return closed;
    } finally {
      call.unlock();
    }
  }

  /** Cancels what runs and closes. */
  void close() {
    while (!call.tryLock()) {
      session.cancel();
      Thread.onSpinWait();
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
    try {
      closeOnce();
    } finally {
      call.unlock();
    }
  }

  private void closeOnce() {
    if (!closed) {
      closed = true;
      session.close();
    }
  }
}
