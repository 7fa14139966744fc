package dev.millrace.publisher.decoding;

import dev.millrace.publisher.slots.ReplicationSlot;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The transactions that have begun in the log and not ended, whether or not anything of them passed
 * the gates, and the restart candidates that follow from them.
 *
 * <p>When everything before X has been read, decoding that must send what commits at or after X has
 * to start at the smallest first LSN of the transactions unfinished at X, or at X itself. What the
 * gates kept out counts too: the next session may come with other publications.
 */
final class OpenTransactions {

  private record Start(long firstLsn, long nextXid) {}

  private final ReplicationSlot slot;
  private final Map<Integer, Start> byXid = new LinkedHashMap<>();
  private int lastXid;
  private long nextXid;
  private long notedLsn;

  OpenTransactions(ReplicationSlot slot) {
    this.slot = slot;
    this.nextXid = slot.catalogXmin();
    this.notedLsn = slot.restartLsn();
  }

  /** Takes note of a record of a transaction. */
  void seen(int xid, int topXid, long lsn) {
    if (topXid != lastXid) {
      lastXid = topXid;
      byXid.computeIfAbsent(topXid, key -> new Start(lsn, nextXid));
    }
    nextXid = Math.max(nextXid, (xid & 0xFFFFFFFFL) + 1);
  }

  /** The first record of a transaction that has been seen and has not ended. */
  long firstLsn(int topXid) {
    return byXid.get(topXid).firstLsn;
  }

  /** The transaction ended; everything before {@code endLsn} has been read. */
  void ended(int topXid, long endLsn) {
    byXid.remove(topXid);
    lastXid = 0;
    noteCandidate(endLsn);
  }

  /** Everything before {@code lsn} has been read. */
  void noteCandidate(long lsn) {
    Iterator<Start> oldest = byXid.values().iterator();
    Start start = oldest.hasNext() ? oldest.next() : new Start(lsn, nextXid);
    if (start.firstLsn != notedLsn) {
      notedLsn = start.firstLsn;
      slot.noteRestartCandidate(start.firstLsn, lsn, start.nextXid);
    }
  }
}
