package dev.millrace.publisher.database;

import dev.millrace.model.QualifiedName;
import dev.millrace.sql.SystemCatalog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintActionType;
import org.h2.constraint.ConstraintReferential;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.schema.Schema;
import org.h2.schema.Sequence;
import org.h2.table.Column;
import org.h2.table.Table;
import org.h2.table.TableType;

/**
 * What H2 knows of the user tables beyond their definitions: the order of columns in a row, the
 * foreign keys, and the sequences. Immutable; read anew at start and after every DDL.
 */
final class HeapLayout {

  /** What happens in a table when a row that it refers to is deleted: UPDATE, else DELETE. */
  record DeleteAction(QualifiedName child, boolean update) {}

  private final Map<QualifiedName, List<String>> columns = new HashMap<>();
  private final Map<QualifiedName, List<DeleteAction>> deleteActions = new HashMap<>();
  private final Map<QualifiedName, Set<QualifiedName>> referencedBy = new HashMap<>();
  private final Map<QualifiedName, QualifiedName> groups = new HashMap<>();
  private final Map<QualifiedName, List<Sequence>> identitySequences = new HashMap<>();
  private final List<Sequence> sequences = new ArrayList<>();

  private HeapLayout() {}

  /** Reads the layout; the admin connection's monitor is held. */
  static HeapLayout read(java.sql.Connection admin) {
    Database database = ((SessionLocal) ((JdbcConnection) admin).getSession()).getDatabase();
    HeapLayout layout = new HeapLayout();
    for (Schema schema : database.getAllSchemas()) {
      if (isUserSchema(schema.getName())) {
        layout.sequences.addAll(schema.getAllSequences());
        for (Table table : schema.getAllTablesAndViews(null)) {
          if (table.getTableType() == TableType.TABLE) {
            layout.add(table);
          }
        }
      }
    }
    layout.referencedBy.forEach(
        (parent, children) -> children.forEach(child -> layout.tie(parent, child)));
    return layout;
  }

  /** Whether clients may have objects in that schema. */
  static boolean isUserSchema(String schema) {
    return !schema.equals(EmbeddedDatabase.INTERNAL_SCHEMA)
        && !schema.equals(SystemCatalog.SCHEMA)
        && !schema.equals("information_schema")
        && !schema.startsWith("pg_");
  }

  private static QualifiedName name(Table table) {
    return new QualifiedName(table.getSchema().getName(), table.getName());
  }

  private void add(Table table) {
    QualifiedName name = name(table);
    List<String> names = new ArrayList<>();
    List<Sequence> owned = new ArrayList<>();
    for (Column column : table.getColumns()) {
      names.add(column.getName());
      if (column.getSequence() != null && !column.getName().equals(TableShape.RID)) {
        owned.add(column.getSequence());
      }
    }
    columns.put(name, names);
    identitySequences.put(name, owned);
    Iterable<Constraint> constraints = table.getConstraints();
    if (constraints != null) {
      for (Constraint constraint : constraints) {
        if (constraint instanceof ConstraintReferential key && key.getTable() == table) {
          referencedBy
              .computeIfAbsent(name(key.getRefTable()), parent -> new LinkedHashSet<>())
              .add(name);
          addDeleteAction(key, name);
        }
      }
    }
  }

  private void addDeleteAction(ConstraintReferential key, QualifiedName child) {
    ConstraintActionType action = key.getDeleteAction();
    boolean update =
        action == ConstraintActionType.SET_NULL || action == ConstraintActionType.SET_DEFAULT;
    if (update || action == ConstraintActionType.CASCADE) {
      deleteActions
          .computeIfAbsent(name(key.getRefTable()), parent -> new ArrayList<>())
          .add(new DeleteAction(child, update));
    }
  }

  private void tie(QualifiedName a, QualifiedName b) {
    QualifiedName groupOfA = groups.getOrDefault(a, a);
    QualifiedName groupOfB = groups.getOrDefault(b, b);
    groups.put(a, groupOfA);
    groups.put(b, groupOfA);
    groups.replaceAll((table, group) -> group.equals(groupOfB) ? groupOfA : group);
  }

  /** The columns in H2's order, invisible ones too; null for an unknown table. */
  List<String> columns(QualifiedName table) {
    return columns.get(table);
  }

  Collection<QualifiedName> tables() {
    return columns.keySet();
  }

  /** The table that stands for the group tied by foreign keys; null when it is tied to none. */
  QualifiedName group(QualifiedName table) {
    return groups.get(table);
  }

  /** All tables of the group that {@code table} belongs to, itself among them. */
  List<QualifiedName> groupMembers(QualifiedName table) {
    QualifiedName group = groups.get(table);
    if (group == null) {
      return List.of(table);
    }
    List<QualifiedName> members = new ArrayList<>();
    groups.forEach(
        (member, memberGroup) -> {
          if (memberGroup.equals(group)) {
            members.add(member);
          }
        });
    return members;
  }

  /** The tables with a foreign key to {@code table}, itself included when it refers to itself. */
  Set<QualifiedName> referencedBy(QualifiedName table) {
    return referencedBy.getOrDefault(table, Set.of());
  }

  /** What deleting a row of that table does to others. */
  List<DeleteAction> deleteActions(QualifiedName table) {
    return deleteActions.getOrDefault(table, List.of());
  }

  /** The sequences behind a table's serial and identity columns. */
  List<Sequence> identitySequences(QualifiedName table) {
    return identitySequences.getOrDefault(table, List.of());
  }

  /** All sequences, those of identity columns and of {@code $rid} too. */
  List<Sequence> sequences() {
    return sequences;
  }
}
