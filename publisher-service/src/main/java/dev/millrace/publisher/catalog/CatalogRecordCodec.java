package dev.millrace.publisher.catalog;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The body of a CATALOG record: the kind byte of {@link CatalogChange}, then the whole definition
 * as JSON in UTF-8, for a drop {@code {"oid":n}}. Stateless; safe for any thread.
 */
final class CatalogRecordCodec {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private CatalogRecordCodec() {}

  static void encode(CatalogChange change, ByteBuilder out) {
    out.putByte(change.kind()).putUtf8(definition(change));
  }

  static CatalogChange decode(byte[] buffer, int offset, int length) {
    char kind = (char) (buffer[offset] & 0xFF);
    return decode(kind, new String(buffer, offset + 1, length - 1, StandardCharsets.UTF_8));
  }

  /** The JSON part alone, as the projection keeps it. */
  static String definition(CatalogChange change) {
    ObjectNode json = JSON.createObjectNode();
    if (change instanceof CatalogChange.PutRelation put) {
      RelationJson.write(put.relation(), json);
    } else if (change instanceof CatalogChange.PutPublication put) {
      PublicationJson.write(put.publication(), json);
    } else if (change instanceof CatalogChange.PutSchema put) {
      json.put("oid", put.schema().oid()).put("name", put.schema().name());
    } else if (change instanceof CatalogChange.PutType put) {
      TypeJson.write(put.type(), json);
    } else {
      json.put("oid", change.oid());
    }
    return JSON.writeValueAsString(json);
  }

  static CatalogChange decode(char kind, String definition) {
    try {
      JsonNode json = JSON.readTree(definition);
      switch (kind) {
        case CatalogChange.RELATION:
          return new CatalogChange.PutRelation(RelationJson.read(json));
        case CatalogChange.PUBLICATION:
          return new CatalogChange.PutPublication(PublicationJson.read(json));
        case CatalogChange.SCHEMA:
          return new CatalogChange.PutSchema(
              new SchemaDefinition(
                  json.required("oid").intValue(), json.required("name").stringValue()));
        case CatalogChange.TYPE:
          return new CatalogChange.PutType(TypeJson.read(json));
        case 'R', 'P', 'S', 'T':
          return new CatalogChange.Drop(
              Character.toLowerCase(kind), json.required("oid").intValue());
        default:
          throw new PgException(
              SqlState.DATA_CORRUPTED, "unknown kind \"" + kind + "\" of catalogue record");
      }
    } catch (JacksonException e) {
      throw new PgException(
          SqlState.DATA_CORRUPTED, "invalid catalogue record: " + e.getOriginalMessage(), e);
    }
  }
}
