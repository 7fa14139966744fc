package dev.millrace.subscriber.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionStatistics;
import dev.millrace.subscriber.catalog.SubscriptionStatistics.Conflict;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/** A row of pg_stat_subscription_stats, with PostgreSQL 18's columns in their order. */
@Schema(name = "SubscriptionStatistics")
record SubscriptionStatisticsBody(
    long subid,
    String subname,
    @JsonProperty("apply_error_count") long applyErrorCount,
    @JsonProperty("sync_error_count") long syncErrorCount,
    @JsonProperty("confl_insert_exists") long insertExists,
    @JsonProperty("confl_update_origin_differs") long updateOriginDiffers,
    @JsonProperty("confl_update_exists") long updateExists,
    @JsonProperty("confl_update_missing") long updateMissing,
    @JsonProperty("confl_delete_origin_differs") long deleteOriginDiffers,
    @JsonProperty("confl_delete_missing") long deleteMissing,
    @JsonProperty("confl_multiple_unique_conflicts") long multipleUniqueConflicts,
    @JsonProperty("stats_reset") Instant statsReset) {

  static SubscriptionStatisticsBody of(Subscription row, SubscriptionStatistics counted) {
    return new SubscriptionStatisticsBody(
        Integer.toUnsignedLong(row.oid()),
        row.name(),
        counted.applyErrors.sum(),
        counted.syncErrors.sum(),
        counted.conflicts(Conflict.INSERT_EXISTS).sum(),
        counted.conflicts(Conflict.UPDATE_ORIGIN_DIFFERS).sum(),
        counted.conflicts(Conflict.UPDATE_EXISTS).sum(),
        counted.conflicts(Conflict.UPDATE_MISSING).sum(),
        counted.conflicts(Conflict.DELETE_ORIGIN_DIFFERS).sum(),
        counted.conflicts(Conflict.DELETE_MISSING).sum(),
        counted.conflicts(Conflict.MULTIPLE_UNIQUE_CONFLICTS).sum(),
        Times.micros(counted.statsReset()));
  }

  Object[] values() {
    return new Object[] {
      subid,
      subname,
      applyErrorCount,
      syncErrorCount,
      insertExists,
      updateOriginDiffers,
      updateExists,
      updateMissing,
      deleteOriginDiffers,
      deleteMissing,
      multipleUniqueConflicts,
      Times.utc(statsReset)
    };
  }
}
