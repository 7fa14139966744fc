package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.function.Consumer;

/**
 * The end of the road: the log says something that H2 does not, so the process must stop and redo
 * must put it right at the next start. Safe for any thread.
 */
final class NodeFailure {

  private final Consumer<Throwable> stopProcess;
  private volatile PgException reason;

  /**
   * @param stopProcess ends the process; may return in tests
   */
  NodeFailure(Consumer<Throwable> stopProcess) {
    this.stopProcess = stopProcess;
  }

  /** Stops the node for good; returns what to throw. */
  PgException stop(String message, Throwable cause) {
    PgException failed = new PgException(SqlState.INTERNAL_ERROR, message, cause);
    reason = failed;
    stopProcess.accept(failed);
    return failed;
  }

  /** Why the node stopped, or null. */
  PgException reason() {
    return reason;
  }
}
