package dev.millrace.publisher.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.PublicationDefinition.Member;
import dev.millrace.publisher.catalog.PublicationDefinition.SchemaMember;
import dev.millrace.sql.ParsedStatement.PublicationObjects;
import dev.millrace.sql.ParsedStatement.PublicationTable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
  private final Set<RelationDefinition> tables = new LinkedHashSet<>();
  private final Set<SchemaDefinition> schemas = new LinkedHashSet<>();

  /**
   * @throws PgException 42P01 and 3F000 for what does not exist, 22023 for system objects, 0A000
   *     for filters and column lists
   */
  PublicationMembers(CatalogSnapshot catalog, PublicationObjects objects, IntSupplier nextOid) {
    this.catalog = catalog;
    this.nextOid = nextOid;
    objects.tables().forEach(table -> tables.add(find(table)));
    objects.schemas().forEach(schema -> schemas.add(find(schema)));
  }

  /** Null for a command without objects. */
  static PublicationObjects orNone(PublicationObjects objects) {
    return objects == null ? new PublicationObjects(List.of(), List.of()) : objects;
  }

  private RelationDefinition find(PublicationTable wanted) {
    QualifiedName name = wanted.table();
    if (wanted.columns() != null) {
      throw notYet("column lists of publications", name);
    }
    if (wanted.where() != null) {
      throw notYet("row filters of publications", name);
    }
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

  private static PgException notYet(String feature, QualifiedName table) {
    return new PgException(
            SqlState.FEATURE_NOT_SUPPORTED, feature + " are not supported by this version")
        .withDetail("One was given for table \"" + table.name() + "\".");
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
    for (RelationDefinition table : tables) {
      if (member(publication, table) != null) {
        throw alreadyMember("relation", table.name().name(), publication);
      }
      newTables.add(new Member(nextOid.getAsInt(), table.oid(), null, null));
    }
    List<SchemaMember> newSchemas = new ArrayList<>(publication.schemas());
    for (SchemaDefinition schema : schemas) {
      if (member(publication, schema) != null) {
        throw alreadyMember("schema", schema.name(), publication);
      }
      newSchemas.add(new SchemaMember(nextOid.getAsInt(), schema.oid()));
    }
    return publication.withMembers(newTables, newSchemas);
  }

  private static PgException alreadyMember(
      String kind, String name, PublicationDefinition publication) {
    return new PgException(
        SqlState.DUPLICATE_OBJECT,
        kind + " \"" + name + "\" is already member of publication \"" + publication.name() + "\"");
  }

  /** ALTER .. SET: exactly these; a member that stays keeps its OID. */
  PublicationDefinition instead(PublicationDefinition publication) {
    List<Member> newTables = new ArrayList<>();
    for (RelationDefinition table : tables) {
      Member old = member(publication, table);
      newTables.add(old != null ? old : new Member(nextOid.getAsInt(), table.oid(), null, null));
    }
    List<SchemaMember> newSchemas = new ArrayList<>();
    for (SchemaDefinition schema : schemas) {
      SchemaMember old = member(publication, schema);
      newSchemas.add(old != null ? old : new SchemaMember(nextOid.getAsInt(), schema.oid()));
    }
    return publication.withMembers(newTables, newSchemas);
  }

  /** ALTER .. DROP: all of them must be members. */
  PublicationDefinition removedFrom(PublicationDefinition publication) {
    List<Member> newTables = new ArrayList<>(publication.tables());
    for (RelationDefinition table : tables) {
      if (!newTables.remove(member(publication, table))) {
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

  private static Member member(PublicationDefinition publication, RelationDefinition table) {
    for (Member member : publication.tables()) {
      if (member.relationOid() == table.oid()) {
        return member;
      }
    }
    return null;
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
