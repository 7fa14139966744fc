package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.ParsedStatement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs one TRUNCATE of any number of tables: their rows are deleted with capture off, so that it
 * can be rolled back, and one record names all tables. H2's own TRUNCATE would commit. One
 * statement, one thread.
 */
final class TruncateStatement {

  static final int CASCADE = 1;
  static final int RESTART_IDENTITY = 2;

  private final ParsedStatement.Truncate statement;
  private final NodeTransaction transaction;
  private final SessionParts session;
  private final TableShapes shapes;
  private final int databaseOid;
  private final RelationLocks.Patience patience;

  TruncateStatement(
      ParsedStatement.Truncate statement,
      NodeTransaction transaction,
      SessionParts session,
      TableShapes shapes,
      int databaseOid,
      RelationLocks.Patience patience) {
    this.statement = statement;
    this.transaction = transaction;
    this.session = session;
    this.shapes = shapes;
    this.databaseOid = databaseOid;
    this.patience = patience;
  }

  void run() {
    Map<QualifiedName, RelationDefinition> tables = lockTables();
    deleteRows(childrenFirst(tables.keySet()));
    if (statement.restartIdentity()) {
      for (QualifiedName table : tables.keySet()) {
        session.log().restart(transaction, shapes.layout().identitySequences(table));
      }
    }
    addRecord(tables.values());
  }

  /** The tables named and, with CASCADE, those that refer to them, each locked alone. */
  private Map<QualifiedName, RelationDefinition> lockTables() {
    Map<QualifiedName, RelationDefinition> tables = new LinkedHashMap<>();
    List<QualifiedName> open = new ArrayList<>(statement.tables());
    while (!open.isEmpty()) {
      QualifiedName table = open.remove(0);
      if (!tables.containsKey(table)) {
        tables.put(table, session.tables().lockAlone(table, patience));
        if (statement.cascade()) {
          open.addAll(shapes.layout().referencedBy(table));
        }
      }
    }
    for (QualifiedName table : tables.keySet()) {
      for (QualifiedName child : shapes.layout().referencedBy(table)) {
        if (!tables.containsKey(child)) {
          throw referenced(table, child);
        }
      }
    }
    return tables;
  }

  private static PgException referenced(QualifiedName table, QualifiedName child) {
    return new PgException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "cannot truncate a table referenced in a foreign key constraint")
        .withDetail("Table \"" + child.name() + "\" references \"" + table.name() + "\".")
        .withHint(
            "Truncate table \""
                + child.name()
                + "\" at the same time, or use TRUNCATE ... CASCADE.");
  }

  /** An order in which no delete meets a row that refers to it; circles stay as they are. */
  private List<QualifiedName> childrenFirst(Iterable<QualifiedName> tables) {
    List<QualifiedName> ordered = new ArrayList<>();
    List<QualifiedName> visited = new ArrayList<>();
    for (QualifiedName table : tables) {
      visit(table, visited, ordered);
    }
    List<QualifiedName> wanted = new ArrayList<>();
    tables.forEach(wanted::add);
    ordered.retainAll(wanted);
    return ordered;
  }

  private void visit(
      QualifiedName table, List<QualifiedName> visited, List<QualifiedName> ordered) {
    if (!visited.contains(table)) {
      visited.add(table);
      for (QualifiedName child : shapes.layout().referencedBy(table)) {
        visit(child, visited, ordered);
      }
      ordered.add(table);
    }
  }

  private void deleteRows(List<QualifiedName> tables) {
    session.capture().beginStatement(transaction, false);
    session.capture().turnOff();
    try {
      for (QualifiedName table : tables) {
        session.runner().update("DELETE FROM " + Identifiers.alwaysQuote(table), List.of());
      }
      session.capture().endStatement();
    } catch (RuntimeException | Error e) {
      session.capture().dropStatement();
      throw e;
    }
  }

  private void addRecord(Iterable<RelationDefinition> tables) {
    int flags =
        (statement.cascade() ? CASCADE : 0) | (statement.restartIdentity() ? RESTART_IDENTITY : 0);
    int xid = transaction.currentXid();
    ByteBuilder out =
        session
            .capture()
            .batch()
            .begin(
                WalRecordType.TRUNCATE,
                flags,
                xid,
                transaction.xid(),
                databaseOid,
                transaction.origin().id());
    int countAt = out.size();
    int count = 0;
    out.putInt(0);
    for (RelationDefinition table : tables) {
      out.putInt(table.oid()).putInt(table.version());
      count++;
    }
    out.setInt(countAt, count);
    session.capture().batch().end();
  }
}
