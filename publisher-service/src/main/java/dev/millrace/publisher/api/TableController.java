package dev.millrace.publisher.api;

import dev.millrace.api.Paging;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogHistory;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /tables}: the node's tables with columns, key and replica identity. */
@RestController
@RequestMapping("/api/v1/tables")
@Tag(name = "tables", description = "Tables of the embedded database")
class TableController {

  private final CatalogHistory catalog;

  TableController(CatalogHistory catalog) {
    this.catalog = catalog;
  }

  @GetMapping
  @Operation(operationId = "listTables", summary = "The tables, by schema and name")
  ResponseEntity<List<TableRow>> list(
      @RequestParam(required = false) Integer limit, @RequestParam(required = false) String after) {
    List<TableRow> rows =
        catalog.current().relations().values().stream().map(TableRow::of).toList();
    return Paging.page(rows, TableRow::key, limit, after);
  }

  @GetMapping("/{schema}/{name}")
  @Operation(operationId = "getTable", summary = "One table")
  TableRow get(
      @PathVariable @Parameter(example = "public") String schema,
      @PathVariable @Parameter(example = "tbl_1") String name) {
    RelationDefinition relation = catalog.current().relation(new QualifiedName(schema, name));
    if (relation == null) {
      throw new PgException(
          SqlState.UNDEFINED_TABLE,
          "relation \"" + new QualifiedName(schema, name) + "\" does not exist");
    }
    return TableRow.of(relation);
  }
}
