package dev.millrace.publisher.api;

import dev.millrace.sql.SystemView;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@code /prepared-transactions}: pg_prepared_xacts. PREPARE TRANSACTION is refused so far, so
 * there is never one.
 */
@RestController
@Tag(name = "prepared transactions", description = "pg_prepared_xacts")
class PreparedTransactions {

  @GetMapping("/api/v1/prepared-transactions")
  @Operation(operationId = "listPreparedTransactions", summary = "Transactions that are prepared")
  List<Row> list() {
    return List.of();
  }

  static SystemView view() {
    return new SystemView(
        "pg_prepared_xacts",
        ReplicationViews.columns(
            "transaction xid, gid text, prepared timestamptz, owner name, database name"),
        List::of);
  }

  @Schema(name = "PreparedTransaction")
  record Row(long transaction, String gid, Instant prepared, String owner, String database) {}
}
