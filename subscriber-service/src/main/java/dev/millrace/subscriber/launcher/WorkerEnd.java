package dev.millrace.subscriber.launcher;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * What ends a worker, and what follows. This is the whole table:
 *
 * <pre>
 *  end              because                                            counted  then
 *  FINISHED         the table is handed over                           no       nothing
 *  STOPPED          stop was asked for                                 no       as the catalogue says
 *  CONNECTION_LOST  the publisher cannot be reached, went, fell silent no       again after the interval
 *  NOT_STARTED      the publisher refused the stream, a limit          no       again after the interval
 *  DISK_FULL        the target's disk is full                          yes      again after the interval
 *  ERROR            a change or a row could not be applied, protocol   yes      again after the interval,
 *                                                                               or disabled (disable_on_error)
 * </pre>
 *
 * The interval is wal_retrieve_retry_interval, from the worker's last start.
 */
enum WorkerEnd {
  FINISHED(false),
  STOPPED(false),
  CONNECTION_LOST(false),
  NOT_STARTED(false),
  DISK_FULL(true),
  ERROR(true);

  private final boolean counted;

  WorkerEnd(boolean counted) {
    this.counted = counted;
  }

  /** Whether it counts as an error of the subscription. */
  boolean counted() {
    return counted;
  }

  /**
   * Whether it disables the subscription where that is asked for: not for what passes by itself and
   * is no fault of the rows.
   */
  boolean disables() {
    return this == ERROR;
  }

  /**
   * @param error null when the worker returned
   * @param stopping whether it had been asked to stop
   * @param streaming whether it had begun to copy or to apply
   */
  static WorkerEnd of(Throwable error, boolean stopping, boolean streaming) {
    if (stopping) {
      return STOPPED;
    }
    if (error == null) {
      return FINISHED;
    }
    if (error instanceof PgException pg && isConnectionLoss(pg.sqlState())) {
      return CONNECTION_LOST;
    }
    if (error instanceof PgException pg && SqlState.DISK_FULL.equals(pg.sqlState())) {
      return DISK_FULL;
    }
    return streaming ? ERROR : NOT_STARTED;
  }

  private static boolean isConnectionLoss(String sqlState) {
    return sqlState.startsWith("08") && !SqlState.PROTOCOL_VIOLATION.equals(sqlState)
        || SqlState.ADMIN_SHUTDOWN.equals(sqlState)
        || SqlState.CANNOT_CONNECT_NOW.equals(sqlState);
  }
}
