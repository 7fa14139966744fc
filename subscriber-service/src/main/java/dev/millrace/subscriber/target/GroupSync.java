package dev.millrace.subscriber.target;

import java.util.concurrent.Executor;

/**
 * Lets callers at the same time share one sync. A call is served by the first sync that begins
 * after it; a sync that fails serves nobody, and those who waited for it fail as it did.
 *
 * <p>Syncs run on a thread of their own, so that nobody is caught in one that waits for a full
 * disk.
 */
final class GroupSync {

  /** How often somebody who waits looks whether to go on waiting. */
  private static final long LOOK_MS = 50;

  private final Runnable sync;
  private final Executor thread;
  private final Runnable check;
  private long started;
  private long finished;
  private long failed;
  private Throwable failure;
  private boolean running;

  /**
   * @param thread runs the syncs, one at a time
   * @param check throws when waiting has become pointless
   */
  GroupSync(Runnable sync, Executor thread, Runnable check) {
    this.sync = sync;
    this.thread = thread;
    this.check = check;
  }

  /** Returns after a sync that began after this call; fails as the sync or the check does. */
  void await() {
    boolean interrupted = false;
    try {
      long needed;
      synchronized (this) {
        needed = started + 1;
      }
      while (!isServed(needed)) {
        check.run();
        interrupted |= interruptedWaiting(needed);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether a sync numbered {@code needed} or later is over; begins one where none runs. */
  private synchronized boolean isServed(long needed) {
    if (finished >= needed) {
      return true;
    }
    if (failed >= needed) {
      rethrow();
    }
    if (!running) {
      running = true;
      started++;
      thread.execute(this::run);
    }
    return false;
  }

  private void rethrow() {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  private synchronized boolean interruptedWaiting(long needed) {
    try {
      if (running && finished < needed) {
        wait(LOOK_MS);
      }
      return false;
    } catch (InterruptedException later) {
      return true;
    }
  }

  private void run() {
    Throwable problem = null;
    try {
      sync.run();
    } catch (RuntimeException | Error e) {
      problem = e;
    }
    synchronized (this) {
      running = false;
      if (problem == null) {
        finished = started;
      } else {
        failed = started;
        failure = problem;
      }
      notifyAll();
    }
  }
}
