package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.model.Lsn;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Comparator;
import java.util.Optional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /wal} and {@code /checkpoint}. */
@RestController
@Tag(name = "wal", description = "The write-ahead log")
class WalController {

  private final WriteAheadLog log;
  private final ReplicationSlots slots;
  private final PublisherNode node;

  WalController(WriteAheadLog log, ReplicationSlots slots, PublisherNode node) {
    this.log = log;
    this.slots = slots;
    this.node = node;
  }

  @GetMapping("/api/v1/wal")
  @Operation(
      operationId = "getWal",
      summary = "Positions and segments of the log, and who keeps it")
  WalStatus wal() {
    Optional<ReplicationSlot> oldest =
        slots.all().stream()
            .filter(slot -> slot.restartLsn() != 0 && slot.invalidationReason() == null)
            .min(Comparator.comparing(slot -> new Lsn(slot.restartLsn())));
    long insertLsn = log.insertLsn();
    long oldestLsn = log.oldestLsn();
    return new WalStatus(
        Lsn.format(insertLsn),
        Lsn.format(log.writeLsn()),
        Lsn.format(log.flushLsn()),
        Lsn.format(oldestLsn),
        insertLsn - oldestLsn,
        oldest.map(slot -> Lsn.format(slot.restartLsn())).orElse(null),
        oldest.map(ReplicationSlot::name).orElse(null),
        log.segments());
  }

  @PostMapping("/api/v1/checkpoint")
  @Operation(
      operationId = "checkpoint",
      summary = "CHECKPOINT",
      description = "Makes the database durable, saves the slots, removes log nobody needs.")
  Checkpoint checkpoint() {
    return new Checkpoint(Lsn.format(node.checkpoint()));
  }

  @Schema(name = "Checkpoint")
  record Checkpoint(@JsonProperty("redo_lsn") @Schema(example = "0/16B1970") String redoLsn) {}
}
