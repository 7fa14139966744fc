package dev.millrace.publisher.database;

/**
 * A commit whose record is in the log, perhaps not yet on disk: what is left is H2's commit, which
 * must not come before the flush (storage.md 2, synchronous_commit=off). Whoever completes it first
 * does it: the writer of the log in the background, or the session before its next statement.
 */
final class PendingCommit {

  private final TransactionLog log;
  private final NodeTransaction transaction;
  private final long endLsn;
  private final long gateStamp;
  private boolean completed;

  PendingCommit(TransactionLog log, NodeTransaction transaction, long endLsn, long gateStamp) {
    this.log = log;
    this.transaction = transaction;
    this.endLsn = endLsn;
    this.gateStamp = gateStamp;
  }

  /** Flushes the log up to the record and commits in H2, unless that is done. */
  synchronized void complete() {
    if (!completed) {
      completed = true;
      log.finishCommit(transaction, endLsn, gateStamp);
    }
  }
}
