package dev.millrace.publisher.database;

import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.publisher.wal.PrepareRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * One transaction of one session: its xids, its place in the log, the table locks it holds and the
 * catalogue changes it made.
 *
 * <p>Driven by its session's thread; {@link #firstLsn}, {@link #blockers} and {@link #ended} are
 * read by others.
 */
final class NodeTransaction {

  /** The xid of a transaction that has changed nothing. */
  static final int NO_XID = 0;

  private final RunningTransactions running;
  private final HeapSession heap;
  private final Subtransactions subtransactions = new Subtransactions();
  private final List<RelationLock> locks = new ArrayList<>();
  private final List<SequenceBounds.Restart> restarts = new ArrayList<>();
  private int xid = NO_XID;
  private volatile long firstLsn;
  private CatalogTransaction catalog;
  private SessionOrigin origin = SessionOrigin.local();
  private int replayedOriginId;
  private long replayedRemoteLsn;
  private volatile RelationLock waitingFor;
  private volatile boolean ended;

  NodeTransaction(RunningTransactions running, HeapSession heap) {
    this.running = running;
    this.heap = heap;
  }

  /**
   * A transaction that the log knows already, resumed at a start.
   *
   * @param heap null when nothing of it is open in H2
   */
  NodeTransaction(RunningTransactions running, HeapSession heap, int xid) {
    this.running = running;
    this.heap = heap;
    this.xid = xid;
  }

  /** The top-level xid, {@link #NO_XID} before the first change. */
  int xid() {
    return xid;
  }

  boolean hasXid() {
    return xid != NO_XID;
  }

  /** The xid a change made now carries; assigns what is missing. */
  int currentXid() {
    if (xid == NO_XID) {
      xid = running.assign();
    }
    return subtransactions.currentXid(xid, running::assign);
  }

  /** An xid for a subtransaction of one statement; ends before the innermost savepoint does. */
  int assignStatementXid() {
    currentXid();
    return running.assign();
  }

  Subtransactions subtransactions() {
    return subtransactions;
  }

  /** Whether records of it are, or are about to be, in the log. */
  boolean isLogged() {
    return firstLsn != 0;
  }

  /** A position at or before its first record; 0 while it has none. Any thread. */
  long firstLsn() {
    return firstLsn;
  }

  /** Makes it known as running before its first record is appended. */
  void register(long insertLsn) {
    if (firstLsn == 0) {
      firstLsn = insertLsn;
      running.add(this);
    }
  }

  /** The origin its session replays. */
  SessionOrigin origin() {
    return origin;
  }

  void origin(SessionOrigin sessionOrigin) {
    origin = sessionOrigin;
  }

  /** Its end is in the log with the origin as it is now; the session may set up another after. */
  void noteReplayed() {
    replayedOriginId = origin.id();
    replayedRemoteLsn = origin.remoteLsn();
  }

  /** The origin it was committed with; 0 = none. */
  int replayedOriginId() {
    return replayedOriginId;
  }

  long replayedRemoteLsn() {
    return replayedRemoteLsn;
  }

  /** The session it runs on. */
  HeapSession heap() {
    return heap;
  }

  /** Its catalogue changes; null while it has made none. */
  CatalogTransaction catalog() {
    return catalog;
  }

  void catalog(CatalogTransaction begun) {
    catalog = begun;
  }

  /** Its restarts of sequences (TRUNCATE .. RESTART IDENTITY), in their order. */
  List<SequenceBounds.Restart> restarts() {
    return restarts;
  }

  /** The table locks it holds; its own thread only. */
  List<RelationLock> locks() {
    return locks;
  }

  /** The table locks it holds, as its PREPARE record names them; its own thread only. */
  List<PrepareRecord.Lock> heldLocks() {
    return locks.stream()
        .map(lock -> new PrepareRecord.Lock(lock.oid(), lock.isOwnedBy(this)))
        .toList();
  }

  /** The lock it waits for; null when it waits for none. Any thread. */
  RelationLock waitingFor() {
    return waitingFor;
  }

  void waitingFor(RelationLock lock) {
    waitingFor = lock;
  }

  /** Whether it has committed or rolled back. Any thread. */
  boolean hasEnded() {
    return ended;
  }

  /** Its last act: nobody waits for it after this. */
  void end() {
    running.remove(this);
    for (int i = locks.size() - 1; i >= 0; i--) {
      locks.get(i).release(this);
    }
    locks.clear();
    ended = true;
  }
}
