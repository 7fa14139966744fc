package dev.millrace.api;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /replication-origins}: pg_replication_origin_status. */
@RestController
@Tag(name = "replication origins", description = "pg_replication_origin_status")
class ReplicationOriginsController {

  private final ReplicationOriginSource source;

  ReplicationOriginsController(ReplicationOriginSource source) {
    this.source = source;
  }

  @GetMapping("/api/v1/replication-origins")
  @Operation(operationId = "listReplicationOrigins", summary = "Origins and their progress")
  ResponseEntity<List<ReplicationOriginStatus>> list(
      @RequestParam(required = false) @Parameter(description = "at most 1000") Integer limit,
      @RequestParam(required = false) @Parameter(description = "the last external_id seen")
          String after) {
    return Paging.page(
        source.replicationOrigins(), ReplicationOriginStatus::externalId, limit, after);
  }
}
