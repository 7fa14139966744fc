package dev.millrace.publisher.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which open transaction holds which publication. A transaction waits for one name at a time, so a
 * deadlock is a chain of owners that leads back to the one about to wait.
 */
final class CatalogLocks {

  private final LongSupplier lockTimeoutMs;
  private final Map<String, Object> owners = new HashMap<>();
  private final Map<Object, String> waiting = new HashMap<>();

  /**
   * @param lockTimeoutMs 0 waits for ever
   */
  CatalogLocks(LongSupplier lockTimeoutMs) {
    this.lockTimeoutMs = lockTimeoutMs;
  }

  /** Returns whether the lock is new to the transaction. */
  synchronized boolean acquire(String name, Object transaction) {
    if (owners.get(name) == transaction) {
      return false;
    }
    long timeoutMs = lockTimeoutMs.getAsLong();
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    waiting.put(transaction, name);
    try {
      while (owners.containsKey(name)) {
        checkDeadlock(name, transaction);
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (timeoutMs > 0 && leftMs <= 0) {
          throw new PgException(
              SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout");
        }
        wait(timeoutMs > 0 ? leftMs : 0);
      }
      owners.put(name, transaction);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PgException(SqlState.QUERY_CANCELED, "canceling statement due to user request", e);
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
