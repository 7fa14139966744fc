package dev.millrace.sql;

import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import java.util.Collection;
import java.util.Map;

/**
 * What the catalogue views of tables are made from: the definitions as one statement sees them.
 *
 * @param relations in any order
 * @param types enums and domains, in any order
 * @param schemas names by OID, of user schemas
 */
public record RelationSource(
    Iterable<RelationDefinition> relations,
    Collection<TypeDefinition> types,
    Map<Integer, String> schemas,
    int databaseOid,
    String databaseName) {

  /** OIDs that PostgreSQL's own schemas have in every database. */
  static final Map<Integer, String> SYSTEM_SCHEMAS = Map.of(11, "pg_catalog");

  /** The OID of a schema, 0 for one that is not known. */
  long schemaOid(String name) {
    for (Map.Entry<Integer, String> schema : schemas.entrySet()) {
      if (schema.getValue().equals(name)) {
        return Integer.toUnsignedLong(schema.getKey());
      }
    }
    return 0;
  }
}
