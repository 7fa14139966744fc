package dev.millrace.publisher.walsender;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.model.SqlState;
import dev.millrace.replication.StandbyStatusUpdate;
import java.time.Instant;

/**
 * What was sent to a peer and what it has reported back. The sending thread moves {@code sent}, the
 * transport's thread the rest; anyone may read.
 */
final class PeerPositions {

  private final LagTracker lags = new LagTracker();
  private volatile long sentLsn;
  private volatile long writeLsn;
  private volatile long flushLsn;
  private volatile long applyLsn;
  private volatile Instant replyTime;

  PeerPositions(long startLsn) {
    sentLsn = startLsn;
  }

  /** Called before the bytes leave, so that no answer can be ahead of it. */
  void sending(long lsn) {
    sentLsn = Lsn.max(sentLsn, lsn);
  }

  synchronized void transactionSent(long endLsn) {
    lags.sent(endLsn, System.nanoTime());
  }

  /**
   * Takes a status update.
   *
   * @throws PgException 08P01 when it confirms more than was sent; nothing is stored then
   */
  synchronized void reported(StandbyStatusUpdate report) {
    check("write", report.writeLsn());
    check("flush", report.flushLsn());
    check("apply", report.applyLsn());
    writeLsn = report.writeLsn();
    flushLsn = report.flushLsn();
    applyLsn = report.applyLsn();
    replyTime = PgTime.toInstant(report.sendTime());
    lags.reported(writeLsn, flushLsn, applyLsn, sentLsn, System.nanoTime());
  }

  private void check(String what, long lsn) {
    if (Lsn.isBefore(sentLsn, lsn)) {
      throw new PgException(
              SqlState.PROTOCOL_VIOLATION, "status update confirms more than was sent")
          .withDetail(
              "The "
                  + what
                  + " position "
                  + Lsn.format(lsn)
                  + " lies beyond "
                  + Lsn.format(sentLsn)
                  + ", the end of what was sent.");
    }
  }

  long sentLsn() {
    return sentLsn;
  }

  long writeLsn() {
    return writeLsn;
  }

  long flushLsn() {
    return flushLsn;
  }

  synchronized PeerProgress progress() {
    return new PeerProgress(
        sentLsn,
        writeLsn,
        flushLsn,
        applyLsn,
        lags.writeLag(),
        lags.flushLag(),
        lags.applyLag(),
        replyTime);
  }
}
