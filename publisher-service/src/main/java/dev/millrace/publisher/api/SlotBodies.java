package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;

/** Bodies of the calls on slots; what is left out has PostgreSQL's default. */
final class SlotBodies {

  private SlotBodies() {}

  @Schema(
      name = "CreateReplicationSlot",
      example =
          "{\"slot_name\":\"s1\",\"plugin\":\"pgoutput\",\"temporary\":false,"
              + "\"two_phase\":false,\"failover\":false}")
  record Create(
      @JsonProperty("slot_name")
          @Schema(example = "s1", requiredMode = Schema.RequiredMode.REQUIRED)
          String slotName,
      @Schema(example = "pgoutput", description = "required for a logical slot") String plugin,
      @JsonProperty("slot_type")
          @Schema(
              example = "logical",
              allowableValues = {"logical", "physical"})
          String slotType,
      @Schema(example = "false") Boolean temporary,
      @JsonProperty("two_phase") @Schema(example = "false") Boolean twoPhase,
      @Schema(example = "false") Boolean failover) {}

  @Schema(name = "AlterReplicationSlot")
  record Alter(
      @JsonProperty("two_phase") @Schema(example = "false") Boolean twoPhase,
      @Schema(example = "false") Boolean failover) {}

  @Schema(name = "AdvanceReplicationSlot")
  record Advance(
      @JsonProperty("upto_lsn")
          @Schema(example = "FFFFFFFF/FFFFFFFF", requiredMode = Schema.RequiredMode.REQUIRED)
          String uptoLsn) {}

  @Schema(name = "AdvancedReplicationSlot")
  record Advanced(
      @JsonProperty("slot_name") String slotName,
      @JsonProperty("end_lsn") @Schema(example = "0/16B1970") String endLsn) {}

  @Schema(
      name = "ReadChanges",
      example =
          "{\"upto_lsn\":null,\"upto_nchanges\":null,\"binary\":true,"
              + "\"options\":{\"proto_version\":\"1\",\"publication_names\":\"mypub\"}}")
  record Read(
      @JsonProperty("upto_lsn") @Schema(nullable = true) String uptoLsn,
      @JsonProperty("upto_nchanges") @Schema(nullable = true) Integer uptoNchanges,
      @Schema(description = "data in hexadecimal; pgoutput has no other") Boolean binary,
      Map<String, String> options) {}

  @Schema(name = "Changes")
  record Changes(List<Change> changes) {}

  @Schema(name = "Change")
  record Change(
      @Schema(example = "0/16B1970") String lsn,
      @Schema(example = "840") long xid,
      @Schema(description = "hexadecimal when binary, else text") String data) {}
}
