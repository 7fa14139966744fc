package dev.millrace.subscriber.session;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import dev.millrace.sql.H2Schema;
import dev.millrace.sql.RelationSource;
import dev.millrace.subscriber.catalog.LocalRelation;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.target.TargetDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * The definitions of all tables of the target database, read anew when one has changed. Safe for
 * any thread.
 */
final class LocalDefinitions {

  private final TargetDatabase target;
  private final TargetUsers users;
  private final LocalRelations relations;
  private final NodeIdentity node;
  private final DataSource admin;
  private final String databaseName;
  private long version = -1;
  private Map<QualifiedName, RelationDefinition> byName = Map.of();
  private Map<QualifiedName, TypeDefinition> types = Map.of();
  private RelationSource source;

  LocalDefinitions(
      TargetDatabase target,
      TargetUsers users,
      LocalRelations relations,
      NodeIdentity node,
      DataSource admin,
      String databaseName) {
    this.target = target;
    this.users = users;
    this.relations = relations;
    this.node = node;
    this.admin = admin;
    this.databaseName = databaseName;
  }

  /** Null when there is no such table. */
  synchronized RelationDefinition relation(QualifiedName table) {
    source();
    return byName.get(table);
  }

  synchronized RelationSource source() {
    long current = target.schemaVersion();
    if (source == null || current != version) {
      read();
      version = current;
    }
    return source;
  }

  private void read() {
    Map<QualifiedName, RelationDefinition> read = new HashMap<>();
    for (QualifiedName table : tables()) {
      RelationDefinition definition = target.relation(table);
      if (definition != null) {
        read.put(table, definition);
      }
    }
    types = target.types();
    Map<Integer, String> schemas = new HashMap<>();
    users.schemas().forEach(schema -> schemas.put(relations.schemaOid(schema), schema));
    byName = read;
    source =
        new RelationSource(
            new ArrayList<>(read.values()),
            types.values(),
            schemas,
            node.databaseOid(),
            databaseName);
  }

  /** Null when there is no such enum or domain. */
  synchronized TypeDefinition type(QualifiedName name) {
    source();
    return types.get(name);
  }

  private List<QualifiedName> tables() {
    try (Connection connection = admin.getConnection()) {
      return H2Schema.tables(connection);
    } catch (SQLException e) {
      throw dev.millrace.sql.H2Errors.translate(e);
    }
  }

  /** Forgets the OIDs of tables that are gone. */
  void forgetDropped() {
    List<QualifiedName> existing = tables();
    for (LocalRelation relation : relations.all()) {
      if (!existing.contains(relation.name())) {
        relations.forget(relation.name());
      }
    }
  }
}
