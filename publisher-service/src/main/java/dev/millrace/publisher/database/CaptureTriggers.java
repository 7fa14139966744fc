package dev.millrace.publisher.database;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.TypeTrigger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts on every user table what capture needs: the row trigger, the trigger that brings values of
 * types kept as text into their form, and the invisible column {@code $rid} where no primary key
 * identifies rows. Guarded by the admin connection's monitor.
 */
final class CaptureTriggers {

  private final EmbeddedDatabase database;

  CaptureTriggers(EmbeddedDatabase database) {
    this.database = database;
  }

  /** Removes every trigger of ours: redo changes rows that are in the log already. */
  void dropAll() {
    for (QualifiedName trigger : existing()) {
      database.admin("DROP TRIGGER " + quoted(trigger));
    }
  }

  /** Drops the table's triggers, whatever table H2 thinks they are on, and makes them anew. */
  void renew(RelationDefinition relation) {
    drop(List.of(relation));
    addMissing(List.of(relation));
  }

  /**
   * Takes the triggers off tables that ALTER TABLE may have H2 copy: the copy would make the
   * trigger anew, which only an administrator may. {@link #addMissing} follows.
   */
  void drop(Collection<RelationDefinition> relations) {
    Set<String> names = new HashSet<>();
    for (RelationDefinition relation : relations) {
      names.add(CaptureTrigger.name(relation.oid()));
      names.add(TypeTrigger.name(relation.oid()));
    }
    for (QualifiedName trigger : existing()) {
      if (names.contains(trigger.name())) {
        database.admin("DROP TRIGGER " + quoted(trigger));
      }
    }
  }

  /** Makes the triggers of those tables that have none. */
  void addMissing(Collection<RelationDefinition> relations) {
    Set<String> present = new HashSet<>();
    existing().forEach(trigger -> present.add(trigger.name()));
    for (RelationDefinition relation : relations) {
      if (!present.contains(CaptureTrigger.name(relation.oid()))) {
        database.admin(CaptureTrigger.createSql(relation.name(), relation.oid()));
      }
      if (TypeTrigger.isNeeded(relation) && !present.contains(TypeTrigger.name(relation.oid()))) {
        database.admin(TypeTrigger.createSql(relation.name(), relation.oid()));
      }
    }
  }

  private List<QualifiedName> existing() {
    List<QualifiedName> triggers = new ArrayList<>();
    Connection admin = database.adminConnection();
    synchronized (admin) {
      try (Statement statement = admin.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT DISTINCT trigger_schema, trigger_name"
                      + " FROM information_schema.triggers")) {
        while (rows.next()) {
          if (CaptureTrigger.isCapture(rows.getString(2)) || TypeTrigger.isOne(rows.getString(2))) {
            triggers.add(new QualifiedName(rows.getString(1), rows.getString(2)));
          }
        }
      } catch (SQLException e) {
        throw dev.millrace.sql.H2Errors.translate(e);
      }
    }
    return triggers;
  }

  /** Gives the table the column that finds its rows, if it has neither key nor column. */
  void addRowIdentifier(RelationDefinition relation, List<String> heapColumns) {
    if (relation.primaryKey() == null && !heapColumns.contains(TableShape.RID)) {
      database.admin(
          "ALTER TABLE "
              + quoted(relation.name())
              + " ADD COLUMN \""
              + TableShape.RID
              + "\" BIGINT INVISIBLE GENERATED ALWAYS AS IDENTITY");
    }
  }

  static String quoted(QualifiedName name) {
    return Identifiers.alwaysQuote(name.schema()) + '.' + Identifiers.alwaysQuote(name.name());
  }
}
