package dev.millrace.publisher.catalog;

import java.util.List;

/**
 * One definition of a publication (pg_publication with its tables and schemas). Immutable.
 *
 * @param owner role OID (pg_publication.pubowner)
 * @param generatedColumns {@code 'n'} none, {@code 's'} stored (pubgencols)
 */
public record PublicationDefinition(
    int oid,
    String name,
    int owner,
    boolean allTables,
    boolean insert,
    boolean update,
    boolean delete,
    boolean truncate,
    boolean viaRoot,
    char generatedColumns,
    List<Member> tables,
    List<SchemaMember> schemas) {

  public PublicationDefinition {
    tables = List.copyOf(tables);
    schemas = List.copyOf(schemas);
  }

  /**
   * A table of the publication (pg_publication_rel).
   *
   * @param oid the row's own OID
   * @param rowFilter null without one
   * @param columns attribute numbers of the column list, null without one
   */
  public record Member(int oid, int relationOid, String rowFilter, List<Integer> columns) {}

  /** A schema of the publication (pg_publication_namespace). */
  public record SchemaMember(int oid, int schemaOid) {}
}
