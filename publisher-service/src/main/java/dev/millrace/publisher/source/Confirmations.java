package dev.millrace.publisher.source;

import dev.millrace.model.Lsn;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What may be confirmed to the source: the position behind each transaction, once its commit record
 * is on this node's disk. One thread.
 */
final class Confirmations {

  private record Commit(long ownLsn, long sourceLsn) {}

  private final Deque<Commit> waiting = new ArrayDeque<>();
  private long confirmedLsn;

  /**
   * @param startLsn what is on disk already
   */
  Confirmations(long startLsn) {
    confirmedLsn = startLsn;
  }

  /** A commit record that ends at {@code ownLsn} has been appended. */
  void committed(long ownLsn, long sourceLsn) {
    waiting.add(new Commit(ownLsn, sourceLsn));
  }

  /** The own log is on disk up to {@code ownLsn}; returns what may be confirmed. */
  long flushed(long ownLsn) {
    while (!waiting.isEmpty() && !Lsn.isBefore(ownLsn, waiting.peek().ownLsn)) {
      confirmedLsn = Lsn.max(confirmedLsn, waiting.poll().sourceLsn);
    }
    return confirmedLsn;
  }
}
