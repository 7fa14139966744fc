package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Refuses to drop or truncate as one kind what is of another. In PostgreSQL tables, views, indexes
 * and sequences share their names; H2 knows them apart, and its DROP TABLE takes a view as well.
 */
final class ObjectKinds {

  private static final Map<String, String> ARTICLES =
      Map.of("table", "a table", "view", "a view", "index", "an index", "sequence", "a sequence");

  private static final String KINDS =
      """
      select case table_type when 'VIEW' then 'view' else 'table' end
      from information_schema.tables where table_schema = ? and table_name = ?
      union all
      select 'sequence' from information_schema.sequences
      where sequence_schema = ? and sequence_name = ?
      union all
      select 'index' from information_schema.indexes where index_schema = ? and index_name = ?
      """;

  private ObjectKinds() {}

  /**
   * @throws PgException 42809 when a DROP names an object of another kind
   */
  static void check(Connection connection, Ddl ddl) {
    String[] words = ddl.tag().toLowerCase(Locale.ROOT).split(" ");
    if (words.length == 2 && words[0].equals("drop") && ARTICLES.containsKey(words[1])) {
      ddl.targets().forEach(target -> require(connection, target, words[1], true));
    }
  }

  /**
   * @throws PgException 42809 when it is something else than a table
   */
  static void requireTable(Connection connection, QualifiedName name) {
    require(connection, name, "table", false);
  }

  private static void require(
      Connection connection, QualifiedName name, String wanted, boolean dropping) {
    List<String> kinds = kinds(connection, name);
    if (kinds.isEmpty() || kinds.contains(wanted)) {
      return;
    }
    String kind = kinds.get(0);
    PgException error =
        new PgException(
            SqlState.WRONG_OBJECT_TYPE, "\"" + name.name() + "\" is not " + ARTICLES.get(wanted));
    throw dropping
        ? error.withHint(
            "Use DROP " + kind.toUpperCase(Locale.ROOT) + " to remove " + ARTICLES.get(kind) + ".")
        : error;
  }

  private static List<String> kinds(Connection connection, QualifiedName name) {
    try (PreparedStatement query = connection.prepareStatement(KINDS)) {
      for (int i = 1; i < 6; i += 2) {
        query.setString(i, name.schema());
        query.setString(i + 1, name.name());
      }
      List<String> kinds = new ArrayList<>();
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          kinds.add(rows.getString(1));
        }
      }
      return kinds;
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
