package dev.millrace.publisher.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.PublicationDefinition.Member;
import dev.millrace.publisher.catalog.PublicationDefinition.SchemaMember;
import dev.millrace.publisher.filter.FilterSession;
import dev.millrace.sql.ParsedStatement.PublicationObjects;
import dev.millrace.sql.ParsedStatement.PublicationTable;
import dev.millrace.sql.RowFilterText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * The tables and schemas that a publication command names, found in the catalogue as the command
 * sees it, in the order written and each once.
 */
final class PublicationMembers {

  private static final Set<String> SYSTEM_SCHEMAS = Set.of("pg_catalog", "information_schema");

  private final CatalogSnapshot catalog;
  private final IntSupplier nextOid;
  private final Map<RelationDefinition, TableDetails> tables = new LinkedHashMap<>();
  private final Set<SchemaDefinition> schemas = new LinkedHashSet<>();

  /** What a command says of a table beside its name; null for what it leaves out. */
  private record TableDetails(String rowFilter, List<Integer> columns) {}

  /**
   * @throws PgException 42P01 and 3F000 for what does not exist, 22023 for system objects, 42710
   *     for a table given twice with details, and what {@link ColumnList}, {@link RowFilterText}
   *     and {@link FilterSession} find
   */
  PublicationMembers(CatalogSnapshot catalog, PublicationObjects objects, IntSupplier nextOid) {
    this.catalog = catalog;
    this.nextOid = nextOid;
    objects.tables().forEach(this::addTable);
    objects.schemas().forEach(schema -> schemas.add(find(schema)));
  }

  /** Null for a command without objects. */
  static PublicationObjects orNone(PublicationObjects objects) {
    return objects == null ? new PublicationObjects(List.of(), List.of()) : objects;
  }

  private void addTable(PublicationTable wanted) {
    RelationDefinition relation = find(wanted.table());
    TableDetails before = tables.get(relation);
    if (before != null) {
      refuseRepeated(wanted, before);
      return;
    }
    String rowFilter = wanted.where() == null ? null : RowFilterText.of(wanted.where(), relation);
    if (rowFilter != null) {
      FilterSession.check(rowFilter, relation);
    }
    List<Integer> columns =
        wanted.columns() == null ? null : ColumnList.of(relation, wanted.columns());
    tables.put(relation, new TableDetails(rowFilter, columns));
  }

  private static void refuseRepeated(PublicationTable again, TableDetails before) {
    if (again.where() != null || before.rowFilter != null) {
      throw repeated("WHERE clauses", again.table());
    }
    if (again.columns() != null || before.columns != null) {
      throw repeated("column lists", again.table());
    }
  }

  private static PgException repeated(String details, QualifiedName table) {
    return new PgException(
        SqlState.DUPLICATE_OBJECT,
        "conflicting or redundant " + details + " for table \"" + table.name() + "\"");
  }

  private RelationDefinition find(QualifiedName name) {
    RelationDefinition relation = catalog.relation(name);
    if (relation != null) {
      return relation;
    }
    if (SYSTEM_SCHEMAS.contains(name.schema())) {
      throw refused("relation", name.name(), "system tables");
    }
    if (catalog.schema(name.schema()) == null) {
      throw noSchema(name.schema());
    }
    throw new PgException(
        SqlState.UNDEFINED_TABLE, "relation \"" + shown(name) + "\" does not exist");
  }

  /** As typed in all likelihood: tables of public without their schema. */
  private static String shown(QualifiedName name) {
    return name.schema().equals("public") ? name.name() : name.toString();
  }

  private SchemaDefinition find(String name) {
    if (SYSTEM_SCHEMAS.contains(name) || name.startsWith("pg_")) {
      throw refused("schema", name, "system schemas");
    }
    SchemaDefinition schema = catalog.schema(name);
    if (schema == null) {
      throw noSchema(name);
    }
    return schema;
  }

  private static PgException refused(String kind, String name, String kinds) {
    return new PgException(
            SqlState.INVALID_PARAMETER_VALUE,
            "cannot add " + kind + " \"" + name + "\" to publication")
        .withDetail("This operation is not supported for " + kinds + ".");
  }

  private static PgException noSchema(String name) {
    return new PgException(SqlState.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
  }

  boolean hasTables() {
    return !tables.isEmpty();
  }

  boolean hasSchemas() {
    return !schemas.isEmpty();
  }

  /** ALTER .. ADD: none of them may be a member already. */
  PublicationDefinition addedTo(PublicationDefinition publication) {
    List<Member> newTables = new ArrayList<>(publication.tables());
    for (Map.Entry<RelationDefinition, TableDetails> table : tables.entrySet()) {
      RelationDefinition relation = table.getKey();
      if (publication.member(relation.oid()) != null) {
        throw alreadyMember("relation", relation.name().name(), publication);
      }
      newTables.add(newMember(relation, table.getValue()));
    }
    List<SchemaMember> newSchemas = new ArrayList<>(publication.schemas());
    for (SchemaDefinition schema : schemas) {
      if (member(publication, schema) != null) {
        throw alreadyMember("schema", schema.name(), publication);
      }
      newSchemas.add(new SchemaMember(nextOid.getAsInt(), schema.oid()));
    }
    refuseListsBesideSchemas(publication, newSchemas);
    if (hasSchemas() && publication.tables().stream().anyMatch(old -> old.columns() != null)) {
      throw new PgException(
              SqlState.INVALID_PARAMETER_VALUE,
              "cannot add schema to publication \"" + publication.name() + "\"")
          .withDetail(
              "Schemas cannot be added if any tables that specify a column list are already part of"
                  + " the publication.");
    }
    return publication.withMembers(newTables, newSchemas);
  }

  private Member newMember(RelationDefinition relation, TableDetails details) {
    return new Member(nextOid.getAsInt(), relation.oid(), details.rowFilter, details.columns);
  }

  private void refuseListsBesideSchemas(
      PublicationDefinition publication, List<SchemaMember> publishedSchemas) {
    if (publishedSchemas.isEmpty()) {
      return;
    }
    for (Map.Entry<RelationDefinition, TableDetails> table : tables.entrySet()) {
      if (table.getValue().columns != null) {
        throw new PgException(
                SqlState.INVALID_PARAMETER_VALUE,
                "cannot use column list for relation \""
                    + table.getKey().name()
                    + "\" in publication \""
                    + publication.name()
                    + "\"")
            .withDetail(
                "Column lists cannot be specified in publications containing FOR TABLES IN SCHEMA"
                    + " elements.");
      }
    }
  }

  private static PgException alreadyMember(
      String kind, String name, PublicationDefinition publication) {
    return new PgException(
        SqlState.DUPLICATE_OBJECT,
        kind + " \"" + name + "\" is already member of publication \"" + publication.name() + "\"");
  }

  /** ALTER .. SET: exactly these; a member that stays as it is keeps its OID. */
  PublicationDefinition instead(PublicationDefinition publication) {
    List<Member> newTables = new ArrayList<>();
    for (Map.Entry<RelationDefinition, TableDetails> table : tables.entrySet()) {
      TableDetails details = table.getValue();
      Member old = publication.member(table.getKey().oid());
      boolean stays =
          old != null
              && Objects.equals(old.rowFilter(), details.rowFilter)
              && Objects.equals(old.columns(), details.columns);
      newTables.add(stays ? old : newMember(table.getKey(), details));
    }
    List<SchemaMember> newSchemas = new ArrayList<>();
    for (SchemaDefinition schema : schemas) {
      SchemaMember old = member(publication, schema);
      newSchemas.add(old != null ? old : new SchemaMember(nextOid.getAsInt(), schema.oid()));
    }
    refuseListsBesideSchemas(publication, newSchemas);
    return publication.withMembers(newTables, newSchemas);
  }

  /** ALTER .. DROP: all of them must be members. */
  PublicationDefinition removedFrom(PublicationDefinition publication) {
    List<Member> newTables = new ArrayList<>(publication.tables());
    for (RelationDefinition table : tables.keySet()) {
      if (!newTables.remove(publication.member(table.oid()))) {
        throw new PgException(
            SqlState.UNDEFINED_OBJECT,
            "relation \"" + table.name().name() + "\" is not part of the publication");
      }
    }
    List<SchemaMember> newSchemas = new ArrayList<>(publication.schemas());
    for (SchemaDefinition schema : schemas) {
      if (!newSchemas.remove(member(publication, schema))) {
        throw new PgException(
            SqlState.UNDEFINED_OBJECT,
            "tables from schema \"" + schema.name() + "\" are not part of the publication");
      }
    }
    return publication.withMembers(newTables, newSchemas);
  }

  private static SchemaMember member(PublicationDefinition publication, SchemaDefinition schema) {
    for (SchemaMember member : publication.schemas()) {
      if (member.schemaOid() == schema.oid()) {
        return member;
      }
    }
    return null;
  }
}
