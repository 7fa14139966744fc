package dev.millrace.publisher.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which open transaction holds which publication. A transaction waits for one name at a time, so a
 * deadlock is a chain of owners that leads back to the one about to wait.
 */
final class CatalogLocks {

  private static final long POLL_MS = 20;

  private final Map<String, Object> owners = new HashMap<>();
  private final Map<Object, String> waiting = new HashMap<>();

  /** Returns whether the lock is new to the transaction. */
  synchronized boolean acquire(String name, Object transaction, LockPatience patience) {
    if (owners.get(name) == transaction) {
      return false;
    }
    long startNs = System.nanoTime();
    waiting.put(transaction, name);
    try {
      while (owners.containsKey(name)) {
        checkDeadlock(name, transaction);
        patience.check().run();
        long waitedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        if (patience.lockTimeoutMs() > 0 && waitedMs >= patience.lockTimeoutMs()) {
          throw new PgException(
              SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout");
        }
        wait(POLL_MS);
      }
      owners.put(name, transaction);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "terminating connection", e);
    } finally {
      waiting.remove(transaction);
    }
  }

  private void checkDeadlock(String name, Object transaction) {
    String wanted = name;
    while (wanted != null) {
      Object owner = owners.get(wanted);
      if (owner == transaction) {
        throw new PgException(SqlState.DEADLOCK_DETECTED, "deadlock detected")
            .withDetail("Transactions wait for each other's publication \"" + name + "\".");
      }
      wanted = owner == null ? null : waiting.get(owner);
    }
  }

  synchronized void release(String name, Object transaction) {
    owners.remove(name, transaction);
    notifyAll();
  }
}
