package dev.millrace.publisher.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.TypeDefinition;
import dev.millrace.model.UserType;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A type's definition, and what a column says of it, as JSON. */
final class TypeJson {

  private TypeJson() {}

  static void write(TypeDefinition type, ObjectNode json) {
    json.put("oid", type.oid());
    json.put("schema", type.name().schema()).put("name", type.name().name());
    ArrayNode labels = json.putArray("labels");
    for (TypeDefinition.Label label : type.labels()) {
      labels.addObject().put("oid", label.oid()).put("text", label.text());
    }
    json.put("base", type.baseOid()).put("base_typmod", type.baseModifier());
    json.put("not_null", type.notNull());
    write(type.use(), json.putObject("use"));
  }

  static void write(UserType use, ObjectNode json) {
    json.put("shown", use.shown());
    json.put("announced_schema", use.announced().schema());
    json.put("announced_name", use.announced().name());
    json.put("value_type", use.valueOid()).put("value_typmod", use.valueModifier());
  }

  static TypeDefinition read(JsonNode json) {
    List<TypeDefinition.Label> labels = new ArrayList<>();
    for (JsonNode label : json.required("labels")) {
      labels.add(
          new TypeDefinition.Label(
              label.required("oid").intValue(), label.required("text").stringValue()));
    }
    return new TypeDefinition(
        json.required("oid").intValue(),
        new QualifiedName(
            json.required("schema").stringValue(), json.required("name").stringValue()),
        labels,
        json.required("base").intValue(),
        json.required("base_typmod").intValue(),
        json.required("not_null").booleanValue(),
        readUse(json.required("use")));
  }

  static UserType readUse(JsonNode json) {
    return new UserType(
        json.required("shown").stringValue(),
        new QualifiedName(
            json.required("announced_schema").stringValue(),
            json.required("announced_name").stringValue()),
        json.required("value_type").intValue(),
        json.required("value_typmod").intValue());
  }
}
