package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for row locks in short turns. H2 can neither cancel nor time out a statement that waits for
 * a row, it only gives up after LOCK_TIMEOUT with the statement undone; so that time-out is short,
 * and between two turns the session looks whether it has to stop. One thread, except {@link
 * #cancel}.
 */
final class LockWait {

  /** H2's LOCK_TIMEOUT: the longest a cancelled session goes on waiting. */
  static final long TURN_MS = 100;

  /** H2's LOCK_TIMEOUT for statements that must not wait inside H2. */
  static final long SHORTEST_TURN_MS = 1;

  private static final long PAUSE_NS = 5_000_000;

  private volatile boolean canceled;

  /** Ends the waiting of the statement that runs now. */
  void cancel() {
    canceled = true;
  }

  /**
   * Runs a statement again until it has its locks.
   *
   * @param lockTimeoutMs as lock_timeout, 0 = wait without end
   * @param statementTimeoutMs as statement_timeout, 0 = none
   */
  <R> R run(Supplier<R> statement, long lockTimeoutMs, long statementTimeoutMs) {
    canceled = false;
    long startNs = System.nanoTime();
    while (true) {
      try {
        return statement.get();
      } catch (PgException e) {
        long waitedMs = (System.nanoTime() - startNs) / 1_000_000;
        boolean lock = e.sqlState().equals(SqlState.LOCK_NOT_AVAILABLE);
        if (!lock || lockTimeoutMs > 0 && waitedMs >= lockTimeoutMs) {
          throw e;
        }
        if (canceled) {
          throw new PgException(SqlState.QUERY_CANCELED, "canceling statement due to user request");
        }
        if (statementTimeoutMs > 0 && waitedMs >= statementTimeoutMs) {
          throw new PgException(
              SqlState.QUERY_CANCELED, "canceling statement due to statement timeout");
        }
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
  }
}
