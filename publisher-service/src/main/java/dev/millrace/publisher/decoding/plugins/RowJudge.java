package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.decoding.DecodedChange;
import dev.millrace.publisher.decoding.OutputPlugin.ChangeKind;
import dev.millrace.publisher.decoding.RowVerdict;
import dev.millrace.publisher.decoding.Tuples;
import dev.millrace.publisher.filter.FilterSession;
import dev.millrace.publisher.filter.RowFilter;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges rows by the row filters of the consumer's publications.
 *
 * <p>An UPDATE that logged its old row, or the old key because it changed, is judged on both sides,
 * for the subscriber has only rows that passed:
 *
 * <pre>
 *   old row  new row   sent
 *   no       no        nothing
 *   no       yes       INSERT of the whole new row
 *   yes      no        DELETE
 *   yes      yes       UPDATE
 * </pre>
 *
 * Without it the new row alone decides: a filter may refer to the replica identity only, and that
 * has not changed. A large value that the log holds as unchanged is the old row's.
 *
 * <p>One thread, the plugin's.
 */
final class RowJudge implements AutoCloseable {

  private static final int NO_TUPLE = -1;

  private final PublicationGate gate;
  private final FilterSession session = new FilterSession();
  private final Map<Integer, RelationFilters> filters = new HashMap<>();
  private RelationFilters last;

  RowJudge(PublicationGate gate) {
    this.gate = gate;
  }

  RowVerdict judge(CatalogSnapshot catalog, DecodedChange change) {
    RowFilter filter = filters(catalog, change.relation()).of(change.kind());
    if (filter == null) {
      return RowVerdict.SEND;
    }
    byte[] buffer = change.buffer();
    int newTuple = change.newTupleOffset();
    int oldTuple = change.oldTupleKind() == 0 ? NO_TUPLE : change.oldTupleOffset();
    if (change.kind() == ChangeKind.DELETE) {
      return oldTuple != NO_TUPLE && matches(filter, buffer, oldTuple, NO_TUPLE)
          ? RowVerdict.SEND
          : RowVerdict.DROP;
    }
    if (change.kind() == ChangeKind.INSERT || oldTuple == NO_TUPLE) {
      return matches(filter, buffer, newTuple, NO_TUPLE) ? RowVerdict.SEND : RowVerdict.DROP;
    }
    boolean oldMatches = matches(filter, buffer, oldTuple, NO_TUPLE);
    boolean newMatches = matches(filter, buffer, newTuple, oldTuple);
    if (oldMatches) {
      return newMatches ? RowVerdict.SEND : RowVerdict.AS_DELETE;
    }
    return newMatches ? RowVerdict.AS_INSERT : RowVerdict.DROP;
  }

  private RelationFilters filters(CatalogSnapshot catalog, RelationDefinition definition) {
    if (last != null && last.isOf(catalog, definition)) {
      return last;
    }
    RelationFilters found = filters.get(definition.oid());
    if (found == null || !found.isOf(catalog, definition)) {
      found = gate.filters(catalog, definition, session);
      filters.put(definition.oid(), found);
    }
    last = found;
    return found;
  }

  /**
   * @param oldTuple where values that the tuple shows as unchanged are found
   */
  private static boolean matches(RowFilter filter, byte[] buffer, int tuple, int oldTuple) {
    int[] positions = filter.positions();
    int at = tuple + Tuples.FIRST_COLUMN;
    int column = 0;
    for (int i = 0; i < positions.length; i++) {
      for (; column < positions[i]; column++) {
        at = Tuples.columnEnd(buffer, at);
      }
      int value = buffer[at] == 'u' && oldTuple != NO_TUPLE ? nth(buffer, oldTuple, column) : at;
      if (buffer[value] == 't') {
        filter.set(i, buffer, value + 5, Tuples.valueLength(buffer, value));
      } else {
        filter.setNull(i);
      }
    }
    return filter.matches();
  }

  private static int nth(byte[] buffer, int tuple, int column) {
    int at = tuple + Tuples.FIRST_COLUMN;
    for (int i = 0; i < column; i++) {
      at = Tuples.columnEnd(buffer, at);
    }
    return at;
  }

  @Override
  public void close() {
    filters.clear();
    last = null;
    session.close();
  }
}
