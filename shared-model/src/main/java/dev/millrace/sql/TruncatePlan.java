package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.Truncate;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a TRUNCATE does in a plain H2 database: the tables in an order in which each can be emptied
 * (referencing ones first), with those CASCADE adds, and the statements that restart their
 * identities.
 */
record TruncatePlan(List<QualifiedName> tables, List<String> restarts) {

  /** A foreign key: {@code child} references {@code parent}. */
  private record Reference(QualifiedName child, QualifiedName parent) {}

  private static final String REFERENCES =
      "SELECT C.TABLE_SCHEMA, C.TABLE_NAME, P.TABLE_SCHEMA, P.TABLE_NAME"
          + " FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS R"
          + " JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS C ON C.CONSTRAINT_SCHEMA ="
          + " R.CONSTRAINT_SCHEMA AND C.CONSTRAINT_NAME = R.CONSTRAINT_NAME"
          + " JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS P ON P.CONSTRAINT_SCHEMA ="
          + " R.UNIQUE_CONSTRAINT_SCHEMA AND P.CONSTRAINT_NAME = R.UNIQUE_CONSTRAINT_NAME";

  private static final String IDENTITIES =
      "SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?"
          + " AND IS_IDENTITY = 'YES'";

  /**
   * @throws PgException 42P01 for a missing table, 0A000 when another table references one of them
   *     and CASCADE is not given
   */
  static TruncatePlan of(Connection connection, Truncate truncate) {
    try {
      Set<QualifiedName> tables = new LinkedHashSet<>(truncate.tables());
      for (QualifiedName table : tables) {
        requireTable(connection, table);
      }
      List<Reference> references = references(connection);
      include(tables, references, truncate.cascade());
      List<QualifiedName> ordered = ordered(tables, references);
      List<String> restarts = new ArrayList<>();
      if (truncate.restartIdentity()) {
        for (QualifiedName table : ordered) {
          addRestarts(connection, table, restarts);
        }
      }
      return new TruncatePlan(ordered, restarts);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private static void requireTable(Connection connection, QualifiedName table) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM " + DdlText.name(table) + " WHERE FALSE")) {
      statement.executeQuery().close();
    }
  }

  private static List<Reference> references(Connection connection) throws SQLException {
    List<Reference> references = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(REFERENCES)) {
      while (rows.next()) {
        references.add(
            new Reference(
                new QualifiedName(rows.getString(1), rows.getString(2)),
                new QualifiedName(rows.getString(3), rows.getString(4))));
      }
    }
    return references;
  }

  private static void include(
      Set<QualifiedName> tables, List<Reference> references, boolean cascade) {
    boolean grown = true;
    while (grown) {
      grown = false;
      for (Reference reference : references) {
        if (tables.contains(reference.parent()) && !tables.contains(reference.child())) {
          if (!cascade) {
            throw referenced(reference);
          }
          grown |= tables.add(reference.child());
        }
      }
    }
  }

  private static PgException referenced(Reference reference) {
    String child = reference.child().name();
    return new PgException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "cannot truncate a table referenced in a foreign key constraint")
        .withDetail("Table \"" + child + "\" references \"" + reference.parent().name() + "\".")
        .withHint(
            "Truncate table \"" + child + "\" at the same time, or use TRUNCATE ... CASCADE.");
  }

  private static List<QualifiedName> ordered(
      Set<QualifiedName> tables, List<Reference> references) {
    List<QualifiedName> ordered = new ArrayList<>();
    List<QualifiedName> left = new ArrayList<>(tables);
    while (!left.isEmpty()) {
      QualifiedName free = left.get(0);
      for (QualifiedName table : left) {
        boolean referenced =
            references.stream()
                .anyMatch(
                    each ->
                        each.parent().equals(table)
                            && !each.child().equals(table)
                            && left.contains(each.child()));
        if (!referenced) {
          free = table;
          break;
        }
      }
      left.remove(free);
      ordered.add(free);
    }
    return ordered;
  }

  private static void addRestarts(Connection connection, QualifiedName table, List<String> restarts)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(IDENTITIES)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String column = DdlText.name(rows.getString(1));
          restarts.add(DdlText.alterTable(table, "ALTER COLUMN " + column + " RESTART"));
        }
      }
    }
  }
}
