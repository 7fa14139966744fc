package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * A table with what replication needs to know of it.
 *
 * @param replicaIdentityIndex the index of REPLICA IDENTITY USING INDEX, null otherwise
 * @param identityColumns the columns that identify a row in UPDATE and DELETE; empty when nothing
 *     does
 */
@Schema(name = "Table")
record TableRow(
    @Schema(example = "16390") long oid,
    @Schema(example = "public") String schemaname,
    @Schema(example = "tbl_1") String tablename,
    List<Column> columns,
    @JsonProperty("primary_key") @Schema(example = "[\"id\"]") List<String> primaryKey,
    @Schema(example = "d", description = "d default, i index, f full, n nothing")
        String relreplident,
    @JsonProperty("replica_identity_index") @Schema(nullable = true) String replicaIdentityIndex,
    @JsonProperty("identity_columns") @Schema(example = "[\"id\"]") List<String> identityColumns) {

  /** Names as in pg_attribute; {@code type} as format_type shows it. */
  @Schema(name = "TableColumn")
  record Column(
      @Schema(example = "1") int attnum,
      @Schema(example = "id") String attname,
      @Schema(example = "integer") String type,
      boolean attnotnull,
      @Schema(description = "a always, d by default, empty for none") String attidentity,
      @Schema(description = "s stored, empty for none") String attgenerated) {

    static Column of(ColumnDefinition column) {
      return new Column(
          column.attnum(),
          column.name(),
          column.formattedType(),
          column.notNull(),
          letter(column.identity()),
          letter(column.generated()));
    }

    private static String letter(char code) {
      return code == 0 ? "" : String.valueOf(code);
    }
  }

  static TableRow of(RelationDefinition relation) {
    IndexDefinition identity = relation.identityIndex();
    boolean byIndex = relation.replicaIdentity() == ReplicaIdentity.INDEX && identity != null;
    return new TableRow(
        Integer.toUnsignedLong(relation.oid()),
        relation.name().schema(),
        relation.name().name(),
        relation.columns().stream().map(Column::of).toList(),
        names(relation, relation.primaryKey()),
        String.valueOf(relation.replicaIdentity().code()),
        byIndex ? identity.name() : null,
        relation.replicaIdentity() == ReplicaIdentity.FULL
            ? relation.columns().stream().map(ColumnDefinition::name).toList()
            : names(relation, identity));
  }

  private static List<String> names(RelationDefinition relation, IndexDefinition index) {
    if (index == null) {
      return List.of();
    }
    return index.attnums().stream()
        .map(
            attnum ->
                relation.columns().stream()
                    .filter(column -> column.attnum() == attnum)
                    .findFirst()
                    .orElseThrow()
                    .name())
        .toList();
  }

  /** What a list of them is ordered by. */
  String key() {
    return schemaname + '.' + tablename;
  }
}
