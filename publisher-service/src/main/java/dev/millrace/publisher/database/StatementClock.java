package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Stops a session's statement when a user asks for it or statement_timeout is over. {@link #cancel}
 * from any thread, the rest from the session's.
 */
final class StatementClock {

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "statement timeout");
            thread.setDaemon(true);
            return thread;
          });

  private final Runnable stopStatement;
  private boolean running;
  private String reason;
  private ScheduledFuture<?> timer;

  /**
   * @param stopStatement stops what H2 is doing; called from other threads
   */
  StatementClock(Runnable stopStatement) {
    this.stopStatement = stopStatement;
  }

  /** A statement begins. */
  synchronized void start(long timeoutMs) {
    running = true;
    reason = null;
    if (timeoutMs > 0) {
      timer =
          TIMER.schedule(
              () -> stopFor("canceling statement due to statement timeout"),
              timeoutMs,
              TimeUnit.MILLISECONDS);
    }
  }

  synchronized void stop() {
    running = false;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  /** Asks the running statement to stop; nothing happens when none runs. */
  void cancel() {
    stopFor("canceling statement due to user request");
  }

  private synchronized void stopFor(String why) {
    if (running && reason == null) {
      reason = why;
      stopStatement.run();
    }
  }

  /** Throws 57014 when the statement was asked to stop. */
  synchronized void check() {
    if (reason != null) {
      throw new PgException(SqlState.QUERY_CANCELED, reason);
    }
  }

  /** The same error, with the reason of a cancellation where it is one. */
  synchronized PgException explain(PgException e) {
    return reason != null && e.sqlState().equals(SqlState.QUERY_CANCELED)
        ? new PgException(SqlState.QUERY_CANCELED, reason, e)
        : e;
  }
}
