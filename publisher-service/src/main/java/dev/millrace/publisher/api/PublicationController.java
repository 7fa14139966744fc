package dev.millrace.publisher.api;

import dev.millrace.api.Paging;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import dev.millrace.publisher.catalog.PublishedTable;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * {@code /publications}: what a session can do by SQL, as calls. Each change is one transaction of
 * a session of its own, so that a call with several changes makes all of them or none.
 */
@RestController
@RequestMapping("/api/v1/publications")
@Tag(name = "publications", description = "pg_publication; CREATE, ALTER and DROP PUBLICATION")
class PublicationController {

  private final CatalogHistory catalog;
  private final PublisherNode node;

  PublicationController(CatalogHistory catalog, PublisherNode node) {
    this.catalog = catalog;
    this.node = node;
  }

  @GetMapping
  @Operation(operationId = "listPublications", summary = "pg_publication, by name")
  ResponseEntity<List<PublicationRow>> list(
      @RequestParam(required = false) Integer limit, @RequestParam(required = false) String after) {
    List<PublicationRow> rows =
        catalog.current().publicationsByName().stream()
            .map(publication -> PublicationRow.of(publication, List.of()))
            .toList();
    return Paging.page(rows, PublicationRow::pubname, limit, after);
  }

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(operationId = "createPublication", summary = "CREATE PUBLICATION")
  ResponseEntity<PublicationRow> create(@RequestBody PublicationBodies.Create body) {
    SqlResponse response = run(PublicationSql.create(body));
    var location =
        ServletUriComponentsBuilder.fromCurrentRequest()
            .pathSegment("{name}")
            .encode()
            .buildAndExpand(body.name())
            .toUri();
    return ResponseEntity.created(location)
        .body(PublicationRow.of(find(body.name()), response.notices()));
  }

  @GetMapping("/{name}")
  @Operation(operationId = "getPublication", summary = "One row of pg_publication")
  PublicationRow get(@PathVariable @Parameter(example = "mypub") String name) {
    return PublicationRow.of(find(name), List.of());
  }

  @PatchMapping("/{name}")
  @Operation(
      operationId = "alterPublication",
      summary = "ALTER PUBLICATION",
      description = "Any of the changes; all of them happen or none.")
  PublicationRow alter(
      @PathVariable @Parameter(example = "mypub") String name,
      @RequestBody PublicationBodies.Alter body) {
    find(name);
    run(PublicationSql.alter(name, body));
    return PublicationRow.of(find(body.renameTo() == null ? name : body.renameTo()), List.of());
  }

  @DeleteMapping("/{name}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(operationId = "dropPublication", summary = "DROP PUBLICATION")
  void drop(@PathVariable @Parameter(example = "mypub") String name) {
    find(name);
    run(PublicationSql.drop(name));
  }

  @GetMapping("/{name}/tables")
  @Operation(
      operationId = "listPublicationTables",
      summary = "pg_publication_tables of the publication, by schema and name")
  ResponseEntity<List<PublicationTableRow>> tables(
      @PathVariable @Parameter(example = "mypub") String name,
      @RequestParam(required = false) Integer limit,
      @RequestParam(required = false) String after) {
    CatalogSnapshot now = catalog.current();
    List<PublicationTableRow> rows =
        PublishedTable.of(now, find(now, name)).stream().map(PublicationTableRow::of).toList();
    return Paging.page(rows, PublicationTableRow::key, limit, after);
  }

  private SqlResponse run(String sql) {
    try (SqlSession session = node.open()) {
      return session.execute(sql, List.of());
    }
  }

  private PublicationDefinition find(String name) {
    return find(catalog.current(), name);
  }

  private static PublicationDefinition find(CatalogSnapshot catalog, String name) {
    PublicationDefinition publication = catalog.publication(name);
    if (publication == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "publication \"" + name + "\" does not exist");
    }
    return publication;
  }
}
