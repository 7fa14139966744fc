package dev.millrace.publisher.database;

import java.util.ArrayList;
import java.util.List;
import org.h2.engine.SessionLocal;

/** The savepoints of one session's open transaction, the outermost first. One thread. */
final class Savepoints {

  private final List<Mark> marks = new ArrayList<>();

  /** How far the parts of the transaction had come when a savepoint was set. */
  private record Mark(SessionLocal.Savepoint heap, int catalog, int restarts) {}

  void set(NodeTransaction transaction, HeapSession heap) {
    transaction.subtransactions().open();
    marks.add(
        new Mark(
            heap.savepoint(),
            transaction.catalog() == null ? 0 : transaction.catalog().mark(),
            transaction.restarts().size()));
  }

  /** Takes back rows, catalogue and sequences; the savepoint itself stays. */
  void rollbackTo(int level, NodeTransaction transaction, HeapSession heap, TransactionLog log) {
    Mark mark = marks.get(level - 1);
    heap.rollbackTo(mark.heap());
    if (transaction.catalog() != null) {
      transaction.catalog().rollbackTo(mark.catalog());
    }
    log.undoRestarts(transaction, mark.restarts());
    truncate(marks, level);
  }

  void release(int level, NodeTransaction transaction) {
    transaction.subtransactions().release(level);
    truncate(marks, level - 1);
  }

  void clear() {
    marks.clear();
  }

  private static void truncate(List<?> list, int size) {
    list.subList(size, list.size()).clear();
  }
}
