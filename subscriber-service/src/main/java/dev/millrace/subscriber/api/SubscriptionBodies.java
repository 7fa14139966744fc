package dev.millrace.subscriber.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * Bodies of the calls on subscriptions. Names are exact, never folded; what is left out has
 * PostgreSQL's default or stays as it is.
 */
final class SubscriptionBodies {

  private SubscriptionBodies() {}

  private static final String CREATE_EXAMPLE =
      "{\"name\":\"mysub\",\"connection\":\"host=127.0.0.1 port=8080 dbname=testdb\","
          + "\"publications\":[\"mypub\"]}";

  @Schema(name = "CreateSubscription", example = CREATE_EXAMPLE)
  record Create(
      @Schema(requiredMode = Schema.RequiredMode.REQUIRED) String name,
      @Schema(
              requiredMode = Schema.RequiredMode.REQUIRED,
              description = "ws://host:port/replication?dbname=.. or host=.. port=.. dbname=..")
          String connection,
      @Schema(requiredMode = Schema.RequiredMode.REQUIRED) List<String> publications,
      Boolean connect,
      @JsonProperty("create_slot") Boolean createSlot,
      Boolean enabled,
      @JsonProperty("slot_name") String slotName,
      Boolean binary,
      @JsonProperty("copy_data") Boolean copyData,
      @Schema(description = "off, on or parallel") String streaming,
      @JsonProperty("synchronous_commit") String synchronousCommit,
      @JsonProperty("two_phase") Boolean twoPhase,
      @JsonProperty("disable_on_error") Boolean disableOnError,
      @JsonProperty("password_required") Boolean passwordRequired,
      @JsonProperty("run_as_owner") Boolean runAsOwner,
      @Schema(description = "any or none") String origin,
      Boolean failover) {}

  @Schema(name = "AlterSubscription", example = "{\"synchronous_commit\":\"off\"}")
  record Alter(
      String connection,
      @JsonProperty("set_publications") List<String> setPublications,
      @JsonProperty("add_publications") List<String> addPublications,
      @JsonProperty("drop_publications") List<String> dropPublications,
      @Schema(description = "whether a change of publications refreshes; true when left out")
          Boolean refresh,
      @JsonProperty("copy_data") @Schema(description = "of that refresh; true when left out")
          Boolean copyData,
      @Schema(description = "ENABLE or DISABLE") Boolean enabled,
      @JsonProperty("slot_name") @Schema(description = "\"NONE\" for no slot") String slotName,
      Boolean binary,
      String streaming,
      @JsonProperty("synchronous_commit") String synchronousCommit,
      @JsonProperty("two_phase") Boolean twoPhase,
      @JsonProperty("disable_on_error") Boolean disableOnError,
      @JsonProperty("password_required") Boolean passwordRequired,
      @JsonProperty("run_as_owner") Boolean runAsOwner,
      String origin,
      Boolean failover,
      @JsonProperty("rename_to") String renameTo,
      String owner) {}

  @Schema(name = "RefreshSubscription", example = "{\"copy_data\":true}")
  record Refresh(@JsonProperty("copy_data") Boolean copyData) {}

  @Schema(name = "SkipTransaction", example = "{\"lsn\":\"NONE\"}")
  record Skip(@Schema(description = "finish LSN of the transaction, or NONE") String lsn) {}
}
