package dev.millrace.subscriber.target;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Keeps a transaction's first write to a table apart from DDL that replaces the table.
 *
 * <p>H2's ALTER TABLE copies the rows to a new table and drops the old one. A statement that was
 * compiled before and got the old table's lock only afterwards writes its rows into the dropped
 * table: H2 counts them, and they are gone. So compiling and locking happen here as one step that
 * DDL does not come between. Once a transaction has written to a table H2's own lock, which lasts
 * until the transaction ends, makes DDL wait; then it need not come here again, and must not, since
 * the DDL that waits for it holds the lock. Safe for any thread.
 */
public final class DefinitionLocks {

  private final ConcurrentHashMap<QualifiedName, ReadWriteLock> byTable = new ConcurrentHashMap<>();

  /** Given back by the thread that took it. */
  public interface Hold extends AutoCloseable {
    @Override
    void close();
  }

  /** For a statement that may be its transaction's first to write the table; waits for DDL. */
  public Hold write(QualifiedName table) {
    Lock lock = lock(table).readLock();
    lock.lock();
    return lock::unlock;
  }

  /**
   * As {@link #write(QualifiedName)}, waiting no longer than {@code waitMs}.
   *
   * @throws PgException 55P03 when DDL takes longer
   */
  public Hold write(QualifiedName table, long waitMs) {
    Lock lock = lock(table).readLock();
    acquire(lock, waitMs);
    return lock::unlock;
  }

  /**
   * For DDL on the tables; waits for statements that are writing to them for the first time.
   *
   * @throws PgException 55P03 when that takes longer than {@code waitMs}
   */
  public Hold define(Collection<QualifiedName> tables, long waitMs) {
    List<Lock> held = new ArrayList<>();
    Hold hold = () -> held.forEach(Lock::unlock);
    try {
      // In one order, so that two statements that name the same tables do not wait for each other.
      for (QualifiedName table : new TreeSet<>(tables)) {
        Lock lock = lock(table).writeLock();
        acquire(lock, waitMs);
        held.add(lock);
      }
      return hold;
    } catch (PgException e) {
      hold.close();
      throw e;
    }
  }

  private ReadWriteLock lock(QualifiedName table) {
    return byTable.computeIfAbsent(table, any -> new ReentrantReadWriteLock(true));
  }

  private static void acquire(Lock lock, long waitMs) {
    try {
      if (!lock.tryLock(waitMs, TimeUnit.MILLISECONDS)) {
        throw new PgException(
            SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "terminating connection", e);
    }
  }
}
