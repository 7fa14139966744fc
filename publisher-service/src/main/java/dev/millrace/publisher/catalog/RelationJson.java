package dev.millrace.publisher.catalog;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A table's definition as JSON. {@code identity} and {@code generated} are the letters of
 * pg_attribute, empty for none.
 */
final class RelationJson {

  private RelationJson() {}

  static void write(RelationDefinition relation, ObjectNode json) {
    json.put("oid", relation.oid()).put("version", relation.version());
    json.put("schema", relation.name().schema()).put("name", relation.name().name());
    ArrayNode columns = json.putArray("columns");
    for (ColumnDefinition column : relation.columns()) {
      ObjectNode object = columns.addObject();
      object
          .put("attnum", column.attnum())
          .put("name", column.name())
          .put("type", column.typeOid())
          .put("typmod", column.typeModifier())
          .put("not_null", column.notNull())
          .put("identity", letter(column.identity()))
          .put("generated", letter(column.generated()));
      if (column.userType() != null) {
        TypeJson.write(column.userType(), object.putObject("user_type"));
      }
    }
    ArrayNode indexes = json.putArray("indexes");
    for (IndexDefinition index : relation.indexes()) {
      ArrayNode attnums =
          indexes
              .addObject()
              .put("oid", index.oid())
              .put("name", index.name())
              .put("unique", index.unique())
              .put("primary", index.primary())
              .putArray("attnums");
      index.attnums().forEach(attnum -> attnums.add(attnum));
    }
    json.put("replica_identity", letter(relation.replicaIdentity().code()));
    json.put("identity_index", relation.identityIndexOid());
  }

  static RelationDefinition read(JsonNode json) {
    List<ColumnDefinition> columns = new ArrayList<>();
    for (JsonNode column : json.required("columns")) {
      columns.add(
          new ColumnDefinition(
              column.required("attnum").intValue(),
              column.required("name").stringValue(),
              column.required("type").intValue(),
              column.required("typmod").intValue(),
              column.required("not_null").booleanValue(),
              letter(column.required("identity")),
              letter(column.required("generated")),
              column.has("user_type") ? TypeJson.readUse(column.get("user_type")) : null));
    }
    List<IndexDefinition> indexes = new ArrayList<>();
    for (JsonNode index : json.required("indexes")) {
      List<Integer> attnums = new ArrayList<>();
      index.required("attnums").forEach(attnum -> attnums.add(attnum.intValue()));
      indexes.add(
          new IndexDefinition(
              index.required("oid").intValue(),
              index.required("name").stringValue(),
              index.required("unique").booleanValue(),
              index.required("primary").booleanValue(),
              attnums));
    }
    return new RelationDefinition(
        json.required("oid").intValue(),
        json.required("version").intValue(),
        new QualifiedName(
            json.required("schema").stringValue(), json.required("name").stringValue()),
        columns,
        indexes,
        ReplicaIdentity.of(letter(json.required("replica_identity"))),
        json.required("identity_index").intValue());
  }

  static String letter(char code) {
    return code == 0 ? "" : String.valueOf(code);
  }

  static char letter(JsonNode json) {
    String text = json.stringValue();
    return text.isEmpty() ? 0 : text.charAt(0);
  }
}
