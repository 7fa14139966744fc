package dev.millrace.publisher.api;

import dev.millrace.model.BootstrapRole;
import dev.millrace.model.PgTime;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.sql.SystemView;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /prepared-transactions} and the view pg_prepared_xacts. Any thread. */
@RestController
@Tag(name = "prepared transactions", description = "pg_prepared_xacts")
class PreparedTransactions {

  private final PublisherNode node;

  PreparedTransactions(PublisherNode node) {
    this.node = node;
  }

  @GetMapping("/api/v1/prepared-transactions")
  @Operation(operationId = "listPreparedTransactions", summary = "Transactions that are prepared")
  List<Row> list() {
    return rows(node);
  }

  private static List<Row> rows(PublisherNode node) {
    return node.preparedTransactions().stream()
        .map(
            each ->
                new Row(
                    Integer.toUnsignedLong(each.xid()),
                    each.gid(),
                    PgTime.toInstant(each.prepareTime()),
                    BootstrapRole.NAME,
                    node.databaseName()))
        .toList();
  }

  static SystemView view(PublisherNode node) {
    return new SystemView(
        "pg_prepared_xacts",
        ReplicationViews.columns(
            "transaction xid, gid text, prepared timestamptz, owner name, database name"),
        () -> rows(node).stream().map(Row::values).toList());
  }

  @Schema(name = "PreparedTransaction")
  record Row(long transaction, String gid, Instant prepared, String owner, String database) {
    Object[] values() {
      return new Object[] {transaction, gid, prepared.atOffset(ZoneOffset.UTC), owner, database};
    }
  }
}
