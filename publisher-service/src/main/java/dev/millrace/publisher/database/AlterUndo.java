package dev.millrace.publisher.database;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.UserTypes;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.H2Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;

/**
 * Takes back the first parts of an ALTER TABLE whose later part failed: H2 runs and commits the
 * parts one by one, PostgreSQL all or none. Made before the statement runs; the table is locked.
 *
 * <p>Columns, constraints and indexes that were added are dropped and NOT NULL is set back. What
 * cannot be brought back, such as a dropped column or a changed type, is {@linkplain
 * dev.millrace.sql.AlterRehearsal rehearsed} first.
 */
final class AlterUndo {

  private final Connection owner;
  private final RelationDefinition before;
  private final UserTypes types;
  private final Set<String> constraints;
  private final String table;

  AlterUndo(Connection owner, RelationDefinition before, UserTypes types) {
    this.types = types;
    this.owner = owner;
    this.before = before;
    this.table = CaptureTriggers.quoted(before.name());
    this.constraints = constraints();
  }

  /** Makes the table what it was, as far as it can be; for a statement that failed. */
  void run() {
    try {
      for (String name : constraints()) {
        if (!constraints.contains(name)) {
          alter("DROP CONSTRAINT " + Identifiers.alwaysQuote(name));
        }
      }
      RelationDefinition now =
          H2Schema.read(owner, before.name(), before, name -> name, types, () -> Integer.MAX_VALUE);
      dropIndexes(now);
      for (ColumnDefinition column : now.columns()) {
        int position = before.columnIndex(column.name());
        String name = Identifiers.alwaysQuote(column.name());
        if (position < 0) {
          alter("DROP COLUMN " + name);
        } else if (before.columns().get(position).notNull() != column.notNull()) {
          alter("ALTER COLUMN " + name + (column.notNull() ? " DROP" : " SET") + " NOT NULL");
        }
      }
      owner.commit();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private void dropIndexes(RelationDefinition now) throws SQLException {
    Set<String> known = new HashSet<>();
    before.indexes().forEach(index -> known.add(index.name()));
    for (IndexDefinition index : now.indexes()) {
      if (!known.contains(index.name())) {
        execute(
            "DROP INDEX IF EXISTS "
                + Identifiers.alwaysQuote(before.name().schema())
                + '.'
                + Identifiers.alwaysQuote(index.name()));
      }
    }
  }

  private Set<String> constraints() {
    Set<String> names = new HashSet<>();
    try (PreparedStatement query =
        owner.prepareStatement(
            "SELECT constraint_name FROM information_schema.table_constraints"
                + " WHERE table_schema = ? AND table_name = ?")) {
      query.setString(1, before.name().schema());
      query.setString(2, before.name().name());
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          names.add(rows.getString(1));
        }
      }
      return names;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private void alter(String action) throws SQLException {
    execute("ALTER TABLE " + table + ' ' + action);
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = owner.createStatement()) {
      statement.execute(sql);
    }
  }
}
