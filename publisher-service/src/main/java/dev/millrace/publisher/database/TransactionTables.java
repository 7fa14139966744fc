package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tables as one session's transaction sees and locks them.
 *
 * <p>A writer shares the lock of each table it writes until its transaction ends, so a definition
 * read under it stays true that long. Tables tied by foreign keys have one writing transaction at a
 * time: H2 would let a child row in while its parent's deletion is not committed yet. One thread.
 */
final class TransactionTables {

  private final CatalogStore catalog;
  private final TableShapes shapes;
  private final RelationLocks locks;
  private NodeTransaction transaction;
  private CatalogSnapshot namesOf;
  private final Map<QualifiedName, RelationDefinition> byName = new HashMap<>();
  private CatalogSnapshot allowedBy;
  private final Set<Long> allowed = new HashSet<>();

  TransactionTables(CatalogStore catalog, TableShapes shapes, RelationLocks locks) {
    this.catalog = catalog;
    this.shapes = shapes;
    this.locks = locks;
  }

  void begin(NodeTransaction begun) {
    transaction = begun;
  }

  /** The catalogue with this transaction's own changes. */
  CatalogSnapshot view() {
    return transaction == null || transaction.catalog() == null
        ? catalog.current()
        : transaction.catalog().view();
  }

  /** The table of that name; null when there is none. */
  RelationDefinition find(QualifiedName name) {
    CatalogSnapshot view = view();
    if (view != namesOf) {
      byName.clear();
      namesOf = view;
    }
    RelationDefinition relation = byName.get(name);
    if (relation == null) {
      relation = view.relation(name);
      if (relation != null) {
        byName.put(name, relation);
      }
    }
    return relation;
  }

  /**
   * Locks a table for writing rows and returns its definition under that lock.
   *
   * @throws PgException 42P01, 42501 for internal schemas, and what waiting throws
   */
  RelationDefinition lockForWriting(QualifiedName name, RelationLocks.Patience patience) {
    return lock(name, false, patience);
  }

  /** As {@link #lockForWriting}, with nobody else writing the table. */
  RelationDefinition lockAlone(QualifiedName name, RelationLocks.Patience patience) {
    return lock(name, true, patience);
  }

  private RelationDefinition lock(
      QualifiedName name, boolean alone, RelationLocks.Patience patience) {
    if (!HeapLayout.isUserSchema(name.schema())) {
      throw new PgException(
          SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + name.schema());
    }
    while (true) {
      RelationDefinition relation = existing(name);
      QualifiedName group = shapes.layout().group(name);
      if (group != null) {
        locks.acquire(transaction, ~existing(group).oid(), true, patience);
      }
      locks.acquire(transaction, relation.oid(), alone, patience);
      RelationDefinition locked = find(name);
      if (locked != null
          && locked.oid() == relation.oid()
          && java.util.Objects.equals(group, shapes.layout().group(name))) {
        return locked;
      }
    }
  }

  private RelationDefinition existing(QualifiedName name) {
    RelationDefinition relation = find(name);
    if (relation == null) {
      String shown = name.schema().equals("public") ? name.name() : name.toString();
      throw new PgException(SqlState.UNDEFINED_TABLE, "relation \"" + shown + "\" does not exist");
    }
    return relation;
  }

  /** Other open transactions that have written the table. */
  List<NodeTransaction> otherWriters(RelationDefinition relation) {
    return locks.otherWriters(relation.oid(), transaction);
  }

  TableShape shape(RelationDefinition relation) {
    return shapes.shape(relation);
  }

  TableShape shape(int relationOid) {
    return shapes.shape(view().relation(relationOid));
  }

  /** What writes a row of that table, once the change is known to be allowed (N9). */
  RowEncoder encoder(int relationOid, WalRecordType change) {
    RelationDefinition relation = view().relation(relationOid);
    TableShape shape = shapes.shape(relation);
    checkReplicaIdentity(relation, change);
    if (change == WalRecordType.DELETE) {
      // Also where no row refers to the deleted one, as in PostgreSQL.
      for (HeapLayout.DeleteAction action : shapes.layout().deleteActions(relation.name())) {
        checkReplicaIdentity(
            find(action.child()), action.update() ? WalRecordType.UPDATE : WalRecordType.DELETE);
      }
    }
    return change == WalRecordType.UPDATE && PublishedOperations.filtered(view(), relation)
        ? shape.encoder().wholeRows()
        : shape.encoder();
  }

  /** Refuses UPDATE and DELETE where a publication cannot publish them (N9). */
  void checkReplicaIdentity(RelationDefinition relation, WalRecordType change) {
    if (change == WalRecordType.INSERT) {
      return;
    }
    CatalogSnapshot view = view();
    if (view != allowedBy) {
      allowed.clear();
      allowedBy = view;
    }
    boolean update = change == WalRecordType.UPDATE;
    long operation = (long) relation.oid() << 1 | (update ? 1 : 0);
    if (!allowed.contains(operation)) {
      PublishedOperations.check(view, relation, update);
      allowed.add(operation);
    }
  }
}
