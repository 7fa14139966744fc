package dev.millrace.publisher.database;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.catalog.SchemaDefinition;
import dev.millrace.sql.H2Schema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds what a DDL statement did to H2's tables and schemas by comparing them with the catalogue,
 * and puts it into a catalogue transaction. Comparing instead of interpreting the statement also
 * serves the start after a kill inside one.
 *
 * <p>What cannot be seen by comparing is a rename: when one table of the statement has gone and one
 * has come, it is the same table; when a table has as many columns (or indexes) as before and one
 * of them another name, it is the same column (or index).
 */
final class CatalogDifference {

  private final CatalogStore store;
  private final Connection connection;

  /** The connection reads the definitions; its monitor is held by the caller. */
  CatalogDifference(CatalogStore store, Connection connection) {
    this.store = store;
    this.connection = connection;
  }

  /**
   * Puts the differences into {@code changes}.
   *
   * @param touched names of the tables the statement may have changed
   * @param mayRename the statement may have renamed something
   * @return the new definitions
   */
  List<RelationDefinition> put(
      CatalogTransaction changes, Collection<QualifiedName> touched, boolean mayRename) {
    CatalogSnapshot before = changes.view();
    putSchemas(changes, before);
    Set<QualifiedName> existing = new LinkedHashSet<>(H2Schema.tables(connection));
    List<RelationDefinition> gone = new ArrayList<>();
    for (RelationDefinition relation : before.relationsByName()) {
      if (!existing.contains(relation.name())) {
        gone.add(relation);
      }
    }
    List<QualifiedName> come = new ArrayList<>();
    for (QualifiedName name : existing) {
      if (before.relation(name) == null) {
        come.add(name);
      }
    }
    List<RelationDefinition> defined = new ArrayList<>();
    boolean renamed = mayRename && gone.size() == 1 && come.size() == 1;
    for (QualifiedName name : come) {
      defined.add(read(name, renamed ? gone.get(0) : null, renamed));
    }
    if (!renamed) {
      gone.forEach(relation -> changes.dropRelation(relation.oid()));
    }
    for (QualifiedName name : touched) {
      RelationDefinition previous = before.relation(name);
      if (previous != null && existing.contains(name)) {
        RelationDefinition now = read(name, previous, mayRename);
        if (!sameButVersion(now, previous)) {
          defined.add(now);
        }
      }
    }
    defined.forEach(changes::put);
    return defined;
  }

  private RelationDefinition read(
      QualifiedName name, RelationDefinition previous, boolean mayRename) {
    Map<String, String> renames = mayRename ? renames(name, previous) : Map.of();
    return H2Schema.read(
        connection, name, previous, old -> renames.getOrDefault(old, old), store::nextOid);
  }

  /** Old name to new name, for the one column and the one index whose name alone changed. */
  private Map<String, String> renames(QualifiedName name, RelationDefinition previous) {
    RelationDefinition plain = H2Schema.read(connection, name, null, old -> old, () -> 0);
    Map<String, String> renames = new HashMap<>();
    addRename(
        previous.columns().stream().map(ColumnDefinition::name).toList(),
        plain.columns().stream().map(ColumnDefinition::name).toList(),
        renames);
    addRename(
        previous.indexes().stream().map(IndexDefinition::name).toList(),
        plain.indexes().stream().map(IndexDefinition::name).toList(),
        renames);
    return renames;
  }

  private static void addRename(
      List<String> before, List<String> now, Map<String, String> renames) {
    if (before.size() != now.size()) {
      return;
    }
    List<String> gone = new ArrayList<>(before);
    gone.removeAll(now);
    List<String> come = new ArrayList<>(now);
    come.removeAll(before);
    if (gone.size() == 1 && come.size() == 1) {
      renames.put(gone.get(0), come.get(0));
    }
  }

  private static boolean sameButVersion(RelationDefinition a, RelationDefinition b) {
    return a.equals(
        new RelationDefinition(
            b.oid(),
            a.version(),
            b.name(),
            b.columns(),
            b.indexes(),
            b.replicaIdentity(),
            b.identityIndexOid()));
  }

  private void putSchemas(CatalogTransaction changes, CatalogSnapshot before) {
    Set<String> existing = schemas();
    for (SchemaDefinition schema : before.schemas().values()) {
      if (!existing.contains(schema.name())) {
        changes.dropSchema(schema.oid());
      }
    }
    for (String name : existing) {
      if (before.schema(name) == null) {
        changes.put(new SchemaDefinition(store.nextOid(), name));
      }
    }
  }

  private Set<String> schemas() {
    Set<String> names = new LinkedHashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT schema_name FROM information_schema.schemata")) {
      while (rows.next()) {
        if (HeapLayout.isUserSchema(rows.getString(1))) {
          names.add(rows.getString(1));
        }
      }
    } catch (SQLException e) {
      throw dev.millrace.sql.H2Errors.translate(e);
    }
    return names;
  }
}
