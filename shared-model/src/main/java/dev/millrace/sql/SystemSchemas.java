package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import java.util.Set;

/** The schemas that belong to the node itself: nobody's SQL may change what is in them. */
final class SystemSchemas {

  private static final Set<String> NAMES =
      Set.of("millrace", SystemCatalog.SCHEMA, "pg_catalog", "information_schema");

  private SystemSchemas() {}

  /** Refuses (42501) to write to or define something in a system schema. */
  static void checkWritable(QualifiedName name) {
    if (NAMES.contains(name.schema())) {
      throw denied(name.schema());
    }
  }

  /** Refuses to create, alter or drop a schema of that name. */
  static void checkSchemaName(String schema) {
    if (NAMES.contains(schema) && !schema.startsWith("pg_")) {
      throw denied(schema);
    }
    if (schema.startsWith("pg_")) {
      throw new PgException(SqlState.RESERVED_NAME, "unacceptable schema name \"" + schema + "\"")
          .withDetail("The prefix \"pg_\" is reserved for system schemas.");
    }
  }

  private static PgException denied(String schema) {
    return new PgException(
        SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + schema);
  }
}
