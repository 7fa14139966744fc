package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.RowFilterText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

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

  public PublicationDefinition withName(String newName) {
    return new PublicationDefinition(
        oid,
        newName,
        owner,
        allTables,
        insert,
        update,
        delete,
        truncate,
        viaRoot,
        generatedColumns,
        tables,
        schemas);
  }

  public PublicationDefinition withOwner(int newOwner) {
    return new PublicationDefinition(
        oid,
        name,
        newOwner,
        allTables,
        insert,
        update,
        delete,
        truncate,
        viaRoot,
        generatedColumns,
        tables,
        schemas);
  }

  public PublicationDefinition withMembers(List<Member> newTables, List<SchemaMember> newSchemas) {
    return new PublicationDefinition(
        oid,
        name,
        owner,
        allTables,
        insert,
        update,
        delete,
        truncate,
        viaRoot,
        generatedColumns,
        newTables,
        newSchemas);
  }

  /** The entry of a table that the publication lists, or null. */
  public Member member(int relationOid) {
    for (Member member : tables) {
      if (member.relationOid() == relationOid) {
        return member;
      }
    }
    return null;
  }

  PublicationDefinition withoutTables(IntPredicate gone) {
    return withMembers(
        tables.stream().filter(member -> !gone.test(member.relationOid())).toList(), schemas);
  }

  /** Without the table if filter or list name a column that this version of it has not. */
  PublicationDefinition withoutMissingColumns(RelationDefinition relation) {
    Member member = member(relation.oid());
    if (member == null || member.rowFilter() == null && member.columns() == null) {
      return this;
    }
    Set<Integer> missing = member.attnums();
    relation.columns().forEach(column -> missing.remove(column.attnum()));
    return missing.isEmpty() ? this : withoutTables(oid -> oid == relation.oid());
  }

  PublicationDefinition withoutSchemas(IntPredicate gone) {
    return withMembers(
        tables, schemas.stream().filter(member -> !gone.test(member.schemaOid())).toList());
  }

  /**
   * A table of the publication (pg_publication_rel).
   *
   * @param oid the row's own OID
   * @param rowFilter as {@link dev.millrace.sql.RowFilterText} keeps it, null without one
   * @param columns attribute numbers of the column list in ascending order, null without one
   */
  public record Member(int oid, int relationOid, String rowFilter, List<Integer> columns) {
    public Member {
      columns = columns == null ? null : List.copyOf(columns);
    }

    /** The attribute numbers of all columns that column list and row filter name. */
    public Set<Integer> attnums() {
      Set<Integer> attnums = new HashSet<>();
      if (columns != null) {
        attnums.addAll(columns);
      }
      if (rowFilter != null) {
        attnums.addAll(RowFilterText.attnums(rowFilter));
      }
      return attnums;
    }
  }

  /** A schema of the publication (pg_publication_namespace). */
  public record SchemaMember(int oid, int schemaOid) {}
}
