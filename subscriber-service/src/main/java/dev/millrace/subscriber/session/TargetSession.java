package dev.millrace.subscriber.session;

import dev.millrace.model.Notice;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SimpleQuerySession;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SystemCatalog;
import dev.millrace.sql.TransactionStatus;
import java.util.List;

/** A client's session; functions and views of its statements see it as their caller. */
final class TargetSession implements SqlSession {

  private final SimpleQuerySession session;
  private final Settings settings;
  private final Runnable onClose;
  private boolean closed;

  TargetSession(SimpleQuerySession session, Settings settings, Runnable onClose) {
    this.session = session;
    this.settings = settings;
    this.onClose = onClose;
  }

  @Override
  public long pid() {
    return session.pid();
  }

  @Override
  public TransactionStatus status() {
    return session.status();
  }

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public SqlResponse execute(String sql, List<Object> parameters) {
    try (AutoCloseable caller = SystemCatalog.enter(this)) {
      return session.execute(sql, parameters);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("could not leave the session", e);
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

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      try {
        session.close();
      } finally {
        onClose.run();
      }
    }
  }
}
