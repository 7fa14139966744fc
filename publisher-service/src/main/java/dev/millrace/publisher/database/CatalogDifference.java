package dev.millrace.publisher.database;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.catalog.SchemaDefinition;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.H2Schema;
import dev.millrace.sql.H2UserTypes;
import dev.millrace.sql.ParsedStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds what a DDL statement did to H2's tables and schemas by comparing them with the catalogue,
 * and puts it into a catalogue transaction. Comparing instead of interpreting the statement also
 * serves the start after a kill inside one; the statement is asked only for renames, which cannot
 * be told from a drop and a create.
 */
final class CatalogDifference {

  private final CatalogStore store;
  private final Connection connection;
  private final ParsedStatement.Ddl ddl;
  private Map<QualifiedName, TypeDefinition> types = Map.of();

  /** The connection reads the definitions; its monitor is held by the caller. */
  CatalogDifference(CatalogStore store, Connection connection, ParsedStatement.Ddl ddl) {
    this.store = store;
    this.connection = connection;
    this.ddl = ddl;
  }

  /**
   * Puts the differences into {@code changes}.
   *
   * @param touched names, before the statement, of the tables it may have changed
   * @return the new definitions
   */
  List<RelationDefinition> put(CatalogTransaction changes, Collection<QualifiedName> touched) {
    CatalogSnapshot before = changes.view();
    putSchemas(changes, before);
    putTypes(changes, before);
    Set<QualifiedName> existing = new LinkedHashSet<>(H2Schema.tables(connection));
    List<RelationDefinition> defined = new ArrayList<>();
    Set<QualifiedName> renamed = new LinkedHashSet<>();
    for (QualifiedName name : existing) {
      RelationDefinition previous = before.relation(name);
      if (previous == null) {
        previous = renamed(before, existing, name);
        if (previous != null) {
          renamed.add(previous.name());
        }
        defined.add(read(name, previous));
      } else if (touched.contains(name)) {
        RelationDefinition now = read(name, previous);
        if (!sameButVersion(now, previous)) {
          defined.add(now);
        }
      }
    }
    for (RelationDefinition relation : before.relationsByName()) {
      if (!existing.contains(relation.name()) && !renamed.contains(relation.name())) {
        changes.dropRelation(relation.oid());
      }
    }
    defined.forEach(changes::put);
    return defined;
  }

  /** The table that has this new name because it, or its schema, was renamed; else null. */
  private RelationDefinition renamed(
      CatalogSnapshot before, Set<QualifiedName> existing, QualifiedName name) {
    if (ddl.newName() == null) {
      return null;
    }
    QualifiedName oldName = null;
    if (ddl.kind() == ParsedStatement.Ddl.Kind.ALTER_TABLE && name.equals(ddl.newName())) {
      oldName = ddl.target();
    } else if (isSchemaRename() && name.schema().equals(ddl.newName().schema())) {
      oldName = new QualifiedName(ddl.target().schema(), name.name());
    }
    return oldName == null || existing.contains(oldName) ? null : before.relation(oldName);
  }

  private boolean isSchemaRename() {
    return ddl.tag().equals("ALTER SCHEMA") && ddl.newName() != null;
  }

  private RelationDefinition read(QualifiedName name, RelationDefinition previous) {
    return H2Schema.read(
        connection,
        name,
        previous,
        old -> ddl.renames().getOrDefault(old, old),
        types::get,
        store::nextOid);
  }

  private void putTypes(CatalogTransaction changes, CatalogSnapshot before) {
    types = H2UserTypes.read(connection, before.types()::get, new NewOids());
    for (TypeDefinition type : types.values()) {
      if (!type.equals(before.types().get(type.name()))) {
        changes.put(type);
      }
    }
    for (TypeDefinition type : before.types().values()) {
      if (types.values().stream().noneMatch(now -> now.oid() == type.oid())) {
        changes.dropType(type.oid());
      }
    }
  }

  private final class NewOids implements H2UserTypes.Oids {
    @Override
    public int type(QualifiedName name) {
      return store.nextOid();
    }

    @Override
    public int label(QualifiedName type, String label) {
      return store.nextOid();
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
    String renamed = isSchemaRename() ? ddl.target().schema() : null;
    for (SchemaDefinition schema : before.schemas().values()) {
      if (!existing.contains(schema.name())) {
        if (schema.name().equals(renamed)) {
          changes.put(new SchemaDefinition(schema.oid(), ddl.newName().schema()));
        } else {
          changes.dropSchema(schema.oid());
        }
      }
    }
    CatalogSnapshot now = changes.view();
    for (String name : existing) {
      if (now.schema(name) == null) {
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
      throw H2Errors.translate(e);
    }
    return names;
  }
}
