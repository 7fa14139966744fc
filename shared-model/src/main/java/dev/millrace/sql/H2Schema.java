package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeDefinition;
import dev.millrace.model.TypeModifier;
import dev.millrace.model.UserTypes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Reads table definitions out of H2's INFORMATION_SCHEMA with PostgreSQL's type OIDs and typmods.
 *
 * <p>Constraints of PostgreSQL own an index of their name; H2 gives the index a name of its own, so
 * the constraint's is shown. Indexes that H2 makes for foreign keys do not exist in PostgreSQL and
 * are left out.
 */
public final class H2Schema {

  /** What the comment of a virtual generated column begins with; H2 stores all of them. */
  static final String VIRTUAL = "generated virtual";

  private static final String COLUMNS =
      "SELECT COLUMN_NAME, DATA_TYPE, DOMAIN_SCHEMA, DOMAIN_NAME, CHARACTER_MAXIMUM_LENGTH,"
          + " NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, IS_NULLABLE,"
          + " IDENTITY_GENERATION, IS_GENERATED, IS_VISIBLE, REMARKS FROM INFORMATION_SCHEMA.COLUMNS"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";

  /** A constraint's columns, or those of an index that somebody created as such. */
  private static final String INDEXES =
      "SELECT C.CONSTRAINT_NAME, C.CONSTRAINT_TYPE = 'PRIMARY KEY', TRUE, K.COLUMN_NAME,"
          + " K.ORDINAL_POSITION FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS C"
          + " JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE K"
          + " ON K.CONSTRAINT_SCHEMA = C.CONSTRAINT_SCHEMA"
          + " AND K.CONSTRAINT_NAME = C.CONSTRAINT_NAME"
          + " WHERE C.TABLE_SCHEMA = ?1 AND C.TABLE_NAME = ?2 AND K.TABLE_NAME = ?2"
          + " AND C.CONSTRAINT_TYPE IN ('PRIMARY KEY', 'UNIQUE')"
          + " UNION ALL SELECT I.INDEX_NAME, FALSE, I.INDEX_TYPE_NAME LIKE 'UNIQUE%',"
          + " K.COLUMN_NAME, K.ORDINAL_POSITION FROM INFORMATION_SCHEMA.INDEXES I"
          + " JOIN INFORMATION_SCHEMA.INDEX_COLUMNS K ON K.INDEX_SCHEMA = I.INDEX_SCHEMA"
          + " AND K.INDEX_NAME = I.INDEX_NAME"
          + " WHERE I.TABLE_SCHEMA = ?1 AND I.TABLE_NAME = ?2 AND NOT I.IS_GENERATED"
          + " AND K.TABLE_NAME = ?2 ORDER BY 5";

  private static final String TABLES =
      "SELECT TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.TABLES"
          + " WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA NOT IN ('millrace', '"
          + SystemCatalog.SCHEMA
          + "', '"
          + AlterRehearsal.SCHEMA
          + "', 'information_schema', 'pg_catalog') ORDER BY 1, 2";

  private H2Schema() {}

  /**
   * The definition of a table, or null when there is none.
   *
   * @param previous the version before, whose attnums, OIDs and replica identity live on by name (a
   *     renamed column or index keeps its number when {@code renamed} maps its old name to the new
   *     one); null for a new table
   * @param nextOid gives OIDs for the table and its new indexes
   */
  public static RelationDefinition read(
      Connection connection,
      QualifiedName table,
      RelationDefinition previous,
      Function<String, String> renamed,
      IntSupplier nextOid) {
    return read(connection, table, previous, renamed, UserTypes.NONE, nextOid);
  }

  /**
   * As {@link #read(Connection, QualifiedName, RelationDefinition, Function, IntSupplier)} for a
   * database with types of its own.
   */
  public static RelationDefinition read(
      Connection connection,
      QualifiedName table,
      RelationDefinition previous,
      Function<String, String> renamed,
      UserTypes types,
      IntSupplier nextOid) {
    try {
      List<ColumnDefinition> columns =
          columns(connection, table, attnums(previous, renamed), types);
      if (columns == null) {
        return null;
      }
      int oid = previous == null ? nextOid.getAsInt() : previous.oid();
      Map<String, Integer> known = indexOids(previous, renamed);
      return new RelationDefinition(
          oid,
          previous == null ? 1 : previous.version() + 1,
          table,
          columns,
          indexes(connection, table, columns, known, nextOid),
          previous == null ? ReplicaIdentity.DEFAULT : previous.replicaIdentity(),
          previous == null ? 0 : previous.identityIndexOid());
    } catch (SQLException error) {
      throw H2Errors.translate(error);
    }
  }

  /**
   * The user tables of the database, without the schemas {@code millrace}, {@code
   * pg_catalog_millrace} and H2's own; ordered by schema and name.
   */
  public static List<QualifiedName> tables(Connection connection) {
    try (PreparedStatement statement = connection.prepareStatement(TABLES);
        ResultSet rows = statement.executeQuery()) {
      List<QualifiedName> tables = new ArrayList<>();
      while (rows.next()) {
        tables.add(new QualifiedName(rows.getString(1), rows.getString(2)));
      }
      return tables;
    } catch (SQLException error) {
      throw H2Errors.translate(error);
    }
  }

  private static Map<String, Integer> attnums(
      RelationDefinition previous, Function<String, String> renamed) {
    Map<String, Integer> attnums = new HashMap<>();
    if (previous != null) {
      previous
          .columns()
          .forEach(column -> attnums.put(current(column.name(), renamed), column.attnum()));
    }
    return attnums;
  }

  private static Map<String, Integer> indexOids(
      RelationDefinition previous, Function<String, String> renamed) {
    Map<String, Integer> oids = new HashMap<>();
    if (previous != null) {
      previous.indexes().forEach(index -> oids.put(current(index.name(), renamed), index.oid()));
    }
    return oids;
  }

  private static String current(String oldName, Function<String, String> renamed) {
    String newName = renamed.apply(oldName);
    return newName == null ? oldName : newName;
  }

  /** Null when there is no such table. */
  private static List<ColumnDefinition> columns(
      Connection connection, QualifiedName table, Map<String, Integer> known, UserTypes types)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        List<ColumnDefinition> columns = new ArrayList<>();
        int lastAttnum = known.values().stream().max(Comparator.naturalOrder()).orElse(0);
        boolean found = false;
        while (rows.next()) {
          found = true;
          if (rows.getBoolean("IS_VISIBLE")) {
            Integer attnum = known.get(rows.getString("COLUMN_NAME"));
            columns.add(column(rows, attnum == null ? ++lastAttnum : attnum, types));
          }
        }
        columns.sort(Comparator.comparingInt(ColumnDefinition::attnum));
        return found ? columns : null;
      }
    }
  }

  private static ColumnDefinition column(ResultSet row, int attnum, UserTypes types)
      throws SQLException {
    TypeDefinition user = userType(row, types);
    H2TypeNames.Declared type =
        user == null
            ? H2ColumnType.of(row)
            : new H2TypeNames.Declared(user.oid(), TypeModifier.NONE);
    String identity = row.getString("IDENTITY_GENERATION");
    return new ColumnDefinition(
        attnum,
        row.getString("COLUMN_NAME"),
        type.oid(),
        type.typeModifier(),
        "NO".equals(row.getString("IS_NULLABLE")),
        identity == null ? 0 : identity.equals("ALWAYS") ? 'a' : 'd',
        generated(row),
        user == null ? null : user.use());
  }

  private static char generated(ResultSet row) throws SQLException {
    String comment = row.getString("REMARKS");
    boolean virtual = comment != null && comment.startsWith(VIRTUAL);
    return !"ALWAYS".equals(row.getString("IS_GENERATED")) ? 0 : virtual ? 'v' : 's';
  }

  private static TypeDefinition userType(ResultSet row, UserTypes types) throws SQLException {
    String domain = row.getString("DOMAIN_NAME");
    String schema = row.getString("DOMAIN_SCHEMA");
    return domain == null || SystemCatalog.SCHEMA.equals(schema)
        ? null
        : types.find(new QualifiedName(schema, domain));
  }

  private static List<IndexDefinition> indexes(
      Connection connection,
      QualifiedName table,
      List<ColumnDefinition> columns,
      Map<String, Integer> known,
      IntSupplier nextOid)
      throws SQLException {
    Map<String, IndexDefinition> indexes = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(INDEXES)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          addColumn(indexes, rows, attnum(columns, rows.getString(4)), known);
        }
      }
    }
    List<IndexDefinition> sorted = new ArrayList<>(indexes.values());
    sorted.sort(
        Comparator.comparing(IndexDefinition::primary)
            .reversed()
            .thenComparing(IndexDefinition::name));
    sorted.replaceAll(index -> index.oid() != 0 ? index : withOid(index, nextOid.getAsInt()));
    return sorted;
  }

  private static void addColumn(
      Map<String, IndexDefinition> indexes, ResultSet row, int attnum, Map<String, Integer> known)
      throws SQLException {
    String name = row.getString(1);
    IndexDefinition before = indexes.get(name);
    List<Integer> attnums = new ArrayList<>(before == null ? List.of() : before.attnums());
    attnums.add(attnum);
    indexes.put(
        name,
        new IndexDefinition(
            known.getOrDefault(name, 0), name, row.getBoolean(3), row.getBoolean(2), attnums));
  }

  private static IndexDefinition withOid(IndexDefinition index, int oid) {
    return new IndexDefinition(oid, index.name(), index.unique(), index.primary(), index.attnums());
  }

  private static int attnum(List<ColumnDefinition> columns, String name) {
    for (ColumnDefinition column : columns) {
      if (column.name().equals(name)) {
        return column.attnum();
      }
    }
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED,
        "an index on invisible column \"" + name + "\" is not supported");
  }
}
