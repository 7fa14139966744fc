package dev.millrace.subscriber.launcher;

import dev.millrace.model.QualifiedName;
import dev.millrace.subscriber.apply.ApplyWorker;
import dev.millrace.subscriber.apply.StreamPositions;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.tablesync.TableSyncWorker;

/**
 * A worker with its thread. The thread is never interrupted: it writes to an embedded database,
 * whose files an interrupt would close.
 */
final class RunningWorker {

  /** Told when the worker's thread is about to end; {@code error} null when it returned. */
  interface EndListener {
    void ended(RunningWorker worker, Throwable error);
  }

  private final long pid;
  private final Subscription subscription;
  private final int relationOid;
  private final ApplyWorker apply;
  private final TableSyncWorker sync;
  private final Thread thread;

  private RunningWorker(
      long pid,
      Subscription subscription,
      int relationOid,
      ApplyWorker apply,
      TableSyncWorker sync,
      String threadName,
      EndListener listener) {
    this.pid = pid;
    this.subscription = subscription;
    this.relationOid = relationOid;
    this.apply = apply;
    this.sync = sync;
    this.thread = new Thread(() -> run(listener), threadName);
    thread.setDaemon(true);
  }

  static RunningWorker applying(
      long pid, Subscription subscription, ApplyWorker worker, EndListener listener) {
    return new RunningWorker(
        pid, subscription, 0, worker, null, "apply " + subscription.name(), listener);
  }

  static RunningWorker synchronizing(
      long pid,
      Subscription subscription,
      int relationOid,
      TableSyncWorker worker,
      EndListener listener) {
    return new RunningWorker(
        pid,
        subscription,
        relationOid,
        null,
        worker,
        "sync " + subscription.name() + ' ' + Integer.toUnsignedString(relationOid),
        listener);
  }

  private void run(EndListener listener) {
    Throwable error = null;
    try {
      if (apply != null) {
        apply.run();
      } else {
        sync.run();
      }
    } catch (Throwable failed) {
      error = failed;
    }
    listener.ended(this, error);
  }

  void start() {
    thread.start();
  }

  void stop() {
    if (apply != null) {
      apply.stop();
    } else {
      sync.stop();
    }
  }

  void abort() {
    if (apply != null) {
      apply.abort();
    } else {
      sync.abort();
    }
  }

  /** True when the thread is gone. */
  boolean join(long timeoutMs) throws InterruptedException {
    thread.join(timeoutMs);
    return !thread.isAlive();
  }

  boolean isStopping() {
    return apply != null ? apply.isStopping() : sync.isStopping();
  }

  /** Whether it copies or applies, as opposed to getting ready to. */
  boolean isStreaming() {
    return apply == null || apply.isStreaming();
  }

  boolean isApply() {
    return apply != null;
  }

  void invalidateStates() {
    if (apply != null) {
      apply.invalidateStates();
    }
  }

  long pid() {
    return pid;
  }

  Subscription subscription() {
    return subscription;
  }

  /** 0 for an apply worker. */
  int relationOid() {
    return relationOid;
  }

  /** The table of a sync worker, null for an apply worker. */
  QualifiedName table() {
    return sync == null ? null : sync.table();
  }

  /** The finish LSN of the transaction that was being applied when it failed; 0 for none. */
  long failedLsn() {
    return apply == null ? 0 : apply.failedLsn();
  }

  StreamPositions positions() {
    return apply != null ? apply.positions() : sync.positions();
  }

  Launcher.CopyProgress progress() {
    return sync == null
        ? null
        : new Launcher.CopyProgress(
            sync.progress().rows(), sync.progress().bytes(), sync.progress().total());
  }
}
