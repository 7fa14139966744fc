package dev.millrace.heap;

import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.db.Store;
import org.h2.mvstore.tx.TransactionStore;

/**
 * Makes what H2 writes to its file the database of one instant.
 *
 * <p>H2 (2.4.240) keeps each table, each index and each running transaction's undo log in a map of
 * its own. To store them it takes the roots of all maps, one after the other, while sessions go on
 * writing. A transaction at work in between can so reach the file with a row in one table and
 * without its row in the other, and its undo log, gone by then, tells nobody. After a kill before
 * the next store that half is what is left. Redo and progress tracking both rest on the opposite:
 * that a transaction's rows and its marker are there together or not at all.
 *
 * <p>At any one instant the maps are right together: an undo record is written before the change it
 * undoes, and stays until the whole transaction has ended. So it is enough to stop all maps for the
 * moment in which the roots are taken. H2 has a lock in each map's root, and its writers know how
 * to wait for it. {@link LockedRoots} takes all of them; this class sees to it that H2 goes over
 * the maps with them held, by standing in for the collection of maps that it goes over.
 *
 * <p>Writers wait some tens of microseconds for each store. The file's format stays H2's.
 *
 * <p>{@link UndoLog} mends a second fault, which the same stores bring about: a rollback may undo a
 * row twice, and with it what another session has done to the row since.
 */
public final class AtomicStores {

  /** The method of MVStore that takes the roots for a store. */
  private static final String TAKES_ROOTS = "collectChangedMapRoots";

  private static final StackWalker CALLERS = StackWalker.getInstance();

  private AtomicStores() {}

  /**
   * Applies to the database of this connection until it is closed; a second call does nothing. To
   * be called before others use the database.
   *
   * @throws IllegalStateException when this H2 is not built as expected: then it must not be used
   */
  public static void install(Connection connection) throws SQLException {
    SessionLocal session = (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    Store store = session.getDatabase().getStore();
    try {
      install(store.getMvStore(), store.getTransactionStore());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this version of H2 stores its tables in an unknown way", e);
    }
  }

  @SuppressWarnings("unchecked")
  private static void install(MVStore store, TransactionStore transactions)
      throws ReflectiveOperationException {
    MVStore.class.getDeclaredMethod(TAKES_ROOTS, long.class);
    Field field = field(MVStore.class, "maps");
    ReentrantLock storing = (ReentrantLock) field(MVStore.class, "storeLock").get(store);
    storing.lock(); // no store runs while the collection changes
    try {
      Map<Integer, MVMap<?, ?>> maps = (Map<Integer, MVMap<?, ?>>) field.get(store);
      if (!(maps instanceof Maps)) {
        replaceUndoLogs(store, transactions);
        field.set(store, new Maps(maps));
      }
    } finally {
      storing.unlock();
    }
  }

  /** Those that exist are empty: nobody has begun to write yet. */
  private static void replaceUndoLogs(MVStore store, TransactionStore transactions)
      throws ReflectiveOperationException {
    Field builder = field(TransactionStore.class, "undoLogBuilder");
    builder.set(
        transactions, new UndoLog.Builder<>((MVMap.Builder<?, ?>) builder.get(transactions)));
    MVMap<?, ?>[] undoLogs =
        (MVMap<?, ?>[]) field(TransactionStore.class, "undoLogs").get(transactions);
    for (int i = 0; i < undoLogs.length; i++) {
      if (undoLogs[i] != null && undoLogs[i].isEmpty()) {
        MVMap<?, ?> old = undoLogs[i];
        undoLogs[i] = null;
        store.removeMap(old);
      }
    }
  }

  private static Field field(Class<?> owner, String name) throws ReflectiveOperationException {
    Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /** The maps of a store; while they are gone over to be stored, nobody can change them. */
  private static final class Maps extends ConcurrentHashMap<Integer, MVMap<?, ?>> {

    private static final long serialVersionUID = 1L;

    Maps(Map<Integer, MVMap<?, ?>> maps) {
      super(maps);
    }

    @Override
    public Collection<MVMap<?, ?>> values() {
      Collection<MVMap<?, ?>> values = super.values();
      return isStoring() ? new LockedRoots(values) : values;
    }

    private static boolean isStoring() {
      return CALLERS.walk(
          frames ->
              frames
                  .skip(2)
                  .findFirst()
                  .filter(frame -> frame.getMethodName().equals(TAKES_ROOTS))
                  .isPresent());
    }
  }
}
