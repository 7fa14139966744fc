package dev.millrace.sql;

import dev.millrace.model.Notice;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Which targets of a statement with IF [NOT] EXISTS are there already, or not. */
final class DdlTargets {

  private DdlTargets() {}

  /** The notices PostgreSQL gives for the targets that are skipped. */
  static List<Notice> skipped(Connection connection, Ddl ddl) {
    boolean create = ddl.tag().startsWith("CREATE");
    List<Notice> notices = new ArrayList<>();
    if (ddl.kind() == Ddl.Kind.CREATE_INDEX) {
      return notices;
    }
    String object =
        ddl.tag().substring(ddl.tag().indexOf(' ') + 1).toLowerCase(java.util.Locale.ROOT);
    for (QualifiedName target : ddl.targets()) {
      if (exists(connection, ddl.kind(), object, target) == create) {
        notices.add(notice(create, object, target));
      }
    }
    return notices;
  }

  private static Notice notice(boolean create, String object, QualifiedName target) {
    boolean schema = object.equals("schema");
    boolean relation = create && !schema;
    String state =
        !create ? "00000" : schema ? SqlState.DUPLICATE_SCHEMA : SqlState.DUPLICATE_TABLE;
    return new Notice(
        "NOTICE",
        state,
        (relation ? "relation" : object)
            + " \""
            + target.name()
            + (create ? "\" already exists, skipping" : "\" does not exist, skipping"),
        null,
        null);
  }

  private static boolean exists(
      Connection connection, Ddl.Kind kind, String object, QualifiedName target) {
    switch (object) {
      case "schema":
        return found(
            connection,
            "SELECT 1 FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME = ?",
            target.name());
      case "index":
        return found(
            connection,
            "SELECT 1 FROM INFORMATION_SCHEMA.INDEXES WHERE INDEX_SCHEMA = ? AND INDEX_NAME = ?",
            target.schema(),
            target.name());
      case "sequence":
        return found(
            connection,
            "SELECT 1 FROM INFORMATION_SCHEMA.SEQUENCES WHERE SEQUENCE_SCHEMA = ? AND"
                + " SEQUENCE_NAME = ?",
            target.schema(),
            target.name());
      default:
        return found(
            connection,
            "SELECT 1 FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            target.schema(),
            target.name());
    }
  }

  private static boolean found(Connection connection, String query, String... names) {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < names.length; i++) {
        statement.setString(i + 1, names[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
