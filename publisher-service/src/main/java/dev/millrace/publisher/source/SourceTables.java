package dev.millrace.publisher.source;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.Lsn;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.UserType;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Table definitions as the source's catalogue has them now, which may be later than what the stream
 * tells. Definitions come with version 0. One thread.
 */
final class SourceTables {

  /** The prefix of messages that this publisher leaves in the source's log; they go no further. */
  static final String MARK = "millrace";

  private static final String PUBLISHED =
      "SELECT c.oid, p.attnames FROM pg_catalog.pg_publication_tables p"
          + " JOIN pg_catalog.pg_namespace n ON n.nspname = p.schemaname"
          + " JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = p.tablename"
          + " WHERE p.pubname = ? ORDER BY p.schemaname, p.tablename";

  private static final String TABLES =
      "SELECT c.oid, n.oid, n.nspname, c.relname, c.relreplident FROM pg_catalog.pg_class c"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY (?)";

  private static final String COLUMNS =
      "SELECT attrelid, attnum, attname, atttypid, atttypmod, attnotnull, attidentity,"
          + " attgenerated FROM pg_catalog.pg_attribute"
          + " WHERE attrelid = ANY (?) AND attnum > 0 AND NOT attisdropped"
          + " ORDER BY attrelid, attnum";

  private static final String INDEXES =
      "SELECT i.indrelid, i.indexrelid, c.relname, i.indisunique, i.indisprimary,"
          + " i.indisreplident, i.indkey::text, i.indnkeyatts FROM pg_catalog.pg_index i"
          + " JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid"
          + " WHERE i.indrelid = ANY (?) AND i.indisvalid AND i.indpred IS NULL"
          + " AND i.indexprs IS NULL ORDER BY i.indrelid, i.indexrelid";

  /** Types from here on are announced by Type messages. */
  static final int FIRST_ANNOUNCED_TYPE = 10_000;

  private static final String TYPES =
      "WITH RECURSIVE base (oid, bottom, modifier) AS ("
          + "SELECT t.oid, t.oid, -1 FROM pg_catalog.pg_type t WHERE t.oid = ANY (?)"
          + " UNION ALL SELECT base.oid, t.typbasetype, t.typtypmod FROM base"
          + " JOIN pg_catalog.pg_type t ON t.oid = base.bottom WHERE t.typtype = 'd')"
          + " SELECT base.oid, pg_catalog.format_type(base.oid, NULL), n.nspname, t.typname,"
          + " CASE t.typtype WHEN 'e' THEN 'pg_catalog.text'::pg_catalog.regtype ELSE t.oid END,"
          + " base.modifier FROM base JOIN pg_catalog.pg_type t ON t.oid = base.bottom"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype <> 'd'";

  private final Connection connection;

  SourceTables(Connection connection) {
    this.connection = connection;
  }

  /** A table of the source with its schema's OID. */
  record Table(RelationDefinition definition, int schemaOid) {}

  /** The tables of that publication with their published columns, by name. */
  List<Table> published(String publication) throws SQLException {
    Map<Integer, Set<String>> columns = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(PUBLISHED)) {
      statement.setString(1, publication);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          Array names = row.getArray(2);
          columns.put(
              oid(row, 1),
              names == null ? Set.of() : Set.copyOf(Arrays.asList((String[]) names.getArray())));
        }
      }
    }
    Map<Integer, Table> found = find(columns.keySet());
    List<Table> tables = new ArrayList<>();
    columns.forEach(
        (oid, names) -> {
          if (found.containsKey(oid)) {
            tables.add(only(found.get(oid), names));
          }
        });
    return tables;
  }

  private static Table only(Table table, Set<String> names) {
    RelationDefinition all = table.definition;
    List<ColumnDefinition> columns =
        all.columns().stream().filter(column -> names.contains(column.name())).toList();
    return new Table(
        new RelationDefinition(
            all.oid(),
            all.version(),
            all.name(),
            columns,
            all.indexes(),
            all.replicaIdentity(),
            all.identityIndexOid()),
        table.schemaOid);
  }

  /** The table of that OID with all its columns; null when it is gone. */
  Table find(int oid) throws SQLException {
    return find(List.of(oid)).get(oid);
  }

  /** By OID, those that are there, with all their columns. */
  Map<Integer, Table> find(Collection<Integer> oids) throws SQLException {
    Map<Integer, List<ColumnDefinition>> columns = columns(oids);
    addUserTypes(columns);
    Map<Integer, List<IndexDefinition>> indexes = new HashMap<>();
    Map<Integer, Integer> identities = indexes(oids, indexes);
    Map<Integer, Table> tables = new HashMap<>();
    try (PreparedStatement statement = prepare(TABLES, oids);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        int oid = oid(row, 1);
        ReplicaIdentity identity = ReplicaIdentity.of(row.getString(5).charAt(0));
        RelationDefinition definition =
            new RelationDefinition(
                oid,
                0,
                new QualifiedName(row.getString(3), row.getString(4)),
                columns.getOrDefault(oid, List.of()),
                indexes.getOrDefault(oid, List.of()),
                identity,
                identity == ReplicaIdentity.INDEX ? identities.getOrDefault(oid, 0) : 0);
        tables.put(oid, new Table(definition, oid(row, 2)));
      }
    }
    return tables;
  }

  /**
   * The position behind everything that definitions looked up before may show. A message is left
   * behind it, so that the stream passes it also when nothing else is written.
   */
  long position() throws SQLException {
    String lsn =
        SourceServer.query(connection, "SELECT pg_catalog.pg_current_wal_insert_lsn()")
            .get(0)
            .get(0);
    SourceServer.query(
        connection, "SELECT pg_catalog.pg_logical_emit_message(true, '" + MARK + "', '')");
    return Lsn.parse(lsn).value();
  }

  private PreparedStatement prepare(String sql, Collection<Integer> oids) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    Object[] numbers = oids.stream().map(Integer::toUnsignedLong).toArray();
    statement.setArray(1, connection.createArrayOf("oid", numbers));
    return statement;
  }

  private static int oid(ResultSet row, int column) throws SQLException {
    return (int) row.getLong(column);
  }

  /** Fills {@code indexes} by table; returns the identity's index by table. */
  private Map<Integer, Integer> indexes(
      Collection<Integer> oids, Map<Integer, List<IndexDefinition>> indexes) throws SQLException {
    Map<Integer, Integer> identities = new HashMap<>();
    try (PreparedStatement statement = prepare(INDEXES, oids);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        int table = oid(row, 1);
        int oid = oid(row, 2);
        List<Integer> attnums = new ArrayList<>();
        for (String attnum : row.getString(7).split(" ")) {
          if (attnums.size() < row.getInt(8)) {
            attnums.add(Integer.valueOf(attnum));
          }
        }
        indexes
            .computeIfAbsent(table, key -> new ArrayList<>())
            .add(
                new IndexDefinition(
                    oid, row.getString(3), row.getBoolean(4), row.getBoolean(5), attnums));
        if (row.getBoolean(6)) {
          identities.put(table, oid);
        }
      }
    }
    return identities;
  }

  private Map<Integer, List<ColumnDefinition>> columns(Collection<Integer> oids)
      throws SQLException {
    Map<Integer, List<ColumnDefinition>> columns = new HashMap<>();
    try (PreparedStatement statement = prepare(COLUMNS, oids);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        columns
            .computeIfAbsent(oid(row, 1), key -> new ArrayList<>())
            .add(
                new ColumnDefinition(
                    row.getInt(2),
                    row.getString(3),
                    oid(row, 4),
                    row.getInt(5),
                    row.getBoolean(6),
                    letter(row.getString(7)),
                    letter(row.getString(8))));
      }
    }
    return columns;
  }

  private void addUserTypes(Map<Integer, List<ColumnDefinition>> columns) throws SQLException {
    Set<Integer> oids = new HashSet<>();
    columns
        .values()
        .forEach(
            table ->
                table.stream()
                    .map(ColumnDefinition::typeOid)
                    .filter(oid -> Integer.compareUnsigned(oid, FIRST_ANNOUNCED_TYPE) >= 0)
                    .forEach(oids::add));
    if (oids.isEmpty()) {
      return;
    }
    Map<Integer, UserType> types = new HashMap<>();
    try (PreparedStatement statement = prepare(TYPES, oids);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        types.put(
            oid(row, 1),
            new UserType(
                row.getString(2),
                new QualifiedName(row.getString(3), row.getString(4)),
                oid(row, 5),
                row.getInt(6)));
      }
    }
    columns
        .values()
        .forEach(table -> table.replaceAll(column -> of(column, types.get(column.typeOid()))));
  }

  static ColumnDefinition of(ColumnDefinition column, UserType type) {
    return new ColumnDefinition(
        column.attnum(),
        column.name(),
        column.typeOid(),
        column.typeModifier(),
        column.notNull(),
        column.identity(),
        column.generated(),
        type);
  }

  private static char letter(String value) {
    return value == null || value.isEmpty() ? 0 : value.charAt(0);
  }
}
