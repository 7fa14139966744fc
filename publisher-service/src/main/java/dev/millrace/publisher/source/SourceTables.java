package dev.millrace.publisher.source;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Table definitions as the source's catalogue has them now, which may be later than what the stream
 * tells. Definitions come with version 0. One thread.
 */
final class SourceTables {

  private static final String TABLE =
      "SELECT n.oid, n.nspname, c.relname, c.relreplident FROM pg_catalog.pg_class c"
          + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ?";

  private static final String COLUMNS =
      "SELECT attnum, attname, atttypid, atttypmod, attnotnull, attidentity, attgenerated"
          + " FROM pg_catalog.pg_attribute WHERE attrelid = ? AND attnum > 0 AND NOT attisdropped"
          + " ORDER BY attnum";

  private static final String INDEXES =
      "SELECT i.indexrelid, c.relname, i.indisunique, i.indisprimary, i.indisreplident,"
          + " i.indkey::text, i.indnkeyatts FROM pg_catalog.pg_index i"
          + " JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid"
          + " WHERE i.indrelid = ? AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL"
          + " ORDER BY i.indexrelid";

  private final Connection connection;

  SourceTables(Connection connection) {
    this.connection = connection;
  }

  /** A table of the source with its schema's OID. */
  record Table(RelationDefinition definition, int schemaOid) {}

  /**
   * The tables of a publication with their published columns, by name.
   *
   * @param publication its name
   */
  List<Table> published(String publication) throws SQLException {
    List<Table> tables = new ArrayList<>();
    String sql =
        "SELECT c.oid, p.attnames FROM pg_catalog.pg_publication_tables p"
            + " JOIN pg_catalog.pg_namespace n ON n.nspname = p.schemaname"
            + " JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = p.tablename"
            + " WHERE p.pubname = ? ORDER BY p.schemaname, p.tablename";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, publication);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Array names = rows.getArray(2);
          Table table = find((int) rows.getLong(1));
          if (table != null && names != null) {
            tables.add(only(table, Set.copyOf(Arrays.asList((String[]) names.getArray()))));
          }
        }
      }
    }
    return tables;
  }

  private static Table only(Table table, Set<String> names) {
    RelationDefinition all = table.definition;
    return new Table(
        new RelationDefinition(
            all.oid(),
            all.version(),
            all.name(),
            all.columns().stream().filter(column -> names.contains(column.name())).toList(),
            all.indexes(),
            all.replicaIdentity(),
            all.identityIndexOid()),
        table.schemaOid);
  }

  /** The table of that OID with all its columns; null when it is gone. */
  Table find(int oid) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TABLE)) {
      statement.setLong(1, Integer.toUnsignedLong(oid));
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        return table(
            oid,
            (int) row.getLong(1),
            new QualifiedName(row.getString(2), row.getString(3)),
            ReplicaIdentity.of(row.getString(4).charAt(0)));
      }
    }
  }

  private Table table(int oid, int schemaOid, QualifiedName name, ReplicaIdentity identity)
      throws SQLException {
    List<IndexDefinition> indexes = new ArrayList<>();
    int identityIndex = 0;
    try (PreparedStatement statement = connection.prepareStatement(INDEXES)) {
      statement.setLong(1, Integer.toUnsignedLong(oid));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          IndexDefinition index = index(row);
          indexes.add(index);
          if (row.getBoolean(5) && identity == ReplicaIdentity.INDEX) {
            identityIndex = index.oid();
          }
        }
      }
    }
    return new Table(
        new RelationDefinition(oid, 0, name, columns(oid), indexes, identity, identityIndex),
        schemaOid);
  }

  private static IndexDefinition index(ResultSet row) throws SQLException {
    List<Integer> attnums = new ArrayList<>();
    for (String attnum : row.getString(6).split(" ")) {
      if (attnums.size() < row.getInt(7)) {
        attnums.add(Integer.valueOf(attnum));
      }
    }
    return new IndexDefinition(
        (int) row.getLong(1), row.getString(2), row.getBoolean(3), row.getBoolean(4), attnums);
  }

  private List<ColumnDefinition> columns(int oid) throws SQLException {
    TreeMap<Integer, ColumnDefinition> columns = new TreeMap<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setLong(1, Integer.toUnsignedLong(oid));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          columns.put(
              row.getInt(1),
              new ColumnDefinition(
                  row.getInt(1),
                  row.getString(2),
                  (int) row.getLong(3),
                  row.getInt(4),
                  row.getBoolean(5),
                  letter(row.getString(6)),
                  letter(row.getString(7))));
        }
      }
    }
    return List.copyOf(columns.values());
  }

  private static char letter(String value) {
    return value == null || value.isEmpty() ? 0 : value.charAt(0);
  }
}
