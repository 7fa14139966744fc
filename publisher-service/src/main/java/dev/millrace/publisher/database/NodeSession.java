package dev.millrace.publisher.database;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.CatalogViewer;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SimpleQuerySession;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SystemCatalog;
import dev.millrace.sql.TransactionStatus;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;

/**
 * A client's session: one call at a time, ended from outside when it has been idle too long or the
 * node stops. Its monitor guards who uses it.
 */
final class NodeSession implements SqlSession, CatalogViewer {

  private final SimpleQuerySession session;
  private final Settings settings;
  private final Clock clock;
  private final Consumer<NodeSession> onClose;
  private final NodeBackend backend;
  private boolean busy;
  private boolean closed;
  private PgException endedBy;
  private long idleSinceMs;

  NodeSession(
      SimpleQuerySession session,
      Settings settings,
      Clock clock,
      Consumer<NodeSession> onClose,
      NodeBackend backend) {
    this.session = session;
    this.settings = settings;
    this.clock = clock;
    this.onClose = onClose;
    this.backend = backend;
    this.idleSinceMs = clock.millis();
  }

  @Override
  public long pid() {
    return session.pid();
  }

  @Override
  public TransactionStatus status() {
    return session.status();
  }

  /** The settings in force in this session. */
  @Override
  public Settings settings() {
    return settings;
  }

  /** What runs its statements; on the session's own thread. */
  NodeBackend backend() {
    return backend;
  }

  /** Whether the open transaction has changed anything; asked on the session's own thread. */
  boolean hasWritten() {
    return backend.hasWritten();
  }

  @Override
  public CatalogSnapshot catalogView() {
    return backend.catalogView();
  }

  @Override
  public SqlResponse execute(String sql, List<Object> parameters) {
    enter();
    try (AutoCloseable named = SystemCatalog.enter(this)) {
      return session.execute(sql, parameters);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("could not leave the session", e);
    } finally {
      leave();
    }
  }

  private synchronized void enter() {
    if (endedBy != null) {
      throw endedBy;
    }
    if (closed) {
      throw new PgException(SqlState.CONNECTION_DOES_NOT_EXIST, "the session is closed");
    }
    if (busy) {
      throw new PgException(
          SqlState.OBJECT_IN_USE, "session " + pid() + " is running another call");
    }
    busy = true;
  }

  private void leave() {
    boolean close;
    synchronized (this) {
      busy = false;
      idleSinceMs = clock.millis();
      close = closed || endedBy != null;
      notifyAll();
    }
    if (close) {
      free();
    }
  }

  @Override
  public void notice(Notice notice) {
    session.notice(notice);
  }

  @Override
  public void cancel() {
    session.cancel();
  }

  /** Ends the session if it has been idle for longer than its settings allow. */
  void endWhenIdle() {
    PgException reason = null;
    synchronized (this) {
      if (busy || closed || endedBy != null) {
        return;
      }
      boolean inTransaction = session.status() != TransactionStatus.IDLE;
      long limitMs =
          settings.getMillis(
              inTransaction ? "idle_in_transaction_session_timeout" : "idle_session_timeout");
      if (limitMs > 0 && clock.millis() - idleSinceMs >= limitMs) {
        reason =
            inTransaction
                ? new PgException(
                    SqlState.IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                    "terminating connection due to idle-in-transaction timeout")
                : new PgException(
                    SqlState.IDLE_SESSION_TIMEOUT,
                    "terminating connection due to idle-session timeout");
        endedBy = reason;
      }
    }
    if (reason != null) {
      free();
    }
  }

  /** Ends the session because the node stops: at once when idle, after its statement otherwise. */
  void terminate() {
    boolean idle;
    synchronized (this) {
      if (closed || endedBy != null) {
        return;
      }
      endedBy =
          new PgException(
              SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
      idle = !busy;
    }
    if (idle) {
      free();
    } else {
      session.cancel();
    }
  }

  @Override
  public void close() {
    boolean idle;
    synchronized (this) {
      if (closed || endedBy != null) {
        closed = true;
        return;
      }
      closed = true;
      idle = !busy;
    }
    if (idle) {
      free();
    } else {
      session.cancel();
    }
  }

  private void free() {
    try {
      session.close();
    } finally {
      onClose.accept(this);
    }
  }
}
