package dev.millrace.publisher.catalog;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A publication's definition as JSON. */
final class PublicationJson {

  private PublicationJson() {}

  static void write(PublicationDefinition publication, ObjectNode json) {
    json.put("oid", publication.oid()).put("name", publication.name());
    json.put("owner", publication.owner()).put("all_tables", publication.allTables());
    json.put("insert", publication.insert()).put("update", publication.update());
    json.put("delete", publication.delete()).put("truncate", publication.truncate());
    json.put("via_root", publication.viaRoot());
    json.put("generated_columns", RelationJson.letter(publication.generatedColumns()));
    ArrayNode tables = json.putArray("tables");
    for (PublicationDefinition.Member member : publication.tables()) {
      ObjectNode table = tables.addObject();
      table.put("oid", member.oid()).put("relation", member.relationOid());
      table.put("row_filter", member.rowFilter());
      if (member.columns() == null) {
        table.putNull("columns");
      } else {
        ArrayNode columns = table.putArray("columns");
        member.columns().forEach(attnum -> columns.add(attnum));
      }
    }
    ArrayNode schemas = json.putArray("schemas");
    for (PublicationDefinition.SchemaMember member : publication.schemas()) {
      schemas.addObject().put("oid", member.oid()).put("schema", member.schemaOid());
    }
  }

  static PublicationDefinition read(JsonNode json) {
    List<PublicationDefinition.Member> tables = new ArrayList<>();
    for (JsonNode table : json.required("tables")) {
      JsonNode rowFilter = table.required("row_filter");
      tables.add(
          new PublicationDefinition.Member(
              table.required("oid").intValue(),
              table.required("relation").intValue(),
              rowFilter.isNull() ? null : rowFilter.stringValue(),
              columns(table.required("columns"))));
    }
    List<PublicationDefinition.SchemaMember> schemas = new ArrayList<>();
    for (JsonNode schema : json.required("schemas")) {
      schemas.add(
          new PublicationDefinition.SchemaMember(
              schema.required("oid").intValue(), schema.required("schema").intValue()));
    }
    return new PublicationDefinition(
        json.required("oid").intValue(),
        json.required("name").stringValue(),
        json.required("owner").intValue(),
        json.required("all_tables").booleanValue(),
        json.required("insert").booleanValue(),
        json.required("update").booleanValue(),
        json.required("delete").booleanValue(),
        json.required("truncate").booleanValue(),
        json.required("via_root").booleanValue(),
        RelationJson.letter(json.required("generated_columns")),
        tables,
        schemas);
  }

  private static List<Integer> columns(JsonNode json) {
    if (json.isNull()) {
      return null;
    }
    List<Integer> columns = new ArrayList<>();
    json.forEach(attnum -> columns.add(attnum.intValue()));
    return columns;
  }
}
