package dev.millrace.publisher.database;

import dev.millrace.settings.Settings;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Completes the commits that did not wait for the log (synchronous_commit=off), {@code
 * wal_writer_delay} after them at the latest. One thread of its own; {@link #add} from any.
 */
final class AsyncCommits implements AutoCloseable {

  private final LinkedBlockingQueue<PendingCommit> pending = new LinkedBlockingQueue<>();
  private final Settings settings;
  private final Thread thread;
  private volatile boolean stopping;

  AsyncCommits(Settings settings) {
    this.settings = settings;
    this.thread = new Thread(this::run, "wal writer");
    this.thread.setDaemon(true);
    this.thread.start();
  }

  void add(PendingCommit commit) {
    pending.add(commit);
  }

  private void run() {
    try {
      while (!stopping) {
        PendingCommit first = pending.take();
        Thread.sleep(settings.getMillis("wal_writer_delay"));
        first.complete();
        drain();
      }
    } catch (InterruptedException e) {
      drain(); // Asked to stop; nothing may be left behind.
    }
  }

  private void drain() {
    for (PendingCommit next = pending.poll(); next != null; next = pending.poll()) {
      next.complete();
    }
  }

  /** Completes what is pending and ends the thread. */
  @Override
  public void close() {
    stopping = true;
    drain();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    drain();
  }
}
