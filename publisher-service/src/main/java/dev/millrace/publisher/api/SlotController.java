package dev.millrace.publisher.api;

import dev.millrace.api.BadRequestException;
import dev.millrace.api.Paging;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges.Change;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.walsender.SlotAlteration;
import dev.millrace.publisher.walsender.SlotCreation;
import dev.millrace.publisher.walsender.SlotCreation.SlotOptions;
import dev.millrace.publisher.walsender.WalSenders;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
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

/** {@code /slots}: pg_replication_slots and the functions on slots. */
@RestController
@RequestMapping("/api/v1/slots")
@Tag(name = "slots", description = "pg_replication_slots")
class SlotController {

  private static final String SLOT = "s1";

  private final ReplicationSlots slots;
  private final SlotRows rows;
  private final SlotCreation creation;
  private final SlotAlteration alteration;
  private final SlotAdvance advance;
  private final SlotReading reading;
  private final WalSenders walSenders;
  private final PublisherNode node;
  private final Clock clock;

  SlotController(
      ReplicationSlots slots,
      SlotRows rows,
      SlotCreation creation,
      SlotAlteration alteration,
      SlotAdvance advance,
      SlotReading reading,
      WalSenders walSenders,
      PublisherNode node,
      Clock clock) {
    this.slots = slots;
    this.rows = rows;
    this.creation = creation;
    this.alteration = alteration;
    this.advance = advance;
    this.reading = reading;
    this.walSenders = walSenders;
    this.node = node;
    this.clock = clock;
  }

  @GetMapping
  @Operation(operationId = "listSlots", summary = "All replication slots")
  ResponseEntity<List<SlotRow>> list(
      @RequestParam(required = false) @Parameter(description = "at most 1000") Integer limit,
      @RequestParam(required = false) @Parameter(description = "the last name seen") String after) {
    return Paging.page(rows.all(), SlotRow::slotName, limit, after);
  }

  @PostMapping
  @Operation(
      operationId = "createSlot",
      summary = "Create a slot",
      description =
          "Its confirmed_flush_lsn is the consistent point. A temporary slot needs a session.")
  @ApiResponse(responseCode = "201", description = "The slot")
  ResponseEntity<SlotRow> create(@RequestBody SlotBodies.Create body) {
    if (body.slotName() == null) {
      throw new BadRequestException("member \"slot_name\" is required");
    }
    requireLogical(body);
    long pid = node.nextPid();
    ReplicationSlot slot =
        creation
            .create(
                body.slotName(),
                body.plugin(),
                new SlotOptions(
                    false,
                    Boolean.TRUE.equals(body.twoPhase()),
                    Boolean.TRUE.equals(body.failover())),
                pid,
                false)
            .slot();
    slots.release(slot);
    URI location =
        ServletUriComponentsBuilder.fromCurrentRequestUri()
            .pathSegment("{name}")
            .build(slot.name());
    return ResponseEntity.created(URI.create(location.getRawPath())).body(rows.row(slot));
  }

  private static void requireLogical(SlotBodies.Create body) {
    String type = body.slotType() == null ? "logical" : body.slotType();
    if (type.equals("physical")) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "physical replication slots are not supported yet");
    }
    if (!type.equals("logical")) {
      throw new BadRequestException("slot_type must be \"logical\" or \"physical\"");
    }
    if (body.plugin() == null) {
      throw new BadRequestException("member \"plugin\" is required");
    }
    if (Boolean.TRUE.equals(body.temporary())) {
      throw new PgException(
              SqlState.FEATURE_NOT_SUPPORTED, "a temporary slot would end with this call")
          .withHint("Create it in a session with pg_create_logical_replication_slot.");
    }
  }

  @GetMapping("/{name}")
  @Operation(operationId = "getSlot", summary = "One replication slot")
  SlotRow get(@PathVariable @Parameter(example = SLOT) String name) {
    return rows.one(name);
  }

  @PatchMapping("/{name}")
  @Operation(operationId = "alterSlot", summary = "Change a slot's two_phase and failover")
  SlotRow alter(
      @PathVariable @Parameter(example = SLOT) String name, @RequestBody SlotBodies.Alter body) {
    alteration.alter(name, body.twoPhase(), body.failover(), node.nextPid());
    return rows.one(name);
  }

  @DeleteMapping("/{name}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(operationId = "dropSlot", summary = "Drop a slot that nobody uses")
  void drop(@PathVariable @Parameter(example = SLOT) String name) {
    slots.drop(name, node.nextPid());
  }

  @PostMapping("/{name}/advance")
  @Operation(
      operationId = "advanceSlot",
      summary = "Move a slot forward without reading",
      description = "pg_replication_slot_advance. A position past the end means the end.")
  SlotBodies.Advanced advance(
      @PathVariable @Parameter(example = SLOT) String name, @RequestBody SlotBodies.Advance body) {
    if (body.uptoLsn() == null) {
      throw new BadRequestException("member \"upto_lsn\" is required");
    }
    long end = advance.advance(name, Lsn.parse(body.uptoLsn()).value(), node.nextPid());
    return new SlotBodies.Advanced(name, Lsn.format(end));
  }

  @PostMapping("/{name}/get-changes")
  @Operation(
      operationId = "getChanges",
      summary = "Read a slot's changes and consume them",
      description =
          "pg_logical_slot_get_changes, with binary true pg_logical_slot_get_binary_changes")
  SlotBodies.Changes getChanges(
      @PathVariable @Parameter(example = SLOT) String name, @RequestBody SlotBodies.Read body) {
    return changes(name, body, true);
  }

  @PostMapping("/{name}/peek-changes")
  @Operation(
      operationId = "peekChanges",
      summary = "Read a slot's changes without consuming them",
      description =
          "pg_logical_slot_peek_changes, with binary true pg_logical_slot_peek_binary_changes")
  SlotBodies.Changes peekChanges(
      @PathVariable @Parameter(example = SLOT) String name, @RequestBody SlotBodies.Read body) {
    return changes(name, body, false);
  }

  private SlotBodies.Changes changes(String name, SlotBodies.Read body, boolean consume) {
    boolean binary = Boolean.TRUE.equals(body.binary());
    SlotReading.Range range =
        new SlotReading.Range(
            body.uptoLsn() == null ? 0 : Lsn.parse(body.uptoLsn()).value(),
            body.uptoNchanges() == null ? 0 : body.uptoNchanges());
    Map<String, String> options = body.options() == null ? Map.of() : body.options();
    List<Change> read =
        reading.read(name, node.nextPid(), range, options, consume, binary, null, notice -> {});
    return new SlotBodies.Changes(read.stream().map(change -> change(change, binary)).toList());
  }

  private static SlotBodies.Change change(Change change, boolean binary) {
    return new SlotBodies.Change(
        Lsn.format(change.lsn()),
        Integer.toUnsignedLong(change.xid()),
        binary
            ? HexFormat.of().formatHex(change.data())
            : new String(change.data(), StandardCharsets.UTF_8));
  }

  @GetMapping("/{name}/stats")
  @Operation(operationId = "getSlotStatistics", summary = "pg_stat_replication_slots of one slot")
  SlotStatisticsRow statistics(@PathVariable @Parameter(example = SLOT) String name) {
    return SlotStatisticsRow.of(rows.slot(name));
  }

  @PostMapping("/{name}/stats/reset")
  @Operation(operationId = "resetSlotStatistics", summary = "pg_stat_reset_replication_slot")
  SlotStatisticsRow resetStatistics(@PathVariable @Parameter(example = SLOT) String name) {
    ReplicationSlot slot = rows.slot(name);
    slot.statistics().reset(clock.instant());
    slot.save();
    return SlotStatisticsRow.of(slot);
  }

  @GetMapping("/{name}/reorder-buffer")
  @Operation(
      operationId = "getReorderBuffer",
      summary = "What the slot's walsender holds in memory")
  ReorderBufferRow reorderBuffer(@PathVariable @Parameter(example = SLOT) String name) {
    return ReorderBufferRow.of(walSenders.reorderBuffer(rows.slot(name).name()));
  }
}
