package dev.millrace.publisher.source;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The publication that is read on the source. It is the source's owner who decides what is
 * published there: it is made here only when the settings say so and list its tables, and never FOR
 * ALL TABLES, which would make UPDATE and DELETE fail on every table without a replica identity.
 */
final class SourcePublication {

  private static final Logger LOG = LoggerFactory.getLogger(SourcePublication.class);

  private final SourceProperties properties;

  SourcePublication(SourceProperties properties) {
    this.properties = properties;
  }

  /**
   * Returns when the publication is there.
   *
   * @throws SourceProblem when it is not, or the server does not decode
   */
  void require(Connection queries) throws SQLException {
    String walLevel = SourceServer.query(queries, "SHOW wal_level").get(0).get(0);
    if (!walLevel.equals("logical")) {
      throw misconfigured("the source has \"wal_level\" " + walLevel, "Set it to logical there.");
    }
    if (!exists(queries)) {
      create(queries);
    }
    List<String> without = tablesWithoutIdentity(queries);
    if (!without.isEmpty()) {
      LOG.warn(
          "publication \"{}\" of the source has tables without replica identity, whose rows cannot"
              + " be updated or deleted there: {}",
          properties.publication(),
          String.join(", ", without));
    }
  }

  private boolean exists(Connection queries) throws SQLException {
    return !SourceServer.query(
            queries,
            "SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = "
                + Identifiers.literal(properties.publication()))
        .isEmpty();
  }

  private void create(Connection queries) throws SQLException {
    if (!properties.createPublication()) {
      throw misconfigured(
          "publication \"" + properties.publication() + "\" does not exist on the source",
          "Create it there, or set millrace.source.create-publication and list its tables in"
              + " millrace.source.tables.");
    }
    if (properties.tables().isEmpty()) {
      throw misconfigured(
          "millrace.source.create-publication is set, but millrace.source.tables is empty",
          "List the tables to publish.");
    }
    int version = queries.getMetaData().getDatabaseMajorVersion();
    String sql =
        "CREATE PUBLICATION "
            + Identifiers.alwaysQuote(properties.publication())
            + " FOR TABLE "
            + String.join(", ", SourceTableNames.quoted(properties.tables()))
            + (version >= 18 ? " WITH (publish_generated_columns = stored)" : "");
    try (Statement statement = queries.createStatement()) {
      statement.execute(sql);
    }
    LOG.info(
        "created publication \"{}\" on the source for {}",
        properties.publication(),
        properties.tables());
  }

  private static SourceProblem misconfigured(String message, String hint) {
    return new SourceProblem(
        SourceState.MISCONFIGURED,
        new PgException(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, message).withHint(hint));
  }

  /** Tables that publish updates or deletes and have nothing to find their rows by. */
  List<String> tablesWithoutIdentity(Connection queries) throws SQLException {
    return SourceServer.query(
            queries,
            "SELECT pg_catalog.format('%I.%I', p.schemaname, p.tablename)"
                + " FROM pg_catalog.pg_publication_tables p"
                + " JOIN pg_catalog.pg_publication b ON b.pubname = p.pubname"
                + " JOIN pg_catalog.pg_namespace n ON n.nspname = p.schemaname"
                + " JOIN pg_catalog.pg_class c"
                + " ON c.relnamespace = n.oid AND c.relname = p.tablename"
                + " WHERE (b.pubupdate OR b.pubdelete) AND p.pubname = "
                + Identifiers.literal(properties.publication())
                + " AND (c.relreplident = 'n' OR c.relreplident IN ('d', 'i') AND NOT EXISTS ("
                + "SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND CASE"
                + " c.relreplident WHEN 'd' THEN i.indisprimary ELSE i.indisreplident END))"
                + " ORDER BY 1")
        .stream()
        .map(row -> row.get(0))
        .toList();
  }
}
