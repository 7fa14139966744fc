package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * Bodies of the calls on publications. Names are exact, never folded; what is left out has
 * PostgreSQL's default or stays as it is.
 */
final class PublicationBodies {

  private PublicationBodies() {}

  @Schema(name = "PublicationTable")
  record Table(
      @Schema(example = "public", description = "public when left out") String schema,
      @Schema(example = "tbl_1", requiredMode = Schema.RequiredMode.REQUIRED) String name,
      @Schema(description = "column list; all columns when left out", nullable = true)
          List<String> columns,
      @Schema(
              description = "row filter: an SQL expression; every row when left out",
              nullable = true)
          String where) {}

  @Schema(name = "CreatePublication", example = "{\"name\":\"mypub\",\"all_tables\":true}")
  record Create(
      @Schema(requiredMode = Schema.RequiredMode.REQUIRED) String name,
      List<Table> tables,
      @JsonProperty("tables_in_schema") List<String> tablesInSchema,
      @JsonProperty("all_tables") Boolean allTables,
      @Schema(description = "insert, update, delete, truncate; all when left out")
          List<String> publish,
      @JsonProperty("publish_via_partition_root") Boolean publishViaPartitionRoot,
      @JsonProperty("publish_generated_columns") @Schema(description = "none or stored")
          String publishGeneratedColumns) {}

  @Schema(name = "AlterPublication", example = "{\"publish\":[\"insert\",\"update\",\"delete\"]}")
  record Alter(
      @JsonProperty("add_tables") List<Table> addTables,
      @JsonProperty("set_tables") List<Table> setTables,
      @JsonProperty("drop_tables") List<Table> dropTables,
      @JsonProperty("add_tables_in_schema") List<String> addTablesInSchema,
      @JsonProperty("drop_tables_in_schema") List<String> dropTablesInSchema,
      List<String> publish,
      @JsonProperty("publish_via_partition_root") Boolean publishViaPartitionRoot,
      @JsonProperty("publish_generated_columns") String publishGeneratedColumns,
      @JsonProperty("rename_to") String renameTo,
      String owner) {}
}
