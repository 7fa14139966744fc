package dev.millrace.subscriber.launcher;

import dev.millrace.model.PgException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log line about a worker's end: PostgreSQL's message, detail, hint and context. */
final class WorkerEndReport {

  private static final Logger log = LoggerFactory.getLogger(WorkerEndReport.class);

  private WorkerEndReport() {}

  static void log(RunningWorker worker, WorkerEnd end, Throwable error) {
    String name = worker.subscription().name();
    String kind = worker.isApply() ? "apply" : "table synchronization";
    switch (end) {
      case FINISHED:
        return;
      case STOPPED:
        log.info("logical replication {} worker for subscription \"{}\" has stopped", kind, name);
        return;
      default:
        log.error(
            "logical replication {} worker for subscription \"{}\" ended: {}",
            kind,
            name,
            text(error),
            error instanceof PgException ? null : error);
    }
  }

  /** The error, with the table where it is its synchronization's. */
  static String textOf(RunningWorker worker, Throwable error) {
    return worker.isApply() ? text(error) : "table \"" + worker.table() + "\": " + text(error);
  }

  /** The primary message alone. */
  static String message(Throwable error) {
    return error instanceof PgException
        ? error.getMessage()
        : PgException.unexpected(error).getMessage();
  }

  static String text(Throwable error) {
    if (!(error instanceof PgException pg)) {
      return message(error);
    }
    StringBuilder text = new StringBuilder(pg.getMessage());
    append(text, "DETAIL", pg.detail());
    append(text, "HINT", pg.hint());
    append(text, "CONTEXT", pg.context());
    return text.toString();
  }

  private static void append(StringBuilder text, String label, String value) {
    if (value != null) {
      text.append('\n').append(label).append(":  ").append(value);
    }
  }
}
