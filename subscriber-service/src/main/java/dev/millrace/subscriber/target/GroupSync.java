package dev.millrace.subscriber.target;

/**
 * Lets callers at the same time share one sync. A call is served by the first sync that begins
 * after it; the caller that finds none running runs it for all who wait.
 */
final class GroupSync {

  private final Runnable sync;
  private long started;
  private long finished;
  private boolean running;

  GroupSync(Runnable sync) {
    this.sync = sync;
  }

  /** Returns after a sync that began after this call; fails as the sync does, if it ran it. */
  void await() {
    long needed;
    synchronized (this) {
      needed = started + 1;
    }
    while (!servedOrMine(needed)) {
      run();
    }
  }

  /** True when a sync numbered {@code needed} or later is over; false when the caller is to run. */
  private synchronized boolean servedOrMine(long needed) {
    boolean interrupted = false;
    try {
      while (true) {
        if (finished >= needed) {
          return true;
        }
        if (!running) {
          running = true;
          started++;
          return false;
        }
        try {
          wait();
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void run() {
    long mine;
    synchronized (this) {
      mine = started;
    }
    boolean done = false;
    try {
      sync.run();
      done = true;
    } finally {
      synchronized (this) {
        running = false;
        if (done) {
          finished = mine;
        }
        notifyAll();
      }
    }
  }
}
