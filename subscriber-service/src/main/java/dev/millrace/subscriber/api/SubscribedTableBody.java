package dev.millrace.subscriber.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.model.Lsn;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.launcher.Launcher;
import io.swagger.v3.oas.annotations.media.Schema;

/** A row of pg_subscription_rel with the table's name and how far its copy is. */
@Schema(name = "SubscribedTable")
record SubscribedTableBody(
    long srsubid,
    long srrelid,
    @Schema(example = "public") String schemaname,
    @Schema(example = "tbl_1") String tablename,
    @Schema(allowableValues = {"i", "d", "f", "s", "r"}) String srsubstate,
    String srsublsn,
    @JsonProperty("rows_copied") Long rowsCopied,
    @JsonProperty("bytes_copied") Long bytesCopied,
    @JsonProperty("rows_total") @Schema(description = "null while unknown") Long rowsTotal,
    @JsonProperty("last_error") @Schema(description = "why its synchronization failed last")
        String lastError) {

  static SubscribedTableBody of(SubscribedRelation row, Launcher launcher) {
    Launcher.CopyProgress copy = launcher.copyProgress(row.subscriptionOid(), row.relationOid());
    return new SubscribedTableBody(
        Integer.toUnsignedLong(row.subscriptionOid()),
        Integer.toUnsignedLong(row.relationOid()),
        row.table().schema(),
        row.table().name(),
        String.valueOf(row.state().code()),
        row.lsn() == 0 ? null : Lsn.format(row.lsn()),
        copy == null ? null : copy.rowsCopied(),
        copy == null ? null : copy.bytesCopied(),
        copy == null || copy.rowsTotal() < 0 ? null : copy.rowsTotal(),
        launcher.lastError(row.subscriptionOid(), row.relationOid()));
  }

  /** What lists are ordered by. */
  String key() {
    return schemaname + '.' + tablename;
  }

  /** The values of the view. */
  Object[] values() {
    return new Object[] {srsubid, srrelid, srsubstate, srsublsn};
  }
}
