package dev.millrace.publisher.api;

import dev.millrace.publisher.walsender.WalSenders;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /wal-senders}: pg_stat_replication. */
@RestController
@Tag(name = "wal senders", description = "pg_stat_replication")
class WalSenderController {

  private final WalSenders walSenders;

  WalSenderController(WalSenders walSenders) {
    this.walSenders = walSenders;
  }

  @GetMapping("/api/v1/wal-senders")
  @Operation(operationId = "listWalSenders", summary = "The walsender sessions, by pid")
  List<WalSenderRow> list() {
    return walSenders.views().stream().map(WalSenderRow::of).toList();
  }
}
