package dev.millrace.publisher.source;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.database.PublisherNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A read-only transaction on the source that sees one snapshot. One thread. */
final class SourceSnapshot implements PublisherNode.PinnedSnapshot {

  /** By way of JSON, since servers before 15 have no row filters. */
  private static final String TABLE =
      "SELECT c.relkind = 'p', (SELECT pg_catalog.to_jsonb(p) ->> 'rowfilter'"
          + " FROM pg_catalog.pg_publication_tables p WHERE p.pubname = ?"
          + " AND p.schemaname = ? AND p.tablename = ?)"
          + " FROM pg_catalog.pg_class c WHERE c.oid = ?::pg_catalog.regclass";

  private final Connection connection;
  private final String publication;

  /**
   * @param publication the one whose changes arrive here
   */
  SourceSnapshot(Connection connection, String publication) {
    this.connection = connection;
    this.publication = publication;
  }

  /**
   * The rows whose changes arrive: those that pass the publication's row filter, without those of
   * inheriting tables; a partitioned table has the rows of its partitions.
   */
  @Override
  public String publishedRows(QualifiedName table) {
    String name = Identifiers.alwaysQuote(table);
    try (PreparedStatement statement = connection.prepareStatement(TABLE)) {
      statement.setString(1, publication);
      statement.setString(2, table.schema());
      statement.setString(3, table.name());
      statement.setString(4, name);
      try (ResultSet found = statement.executeQuery()) {
        boolean partitioned = found.next() && found.getBoolean(1);
        String rows = partitioned ? name : "ONLY " + name;
        String filter = found.getString(2);
        return filter == null
            ? rows
            : "(SELECT * FROM "
                + rows
                + " WHERE "
                + filter
                + ") AS "
                + Identifiers.alwaysQuote(table.name());
      }
    } catch (SQLException e) {
      throw SourceServer.translate(e);
    }
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public boolean isForeign() {
    return true;
  }

  /** DDL on the source waits for its readers by itself and names their connection. */
  @Override
  public void describe(String holder) {}

  @Override
  public void close() {
    PgSourceStream.close(connection);
  }
}
