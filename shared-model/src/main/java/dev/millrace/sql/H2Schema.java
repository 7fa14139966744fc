package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import java.sql.Connection;
import java.util.List;
import java.util.function.Function;

/**
 * Reads table definitions out of H2's INFORMATION_SCHEMA with PostgreSQL's type OIDs and typmods.
 */
public final class H2Schema {

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
      java.util.function.IntSupplier nextOid) {
    throw new UnsupportedOperationException("types");
  }

  /**
   * The user tables of the database, without the schemas {@code millrace}, {@code
   * pg_catalog_millrace} and H2's own.
   */
  public static List<QualifiedName> tables(Connection connection) {
    throw new UnsupportedOperationException("types");
  }
}
