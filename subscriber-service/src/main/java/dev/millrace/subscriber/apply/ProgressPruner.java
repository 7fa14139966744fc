package dev.millrace.subscriber.apply;

import dev.millrace.subscriber.catalog.SubscriptionCatalog;

/** Removes outdated progress rows now and then. Run on one thread. */
final class ProgressPruner implements Runnable {

  private static final long INTERVAL_NANOS = 2_000_000_000L;

  private final SubscriptionCatalog catalog;
  private final int originNumber;
  private long lastNanos = System.nanoTime();

  ProgressPruner(SubscriptionCatalog catalog, int originNumber) {
    this.catalog = catalog;
    this.originNumber = originNumber;
  }

  @Override
  public void run() {
    if (System.nanoTime() - lastNanos >= INTERVAL_NANOS) {
      catalog.pruneProgress(originNumber);
      lastNanos = System.nanoTime();
    }
  }
}
