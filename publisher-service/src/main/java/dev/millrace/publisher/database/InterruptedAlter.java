package dev.millrace.publisher.database;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.H2Schema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cleans up behind an ALTER TABLE that a kill cut short.
 *
 * <p>H2 alters a table by filling a copy named {@code t_COPY_n_m}, dropping the table, and renaming
 * the copy and what belongs to it; each step is durable by itself. A copy beside its table is
 * dropped: the statement has not happened. A copy without its table is the table: H2's last steps
 * are made good.
 */
final class InterruptedAlter {

  private static final Pattern COPY = Pattern.compile("(.+)_COPY_\\d+_\\d+");

  private final Connection admin;

  /** The administrator's connection; its monitor is held. */
  InterruptedAlter(Connection admin) {
    this.admin = admin;
  }

  /**
   * @param catalog the tables there are by the log; a table of the user's own may look like a copy
   */
  void repair(CatalogSnapshot catalog) {
    List<QualifiedName> tables = H2Schema.tables(admin);
    for (QualifiedName copy : tables) {
      Matcher matcher = COPY.matcher(copy.name());
      if (matcher.matches() && catalog.relation(copy) == null) {
        QualifiedName table = new QualifiedName(copy.schema(), matcher.group(1));
        if (tables.contains(table)) {
          execute("DROP TABLE " + CaptureTriggers.quoted(copy) + " CASCADE");
        } else {
          execute(
              "ALTER TABLE "
                  + CaptureTriggers.quoted(copy)
                  + " RENAME TO "
                  + Identifiers.alwaysQuote(table.name()));
          renameParts(table, copy.name() + '_');
        }
      }
    }
  }

  private void renameParts(QualifiedName table, String prefix) {
    String where =
        " WHERE table_schema = "
            + Identifiers.literal(table.schema())
            + " AND table_name = "
            + Identifiers.literal(table.name());
    for (String name :
        names("SELECT constraint_name FROM information_schema.table_constraints" + where)) {
      if (name.startsWith(prefix)) {
        execute(
            "ALTER TABLE "
                + CaptureTriggers.quoted(table)
                + " RENAME CONSTRAINT "
                + Identifiers.alwaysQuote(name)
                + " TO "
                + Identifiers.alwaysQuote(name.substring(prefix.length())));
      }
    }
    for (String name : names("SELECT index_name FROM information_schema.indexes" + where)) {
      if (name.startsWith(prefix)) {
        execute(
            "ALTER INDEX "
                + CaptureTriggers.quoted(new QualifiedName(table.schema(), name))
                + " RENAME TO "
                + Identifiers.alwaysQuote(name.substring(prefix.length())));
      }
    }
  }

  private List<String> names(String query) {
    List<String> names = new ArrayList<>();
    try (Statement statement = admin.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
    return names;
  }

  private void execute(String sql) {
    try (Statement statement = admin.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
