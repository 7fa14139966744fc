package dev.millrace.subscriber.session;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.TypeTrigger;
import dev.millrace.subscriber.target.TargetDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Puts {@link TypeTrigger}s on the tables of the target database that need one. They are off a
 * table while it is altered, because only an administrator may copy them. Safe for any thread.
 */
final class TypeTriggers {

  private static final String ON_TABLE =
      "SELECT DISTINCT trigger_schema, trigger_name FROM information_schema.triggers"
          + " WHERE event_object_schema = ? AND event_object_table = ?";

  private final DataSource admin;
  private final TargetDatabase target;

  TypeTriggers(DataSource admin, TargetDatabase target) {
    this.admin = admin;
    this.target = target;
  }

  /** Takes the trigger off a table that is about to be altered. */
  synchronized void drop(QualifiedName table) {
    try (Connection connection = admin.getConnection();
        PreparedStatement query = connection.prepareStatement(ON_TABLE)) {
      query.setString(1, table.schema());
      query.setString(2, table.name());
      Set<QualifiedName> found = new HashSet<>();
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          if (TypeTrigger.isOne(rows.getString(2))) {
            found.add(new QualifiedName(rows.getString(1), rows.getString(2)));
          }
        }
      }
      for (QualifiedName trigger : found) {
        execute(connection, "DROP TRIGGER " + quoted(trigger));
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /** Makes those that are missing on these tables; names of no tables are passed over. */
  synchronized void addMissing(Collection<QualifiedName> tables) {
    try (Connection connection = admin.getConnection()) {
      Set<String> present = new HashSet<>();
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery("SELECT trigger_name FROM information_schema.triggers")) {
        while (rows.next()) {
          present.add(rows.getString(1));
        }
      }
      for (QualifiedName table : tables) {
        RelationDefinition relation = target.relation(table);
        boolean missing = relation != null && !present.contains(TypeTrigger.name(relation.oid()));
        if (missing && TypeTrigger.isNeeded(relation)) {
          execute(connection, TypeTrigger.createSql(relation.name(), relation.oid()));
        }
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String quoted(QualifiedName name) {
    return Identifiers.alwaysQuote(name.schema()) + '.' + Identifiers.alwaysQuote(name.name());
  }
}
