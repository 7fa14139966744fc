package dev.millrace.publisher.api;

import dev.millrace.model.TextArray;
import dev.millrace.publisher.catalog.PublishedTable;
import io.swagger.v3.oas.annotations.media.Schema;

/** A row of pg_publication_tables. */
@Schema(name = "PublishedTable")
record PublicationTableRow(
    @Schema(example = "mypub") String pubname,
    @Schema(example = "public") String schemaname,
    @Schema(example = "tbl_1") String tablename,
    @Schema(example = "{id,name}") String attnames,
    @Schema(nullable = true) String rowfilter) {

  static PublicationTableRow of(PublishedTable table) {
    return new PublicationTableRow(
        table.publication().name(),
        table.relation().name().schema(),
        table.relation().name().name(),
        TextArray.format(table.columns()),
        table.rowFilter());
  }

  /** What a list of them is ordered by. */
  String key() {
    return schemaname + '.' + tablename;
  }
}
