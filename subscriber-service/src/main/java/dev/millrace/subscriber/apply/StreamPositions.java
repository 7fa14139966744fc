package dev.millrace.subscriber.apply;

import dev.millrace.model.Lsn;

/**
 * How far one worker's stream has come, as pg_stat_subscription shows it. Written by the worker and
 * its feedback, read by anyone. Times are microseconds since 2000-01-01 UTC, 0 for none.
 */
public final class StreamPositions {

  private final long startLsn;
  private volatile long receivedLsn;
  private volatile long settledLsn;
  private volatile long flushedLsn;
  private volatile long reportedLsn;
  private volatile long lastSendTime;
  private volatile long lastReceiptTime;
  private volatile long reportedTime;

  /**
   * @param startLsn where the stream begins
   */
  public StreamPositions(long startLsn) {
    this.startLsn = startLsn;
    receivedLsn = startLsn;
    settledLsn = startLsn;
  }

  void received(long lsn) {
    receivedLsn = Lsn.max(receivedLsn, lsn);
  }

  void messageTimes(long sendTime, long receiptTime) {
    lastSendTime = sendTime;
    lastReceiptTime = receiptTime;
  }

  void settled(long lsn) {
    settledLsn = Lsn.max(settledLsn, lsn);
  }

  void flushed(long lsn) {
    flushedLsn = Lsn.max(flushedLsn, lsn);
  }

  void reported(long lsn, long time) {
    reportedLsn = lsn;
    reportedTime = time;
  }

  /** The greatest position seen in any message: what is reported as written. */
  public long receivedLsn() {
    return Lsn.max(receivedLsn, settledLsn);
  }

  /** Everything before it has been applied or needed nothing. */
  public long settledLsn() {
    return settledLsn;
  }

  /** Whether anything was settled since the stream began. */
  public boolean hasMoved() {
    return settledLsn != startLsn;
  }

  /** Everything before it is durable here. */
  public long flushedLsn() {
    return flushedLsn;
  }

  /** The write position last reported to the publisher. */
  public long reportedLsn() {
    return reportedLsn;
  }

  public long reportedTime() {
    return reportedTime;
  }

  public long lastSendTime() {
    return lastSendTime;
  }

  public long lastReceiptTime() {
    return lastReceiptTime;
  }
}
