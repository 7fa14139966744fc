package dev.millrace.sql;

import dev.millrace.model.PgType;
import dev.millrace.model.TypeModifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.schema.Domain;
import org.h2.schema.Schema;
import org.h2.table.Column;
import org.h2.table.Table;

/** The views and functions of one database, found again by the connection H2 hands to a method. */
final class SystemRegistry {

  private static final Map<Database, SystemRegistry> BY_DATABASE = new WeakHashMap<>();

  private final Map<String, SystemView> views = new HashMap<>();
  private final Map<String, SystemFunction> functions = new HashMap<>();

  SystemRegistry(List<SystemView> views, List<SystemFunction> functions) {
    views.forEach(view -> this.views.put(view.name(), view));
    functions.forEach(function -> this.functions.put(function.name(), function));
  }

  /** Databases that have been closed are forgotten at this occasion. */
  static void register(Connection connection, SystemRegistry registry) throws SQLException {
    Database database = database(connection);
    synchronized (BY_DATABASE) {
      BY_DATABASE.keySet().removeIf(Database::isClosing);
      BY_DATABASE.put(database, registry);
    }
  }

  /** The registry of the connection's database, or null. */
  static SystemRegistry of(Connection connection) throws SQLException {
    if (!connection.isWrapperFor(JdbcConnection.class)) {
      return null;
    }
    Database database = database(connection);
    synchronized (BY_DATABASE) {
      return BY_DATABASE.get(database);
    }
  }

  private static Database database(Connection connection) throws SQLException {
    JdbcConnection h2 = connection.unwrap(JdbcConnection.class);
    return ((SessionLocal) h2.getSession()).getDatabase();
  }

  SystemView view(String name) {
    return views.get(name);
  }

  SystemFunction function(String name) {
    return functions.get(name);
  }

  /**
   * The declared type of a result column, which says more than H2's: of a view's or table
   * function's column, or of a scalar function (which names its column after itself).
   */
  PgType columnType(String schema, String relation, String column) {
    if (SystemCatalog.SCHEMA.equals(schema) && views.containsKey(relation)) {
      return typeOf(views.get(relation).columns(), column);
    }
    SystemFunction function = functions.get(relation.isEmpty() ? column : relation);
    if (function == null || function.scalar() != relation.isEmpty()) {
      return null;
    }
    return typeOf(
        function.columns(), function.scalar() ? function.columns().get(0).name() : column);
  }

  /**
   * The type a table column's domain stands for, or null.
   *
   * @param name as answers show it
   * @param oid the built-in type of the values, 0 for that of H2's type
   */
  record DomainType(String name, int oid) {}

  static DomainType domainOf(Connection connection, String schema, String table, String column)
      throws SQLException {
    if (table.isEmpty() || !connection.isWrapperFor(JdbcConnection.class)) {
      return null;
    }
    SessionLocal session = (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    Schema found = session.getDatabase().findSchema(schema);
    Table relation = found == null ? null : found.findTableOrView(session, table);
    Column definition = relation == null ? null : relation.findColumn(column);
    Domain domain = definition == null ? null : definition.getDomain();
    if (domain == null) {
      return null;
    }
    H2TypeNames.Declared declared = valueType(domain);
    int oid = declared == null ? 0 : declared.oid();
    return SystemCatalog.SCHEMA.equals(domain.getSchema().getName())
        ? new DomainType(PgType.byOid(oid).name(), oid)
        : new DomainType(domain.getName(), oid);
  }

  /** The type of ours that a domain is made from, text for an enum; null when H2's type tells. */
  static H2TypeNames.Declared valueType(Domain domain) {
    for (Domain each = domain; each != null; each = each.getDomain()) {
      if (SystemCatalog.SCHEMA.equals(each.getSchema().getName())) {
        return each.getName().equals(SystemCatalog.ENUM)
            ? new H2TypeNames.Declared(PgType.TEXT, TypeModifier.NONE)
            : H2ColumnType.ofDomain(each.getName());
      }
    }
    return null;
  }

  private static PgType typeOf(List<ResultColumn> columns, String name) {
    for (ResultColumn column : columns) {
      if (column.name().equals(name)) {
        return PgType.byName(column.type());
      }
    }
    return null;
  }
}
