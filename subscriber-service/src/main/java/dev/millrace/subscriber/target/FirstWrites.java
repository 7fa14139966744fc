package dev.millrace.subscriber.target;

import dev.millrace.model.QualifiedName;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A transaction's way to write: refused while the disk is full, and knowing the tables that a
 * transaction has written to, whose definitions H2 therefore keeps as they are ({@link
 * DefinitionLocks}). One thread.
 */
public final class FirstWrites {

  private final DefinitionLocks locks;
  private final Runnable room;
  private final Set<QualifiedName> written = new HashSet<>();

  /**
   * @param room throws while nothing can be written
   */
  public FirstWrites(DefinitionLocks locks, Runnable room) {
    this.locks = locks;
    this.room = room;
  }

  /** Something that writes to a table. */
  @FunctionalInterface
  public interface Write<E extends Exception> {
    void run() throws E;
  }

  /** Writes, waiting for DDL on the table as long as it takes. */
  public <E extends Exception> void write(QualifiedName table, Write<E> write) throws E {
    room.run();
    if (written.contains(table)) {
      write.run();
      return;
    }
    try (DefinitionLocks.Hold hold = locks.write(table)) {
      write.run();
    }
    written.add(table);
  }

  /**
   * Writes, waiting for DDL on the table no longer than {@code waitMs}.
   *
   * @throws dev.millrace.model.PgException 55P03 when it takes longer
   */
  public <R> R write(QualifiedName table, long waitMs, Supplier<R> write) {
    room.run();
    if (written.contains(table)) {
      return write.get();
    }
    R result;
    try (DefinitionLocks.Hold hold = locks.write(table, waitMs)) {
      result = write.get();
    }
    written.add(table);
    return result;
  }

  /** The transaction has ended, and its locks with it. */
  public void clear() {
    written.clear();
  }
}
