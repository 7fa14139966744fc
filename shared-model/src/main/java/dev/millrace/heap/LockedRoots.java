package dev.millrace.heap;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.h2.mvstore.MVMap;

/**
 * The maps of a store for one walk over them: all their roots are locked from its beginning to its
 * end, and no change of a row is then half done.
 *
 * <p>The locks are tried, never waited for, and all given back when one is not free: a writer may
 * hold one map's root while it waits for another's, in either order. Which is why no order of ours
 * could exclude a deadlock.
 *
 * <p>Two steps of H2 are not one instant: a change writes its undo record and then the row, and a
 * rollback restores the row and then removes the undo record. In between, another transaction can
 * change that row and commit; the left-over undo record would take its change back after a restart.
 * So an undo log whose last record does not stand in its row yet, or no more, sends the walk back
 * to its start.
 */
final class LockedRoots extends AbstractCollection<MVMap<?, ?>> {

  private static final int SPINS = 200;
  private static final long PAUSE_NANOS = 20_000;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final Collection<MVMap<?, ?>> maps;

  LockedRoots(Collection<MVMap<?, ?>> maps) {
    this.maps = maps;
  }

  @Override
  public int size() {
    return maps.size();
  }

  @Override
  public Iterator<MVMap<?, ?>> iterator() {
    Set<MVMap<?, ?>> locked = new LinkedHashSet<>();
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    try {
      while (!lockAll(locked) || UndoRecords.isOneHalfDone(locked)) {
        unlock(locked);
        if (System.nanoTime() - deadline > 0) {
          // H2 closes its store then; a start finds the last whole one and redoes the log.
          throw new IllegalStateException("the tables could not be stopped to be stored");
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (RuntimeException | Error e) {
      unlock(locked);
      throw e;
    }
    return new Walk(locked);
  }

  /** Also takes in the maps that appear meanwhile: a locked catalogue may name them. */
  private boolean lockAll(Set<MVMap<?, ?>> locked) {
    int before;
    do {
      before = locked.size();
      for (MVMap<?, ?> map : maps) {
        if (!locked.contains(map)) {
          if (!lock(map)) {
            return false;
          }
          locked.add(map);
        }
      }
    } while (locked.size() > before);
    return true;
  }

  private static boolean lock(MVMap<?, ?> map) {
    for (int spin = 0; spin < SPINS; spin++) {
      if (MapRoot.tryLock(map)) {
        return true;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  private static void unlock(Set<MVMap<?, ?>> locked) {
    locked.forEach(MapRoot::unlock);
    locked.clear();
  }

  /** Gives the locks back when the last map has been taken. */
  private final class Walk implements Iterator<MVMap<?, ?>> {

    private final Set<MVMap<?, ?>> locked;
    private final Iterator<MVMap<?, ?>> next;
    private MVMap<?, ?> last;

    Walk(Set<MVMap<?, ?>> locked) {
      this.locked = locked;
      this.next = List.copyOf(locked).iterator();
    }

    @Override
    public boolean hasNext() {
      boolean more = next.hasNext();
      if (!more) {
        unlock(locked);
      }
      return more;
    }

    @Override
    public MVMap<?, ?> next() {
      if (!next.hasNext()) {
        throw new NoSuchElementException();
      }
      last = next.next();
      return last;
    }

    @Override
    public void remove() {
      maps.remove(last);
    }
  }
}
