package dev.millrace.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.media.Schema;

/**
 * A row of pg_replication_origin_status.
 *
 * @param remoteLsn {@code X/X}, null for none
 */
@Schema(name = "ReplicationOrigin")
public record ReplicationOriginStatus(
    @JsonProperty("local_id") int localId,
    @JsonProperty("external_id") @Schema(example = "pg_16392") String externalId,
    @JsonProperty("remote_lsn") @Schema(example = "0/16B1970") String remoteLsn,
    @JsonProperty("local_lsn") @Schema(example = "0/0") String localLsn) {}
