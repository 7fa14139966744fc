package dev.millrace.subscriber.api;

import dev.millrace.api.Paging;
import dev.millrace.subscriber.launcher.Launcher;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /workers}: who receives and applies now. */
@RestController
@Tag(name = "workers", description = "pg_stat_subscription")
class WorkerController {

  private final Launcher launcher;

  WorkerController(Launcher launcher) {
    this.launcher = launcher;
  }

  @GetMapping("/api/v1/workers")
  @Operation(
      operationId = "listWorkers",
      summary = "pg_stat_subscription: apply and table synchronization workers")
  ResponseEntity<List<WorkerBody>> list(
      @RequestParam(required = false) Integer limit, @RequestParam(required = false) String after) {
    List<WorkerBody> rows = launcher.workers().stream().map(WorkerBody::of).toList();
    return Paging.page(rows, WorkerBody::key, limit, after);
  }
}
