package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The shapes of the tables as they are in H2 now. Safe for any thread: a table's shape is asked for
 * only under its lock, and DDL changes it only under the same lock held alone.
 */
final class TableShapes {

  private final EmbeddedDatabase database;
  private final ConcurrentHashMap<Integer, TableShape> byOid = new ConcurrentHashMap<>();
  private volatile HeapLayout layout;

  TableShapes(EmbeddedDatabase database) {
    this.database = database;
    refresh();
  }

  /** Reads the layout anew: H2's tables have changed. */
  void refresh() {
    synchronized (database.adminConnection()) {
      layout = HeapLayout.read(database.adminConnection());
    }
    byOid.clear();
  }

  HeapLayout layout() {
    return layout;
  }

  /** The shape of a relation version, which must be the one H2 has. */
  TableShape shape(RelationDefinition relation) {
    TableShape shape = byOid.get(relation.oid());
    if (shape == null || shape.relation() != relation) {
      shape = build(relation);
      byOid.put(relation.oid(), shape);
    }
    return shape;
  }

  private TableShape build(RelationDefinition relation) {
    QualifiedName name = relation.name();
    List<String> columns = layout.columns(name);
    if (columns == null) {
      throw new PgException(
          SqlState.UNDEFINED_TABLE, "relation \"" + name.name() + "\" does not exist");
    }
    return new TableShape(relation, columns);
  }
}
