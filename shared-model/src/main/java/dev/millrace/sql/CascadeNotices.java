package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.Notice;
import dev.millrace.model.QualifiedName;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a DROP .. CASCADE takes with it, as PostgreSQL tells: foreign keys of other tables, and the
 * tables and types of a schema. To be asked before the statement runs.
 */
public final class CascadeNotices {

  private static final String FOREIGN_KEYS =
      "SELECT C.CONSTRAINT_NAME, C.TABLE_SCHEMA, C.TABLE_NAME"
          + " FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS R"
          + " JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS C"
          + " ON C.CONSTRAINT_SCHEMA = R.CONSTRAINT_SCHEMA"
          + " AND C.CONSTRAINT_NAME = R.CONSTRAINT_NAME"
          + " JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS U"
          + " ON U.CONSTRAINT_SCHEMA = R.UNIQUE_CONSTRAINT_SCHEMA"
          + " AND U.CONSTRAINT_NAME = R.UNIQUE_CONSTRAINT_NAME"
          + " WHERE U.TABLE_SCHEMA = ? AND U.TABLE_NAME = ? ORDER BY 2, 3, 1";

  private static final String SCHEMA_OBJECTS =
      "SELECT TABLE_NAME, 'table', TABLE_SCHEMA FROM INFORMATION_SCHEMA.TABLES"
          + " WHERE TABLE_SCHEMA = ?1 AND TABLE_TYPE = 'BASE TABLE' UNION ALL"
          + " SELECT DOMAIN_NAME, 'type', DOMAIN_SCHEMA FROM INFORMATION_SCHEMA.DOMAINS"
          + " WHERE DOMAIN_SCHEMA = ?1 ORDER BY 2, 1";

  private CascadeNotices() {}

  /** None, or the one notice with all objects. */
  public static List<Notice> of(Connection connection, Ddl ddl) {
    boolean cascade = ddl.original().toLowerCase(Locale.ROOT).endsWith("cascade");
    List<String> lines = new ArrayList<>();
    for (QualifiedName target : cascade ? ddl.targets() : List.<QualifiedName>of()) {
      if (ddl.kind() == Ddl.Kind.DROP_TABLE) {
        foreignKeys(connection, ddl, target, lines);
      } else if (ddl.kind() == Ddl.Kind.DROP_SCHEMA) {
        schemaObjects(connection, target.schema(), lines);
      }
    }
    if (lines.isEmpty()) {
      return List.of();
    }
    boolean one = lines.size() == 1;
    String message = one ? lines.get(0) : "drop cascades to " + lines.size() + " other objects";
    String detail = one ? null : String.join("\n", lines);
    return List.of(new Notice("NOTICE", "00000", message, detail, null));
  }

  private static void foreignKeys(
      Connection connection, Ddl ddl, QualifiedName table, List<String> lines) {
    for (String[] row : rows(connection, FOREIGN_KEYS, table.schema(), table.name())) {
      QualifiedName child = new QualifiedName(row[1], row[2]);
      if (!ddl.targets().contains(child)) {
        lines.add(
            "drop cascades to constraint "
                + Identifiers.quote(row[0])
                + " on table "
                + shown(child));
      }
    }
  }

  private static void schemaObjects(Connection connection, String schema, List<String> lines) {
    for (String[] row : rows(connection, SCHEMA_OBJECTS, schema)) {
      lines.add("drop cascades to " + row[1] + " " + shown(new QualifiedName(row[2], row[0])));
    }
  }

  private static String shown(QualifiedName name) {
    return name.schema().equals("public") ? Identifiers.quote(name.name()) : name.quoted();
  }

  private static List<String[]> rows(Connection connection, String sql, String... names) {
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      for (int i = 0; i < names.length; i++) {
        query.setString(i + 1, names[i]);
      }
      List<String[]> found = new ArrayList<>();
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          found.add(new String[] {rows.getString(1), rows.getString(2), rows.getString(3)});
        }
      }
      return found;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
