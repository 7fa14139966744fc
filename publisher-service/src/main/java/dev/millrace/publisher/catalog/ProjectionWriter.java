package dev.millrace.publisher.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings committed changes into the projection behind the commits' backs, so that a commit never
 * waits for a second database. Nothing goes there before the log holds it on disk: after a crash
 * the projection may be behind the log, never ahead.
 */
final class ProjectionWriter implements AutoCloseable {

  /** Returns once the log is on disk up to a position. */
  @FunctionalInterface
  interface LogFlush {
    void flush(long lsn);
  }

  private static final Logger LOG = LoggerFactory.getLogger(ProjectionWriter.class);

  private final CatalogProjection projection;
  private final LogFlush log;
  private final Object writing = new Object();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread worker = new Thread(task, "catalogue projection");
            worker.setDaemon(true);
            return worker;
          });
  private List<CatalogProjection.Version> pending = new ArrayList<>();

  ProjectionWriter(CatalogProjection projection, LogFlush log) {
    this.projection = projection;
    this.log = log;
  }

  /** Takes over a commit's changes; does no I/O. */
  void add(long endLsn, List<CatalogChange> changes) {
    synchronized (this) {
      changes.forEach(change -> pending.add(new CatalogProjection.Version(endLsn, change)));
    }
    thread.execute(this::drainBehind);
  }

  private void drainBehind() {
    try {
      drain();
    } catch (RuntimeException e) {
      // Kept: the next commit's turn or the checkpoint, which reports it to its caller, tries
      // again.
      LOG.warn("could not write the catalogue's projection, the log keeps the changes", e);
    }
  }

  /** Writes everything added so far. */
  void drain() {
    synchronized (writing) {
      List<CatalogProjection.Version> batch;
      synchronized (this) {
        batch = pending;
        pending = new ArrayList<>();
      }
      if (batch.isEmpty()) {
        return;
      }
      try {
        long lastLsn = batch.get(batch.size() - 1).sinceLsn();
        log.flush(lastLsn);
        projection.write(batch, lastLsn);
      } catch (RuntimeException e) {
        synchronized (this) {
          batch.addAll(pending);
          pending = batch;
        }
        throw e;
      }
    }
  }

  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(30, TimeUnit.SECONDS)) {
        LOG.warn("the catalogue's projection is still being written");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    drain();
  }
}
