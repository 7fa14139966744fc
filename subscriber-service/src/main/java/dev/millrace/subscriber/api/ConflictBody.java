package dev.millrace.subscriber.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.model.Lsn;
import dev.millrace.subscriber.conflict.ConflictRecord;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Locale;

/** A conflict: when, what kind, which row, and what was done. */
@Schema(name = "Conflict")
record ConflictBody(
    Instant time,
    @Schema(example = "update_missing") String type,
    @Schema(example = "public") String schemaname,
    @Schema(example = "tbl_1") String tablename,
    @Schema(example = "(id)=(1)") String key,
    @JsonProperty("remote_row") String remoteRow,
    @JsonProperty("local_row") String localRow,
    @JsonProperty("remote_origin") String remoteOrigin,
    @JsonProperty("remote_xid") long remoteXid,
    @JsonProperty("finish_lsn") @Schema(example = "0/16B1970") String finishLsn,
    @Schema(allowableValues = {"skipped", "error"}) String resolution) {

  static ConflictBody of(ConflictRecord record) {
    return new ConflictBody(
        Times.micros(record.time()),
        record.type().name().toLowerCase(Locale.ROOT),
        record.table().schema(),
        record.table().name(),
        record.key(),
        record.remoteRow(),
        record.localRow(),
        record.originName(),
        Integer.toUnsignedLong(record.xid()),
        Lsn.format(record.finishLsn()),
        record.resolution());
  }
}
