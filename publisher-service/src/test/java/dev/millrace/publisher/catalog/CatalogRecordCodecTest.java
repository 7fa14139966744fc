package dev.millrace.publisher.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A CATALOG record's body")
class CatalogRecordCodecTest {

  private static void assertEncoded(CatalogChange change, String expected) {
    ByteBuilder out = new ByteBuilder(16);
    out.putInt(0);
    CatalogRecordCodec.encode(change, out);
    assertThat(new String(out.array(), 4, out.size() - 4, StandardCharsets.UTF_8))
        .isEqualTo(expected);
    assertThat(CatalogRecordCodec.decode(out.array(), 4, out.size() - 4)).isEqualTo(change);
  }

  @Test
  @DisplayName("is a kind byte and the whole definition of a table")
  void relation() {
    assertEncoded(
        new CatalogChange.PutRelation(
            new RelationDefinition(
                16390,
                7,
                new QualifiedName("public", "Größe \"x\""),
                List.of(
                    new ColumnDefinition(1, "id", PgType.INT4, -1, true, 'd', (char) 0),
                    new ColumnDefinition(3, "v", PgType.VARCHAR, 24, false, (char) 0, 's')),
                List.of(new IndexDefinition(16391, "i", true, false, List.of(3, 1))),
                ReplicaIdentity.INDEX,
                16391)),
        "r{\"oid\":16390,\"version\":7,\"schema\":\"public\",\"name\":\"Größe \\\"x\\\"\","
            + "\"columns\":[{\"attnum\":1,\"name\":\"id\",\"type\":23,\"typmod\":-1,"
            + "\"not_null\":true,\"identity\":\"d\",\"generated\":\"\"},"
            + "{\"attnum\":3,\"name\":\"v\",\"type\":1043,\"typmod\":24,"
            + "\"not_null\":false,\"identity\":\"\",\"generated\":\"s\"}],"
            + "\"indexes\":[{\"oid\":16391,\"name\":\"i\",\"unique\":true,\"primary\":false,"
            + "\"attnums\":[3,1]}],\"replica_identity\":\"i\",\"identity_index\":16391}");
  }

  @Test
  @DisplayName("holds a publication with filters and lists that later versions use")
  void publication() {
    assertEncoded(
        new CatalogChange.PutPublication(
            new PublicationDefinition(
                16400,
                "p",
                10,
                false,
                true,
                false,
                true,
                false,
                true,
                's',
                List.of(
                    new PublicationDefinition.Member(16401, 16390, "id > 1", List.of(1, 2)),
                    new PublicationDefinition.Member(16402, 16391, null, null)),
                List.of(new PublicationDefinition.SchemaMember(16403, 2200)))),
        "p{\"oid\":16400,\"name\":\"p\",\"owner\":10,\"all_tables\":false,\"insert\":true,"
            + "\"update\":false,\"delete\":true,\"truncate\":false,\"via_root\":true,"
            + "\"generated_columns\":\"s\",\"tables\":[{\"oid\":16401,\"relation\":16390,"
            + "\"row_filter\":\"id > 1\",\"columns\":[1,2]},{\"oid\":16402,\"relation\":16391,"
            + "\"row_filter\":null,\"columns\":null}],\"schemas\":[{\"oid\":16403,"
            + "\"schema\":2200}]}");
  }

  @Test
  @DisplayName("holds schemas and drops")
  void schemasAndDrops() {
    assertEncoded(
        new CatalogChange.PutSchema(new SchemaDefinition(16394, "sales")),
        "s{\"oid\":16394,\"name\":\"sales\"}");
    assertEncoded(new CatalogChange.Drop(CatalogChange.RELATION, 5), "R{\"oid\":5}");
    assertEncoded(new CatalogChange.Drop(CatalogChange.SCHEMA, 6), "S{\"oid\":6}");
    assertEncoded(new CatalogChange.Drop(CatalogChange.PUBLICATION, 7), "P{\"oid\":7}");
  }

  @Test
  @DisplayName("is refused when the kind, the JSON or a field is wrong")
  void damaged() {
    for (String bad : new String[] {"x{\"oid\":5}", "R{\"oid\":", "R{}", "s{\"oid\":1}", "r[]"}) {
      byte[] body = bad.getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> CatalogRecordCodec.decode(body, 0, body.length))
          .as(bad)
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("XX001"));
    }
  }
}
