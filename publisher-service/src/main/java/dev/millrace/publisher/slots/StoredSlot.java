package dev.millrace.publisher.slots;

import dev.millrace.model.Lsn;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A slot with its state file.
 *
 * <p>Two locks: the monitor guards the positions and is never held over I/O, so a decoder noting
 * candidates never waits for a disk; {@code saving} puts saves in order. What {@link
 * #diskRestartLsn} says has been on disk since before it was set, and only that frees log.
 */
final class StoredSlot implements ReplicationSlot {

  private final ReplicationSlots.SlotRequest request;
  private final SlotDirectory directory;
  private final SlotStatistics statistics = new SlotStatistics();
  private final RestartCandidates candidates = new RestartCandidates();
  private final Object saving = new Object();

  private volatile long restartLsn;
  private volatile long confirmedFlushLsn;
  private volatile long catalogXmin;
  private volatile boolean twoPhase;
  private volatile long twoPhaseAt;
  private volatile long diskRestartLsn;
  private volatile long activePid;
  private volatile Instant inactiveSince;
  private volatile String invalidationReason;
  private volatile boolean dropped;
  private SlotState saved;

  StoredSlot(ReplicationSlots.SlotRequest request, SlotDirectory directory) {
    this.request = request;
    this.directory = directory;
    this.twoPhase = request.twoPhase();
  }

  /** The slot as a start finds it on disk. */
  static StoredSlot restore(SlotState state, SlotDirectory directory, Instant now) {
    StoredSlot slot =
        new StoredSlot(
            new ReplicationSlots.SlotRequest(
                state.name(),
                state.logical(),
                state.plugin(),
                state.database(),
                false,
                state.twoPhase(),
                state.failover()),
            directory);
    slot.restartLsn = state.restartLsn();
    slot.diskRestartLsn = state.restartLsn();
    slot.confirmedFlushLsn = state.confirmedFlushLsn();
    slot.catalogXmin = state.catalogXmin();
    slot.twoPhaseAt = state.twoPhaseAt();
    slot.invalidationReason = state.invalidationReason();
    slot.statistics.restore(state.counters(), state.statsReset());
    slot.inactiveSince = now;
    slot.saved = state;
    return slot;
  }

  void prepareDirectory() {
    directory.create();
  }

  @Override
  public void makeReady(long confirmedLsn, long newRestartLsn, long newCatalogXmin) {
    synchronized (this) {
      confirmedFlushLsn = confirmedLsn;
      restartLsn = newRestartLsn;
      catalogXmin = newCatalogXmin;
      twoPhaseAt = twoPhase ? confirmedLsn : 0;
    }
    save();
    diskRestartLsn = newRestartLsn;
  }

  @Override
  public synchronized void noteRestartCandidate(
      long candidateLsn, long validFrom, long candidateXmin) {
    if (Lsn.isBefore(restartLsn, candidateLsn) || candidateXmin > catalogXmin) {
      candidates.add(candidateLsn, validFrom, candidateXmin);
    }
  }

  @Override
  public void confirm(long lsn) {
    if (moveTo(lsn)) {
      save();
    }
  }

  /** Moves the positions in memory; true when something must be on disk before it frees log. */
  private synchronized boolean moveTo(long lsn) {
    if (!Lsn.isBefore(confirmedFlushLsn, lsn) || invalidationReason != null) {
      return false;
    }
    confirmedFlushLsn = lsn;
    RestartCandidates.Candidate adopted = candidates.adopt(lsn);
    if (adopted == null) {
      return false;
    }
    long before = restartLsn;
    restartLsn = Lsn.max(before, adopted.restartLsn());
    catalogXmin = Math.max(catalogXmin, adopted.catalogXmin());
    return restartLsn != before;
  }

  @Override
  public void save() {
    synchronized (saving) {
      SlotState state = state();
      if (dropped || request.temporary()) {
        diskRestartLsn = state.restartLsn();
        return;
      }
      if (saved != null && java.util.Arrays.equals(saved.encode(), state.encode())) {
        return;
      }
      directory.write(state);
      saved = state;
      diskRestartLsn = state.restartLsn();
    }
  }

  private synchronized SlotState state() {
    return new SlotState(
        request.name(),
        request.logical(),
        twoPhase,
        request.failover(),
        request.plugin(),
        request.database(),
        restartLsn,
        confirmedFlushLsn,
        catalogXmin,
        invalidationReason,
        statistics.counters(),
        statistics.statsReset(),
        twoPhaseAt);
  }

  /** The restart_lsn that a crash now would come back with; 0 while the slot is being made. */
  long diskRestartLsn() {
    return diskRestartLsn;
  }

  boolean ready() {
    return diskRestartLsn != 0;
  }

  /** Under the store's monitor. */
  void occupy(long pid) {
    activePid = pid;
    inactiveSince = null;
  }

  /** Under the store's monitor. Candidates of the session that ends are its own knowledge. */
  void vacate(Instant now) {
    synchronized (this) {
      candidates.clear();
    }
    activePid = 0;
    inactiveSince = now;
  }

  /** Under the store's monitor. */
  synchronized void invalidate(Invalidation cause) {
    invalidationReason = cause.reason();
  }

  /** Removes the directory; a save that runs at the same time comes before or does nothing. */
  void remove() {
    synchronized (saving) {
      dropped = true;
      directory.remove();
    }
  }

  @Override
  public String name() {
    return request.name();
  }

  @Override
  public boolean logical() {
    return request.logical();
  }

  @Override
  public String plugin() {
    return request.plugin();
  }

  @Override
  public String database() {
    return request.database();
  }

  @Override
  public boolean temporary() {
    return request.temporary();
  }

  @Override
  public boolean twoPhase() {
    return twoPhase;
  }

  @Override
  public long twoPhaseAt() {
    return twoPhaseAt;
  }

  @Override
  public void enableTwoPhase(long lsn) {
    synchronized (this) {
      if (twoPhase) {
        return;
      }
      twoPhase = true;
      twoPhaseAt = lsn;
    }
    save();
  }

  @Override
  public void disableTwoPhase() {
    synchronized (this) {
      twoPhase = false;
      twoPhaseAt = 0;
    }
    save();
  }

  @Override
  public boolean failover() {
    return request.failover();
  }

  @Override
  public long activePid() {
    return activePid;
  }

  @Override
  public Instant inactiveSince() {
    return inactiveSince;
  }

  @Override
  public long restartLsn() {
    return restartLsn;
  }

  @Override
  public long confirmedFlushLsn() {
    return confirmedFlushLsn;
  }

  @Override
  public long catalogXmin() {
    return catalogXmin;
  }

  @Override
  public String invalidationReason() {
    return invalidationReason;
  }

  @Override
  public Path directory() {
    return directory.path();
  }

  @Override
  public SlotStatistics statistics() {
    return statistics;
  }
}
