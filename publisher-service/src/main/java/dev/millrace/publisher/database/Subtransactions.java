package dev.millrace.publisher.database;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * The savepoints of one transaction and the xids of the subtransactions they open.
 *
 * <p>As in PostgreSQL, a savepoint gets an xid of its own at the first change made under it, its
 * parents before it; releasing it hands its xids to its parent, rolling back ends them and lets the
 * savepoint begin anew with another xid. One thread.
 */
final class Subtransactions {

  /** One open savepoint. */
  private static final class Level {
    private int xid;
    private List<Integer> committed = new ArrayList<>();
  }

  private final List<Level> levels = new ArrayList<>();
  private final List<Integer> committedAtTop = new ArrayList<>();

  int depth() {
    return levels.size();
  }

  void open() {
    levels.add(new Level());
  }

  /** The xid changes carry now; {@code topXid} without a savepoint. */
  int currentXid(int topXid, IntSupplier assign) {
    if (levels.isEmpty()) {
      return topXid;
    }
    Level innermost = levels.get(levels.size() - 1);
    if (innermost.xid == 0) {
      for (Level level : levels) {
        if (level.xid == 0) {
          level.xid = assign.getAsInt();
        }
      }
    }
    return innermost.xid;
  }

  /** A subtransaction that lived inside the innermost savepoint has ended well. */
  void addCommitted(int subxid) {
    innermostCommitted().add(subxid);
  }

  private List<Integer> innermostCommitted() {
    return levels.isEmpty() ? committedAtTop : levels.get(levels.size() - 1).committed;
  }

  /** Releases savepoint {@code level} and the higher ones; their xids go to the parent. */
  void release(int level) {
    while (levels.size() >= level) {
      Level released = levels.remove(levels.size() - 1);
      List<Integer> parent = innermostCommitted();
      if (released.xid != 0) {
        parent.add(released.xid);
      }
      parent.addAll(released.committed);
    }
  }

  /**
   * Ends everything after savepoint {@code level}, which stays open without an xid.
   *
   * @return for each savepoint that ended, the innermost first, its xid and those released into it;
   *     empty when nothing had been changed
   */
  List<List<Integer>> rollbackTo(int level) {
    List<List<Integer>> ended = new ArrayList<>();
    while (levels.size() >= level) {
      Level rolledBack = levels.remove(levels.size() - 1);
      if (rolledBack.xid != 0) {
        List<Integer> xids = new ArrayList<>(List.of(rolledBack.xid));
        xids.addAll(rolledBack.committed);
        ended.add(xids);
      }
    }
    open();
    return ended;
  }

  /** All xids of subtransactions that end with the transaction's abort, the inner ones first. */
  List<Integer> aborted() {
    List<Integer> xids = new ArrayList<>();
    for (int i = levels.size() - 1; i >= 0; i--) {
      Level level = levels.get(i);
      xids.addAll(level.committed);
      if (level.xid != 0) {
        xids.add(level.xid);
      }
    }
    xids.addAll(committedAtTop);
    return xids;
  }

  /** All xids of subtransactions that would commit with the transaction now. */
  List<Integer> committed() {
    if (!levels.isEmpty()) {
      release(1);
    }
    return committedAtTop;
  }
}
