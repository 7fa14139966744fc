package dev.millrace.subscriber.apply;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.target.FirstWrites;
import dev.millrace.subscriber.target.TargetDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Empties all tables of a Truncate message as one step of the transaction.
 *
 * <p>H2's own TRUNCATE commits, so the rows are deleted; and restarting an identity cannot be
 * rolled back, so it waits until just before the commit. CASCADE is not followed: the message lists
 * the tables it reached on the publisher, and a further table here that references one of them is
 * an error, as for PostgreSQL. One thread.
 */
final class TruncateWriter {

  private final Connection connection;
  private final TargetDatabase target;
  private final FirstWrites firstWrites;
  private final List<String> restarts = new ArrayList<>();

  TruncateWriter(Connection connection, TargetDatabase target, FirstWrites firstWrites) {
    this.connection = connection;
    this.target = target;
    this.firstWrites = firstWrites;
  }

  void truncate(List<TargetRelation> relations, boolean restartIdentity) throws SQLException {
    Set<QualifiedName> names = new LinkedHashSet<>();
    relations.forEach(relation -> names.add(relation.name()));
    names.forEach(name -> refuseReferenced(name, names));
    try (Statement statement = connection.createStatement()) {
      for (TargetRelation relation : relations) {
        firstWrites.write(
            relation.name(), () -> statement.executeUpdate("DELETE FROM " + relation.sqlName()));
        if (restartIdentity) {
          rememberRestarts(relation);
        }
      }
    }
  }

  private void refuseReferenced(QualifiedName table, Set<QualifiedName> truncated) {
    for (QualifiedName referencing : target.referencingTables(table)) {
      if (!truncated.contains(referencing)) {
        throw new PgException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "cannot truncate a table referenced in a foreign key constraint")
            .withDetail("Table \"" + referencing.name() + "\" references \"" + table.name() + "\".")
            .withHint(
                "Truncate table \""
                    + referencing.name()
                    + "\" at the same time, or use TRUNCATE ... CASCADE.");
      }
    }
  }

  private void rememberRestarts(TargetRelation relation) {
    for (ColumnDefinition column : relation.local().columns()) {
      if (column.identity() != 0) {
        restarts.add(
            "ALTER TABLE "
                + relation.sqlName()
                + " ALTER COLUMN "
                + Identifiers.alwaysQuote(column.name())
                + " RESTART");
      }
    }
  }

  /** Called when nothing but the commit is left to do. */
  void restartIdentities() throws SQLException {
    if (restarts.isEmpty()) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      for (String restart : restarts) {
        statement.execute(restart);
      }
    }
    restarts.clear();
  }

  void clear() {
    restarts.clear();
  }
}
