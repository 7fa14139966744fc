package dev.millrace.subscriber.launcher;

import dev.millrace.subscriber.apply.HandOvers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The workers of one subscription and when they may start again. Guarded by the launcher. */
final class SubscriptionWorkers {

  final HandOvers handOvers = new HandOvers();
  final Map<Integer, RunningWorker> syncs = new HashMap<>();
  final Map<Integer, String> syncErrors = new HashMap<>();
  private final Map<Integer, Long> syncStartNanos = new HashMap<>();
  RunningWorker apply;
  String applyError;
  int suspensions;
  private Long applyStartNanos;

  /** The apply worker's last error, as long as no later run has got past it. */
  String currentApplyError() {
    return apply != null && apply.positions().hasMoved() ? null : applyError;
  }

  List<RunningWorker> all() {
    List<RunningWorker> all = new ArrayList<>(syncs.values());
    if (apply != null) {
      all.add(apply);
    }
    return all;
  }

  boolean isEmpty() {
    return apply == null && syncs.isEmpty() && suspensions == 0;
  }

  /** How long the apply worker must still wait; 0 or less: it may start. */
  long applyWaitNanos(long now, long intervalNanos) {
    return applyStartNanos == null ? 0 : applyStartNanos + intervalNanos - now;
  }

  long syncWaitNanos(int relationOid, long now, long intervalNanos) {
    Long started = syncStartNanos.get(relationOid);
    return started == null ? 0 : started + intervalNanos - now;
  }

  void applyStarted(RunningWorker worker, long now) {
    apply = worker;
    applyStartNanos = now;
  }

  void syncStarted(RunningWorker worker, long now) {
    syncs.put(worker.relationOid(), worker);
    syncStartNanos.put(worker.relationOid(), now);
  }

  /** A changed subscription need not wait for the interval. */
  void forgetStartTimes() {
    applyStartNanos = null;
    syncStartNanos.clear();
  }

  void remove(RunningWorker worker) {
    if (worker.isApply()) {
      apply = null;
    } else {
      syncs.remove(worker.relationOid());
    }
  }
}
