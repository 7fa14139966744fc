package dev.millrace.subscriber.catalog;

import dev.millrace.subscriber.catalog.SubscriptionStatistics.Conflict;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** The counters of pg_stat_subscription_stats as of their last save. */
@Entity
@Table(name = "subscription_statistics")
class StatisticsRow {

  @Id Integer subid;

  @Column(name = "apply_error_count")
  long applyErrors;

  @Column(name = "sync_error_count")
  long syncErrors;

  @Column(name = "confl_insert_exists")
  long insertExists;

  @Column(name = "confl_update_origin_differs")
  long updateOriginDiffers;

  @Column(name = "confl_update_exists")
  long updateExists;

  @Column(name = "confl_update_missing")
  long updateMissing;

  @Column(name = "confl_delete_origin_differs")
  long deleteOriginDiffers;

  @Column(name = "confl_delete_missing")
  long deleteMissing;

  @Column(name = "confl_multiple_unique_conflicts")
  long multipleUniqueConflicts;

  @Column(name = "stats_reset")
  Instant statsReset;

  protected StatisticsRow() {}

  StatisticsRow(int subid, SubscriptionStatistics live) {
    this.subid = subid;
    applyErrors = live.applyErrors.sum();
    syncErrors = live.syncErrors.sum();
    insertExists = live.conflicts(Conflict.INSERT_EXISTS).sum();
    updateOriginDiffers = live.conflicts(Conflict.UPDATE_ORIGIN_DIFFERS).sum();
    updateExists = live.conflicts(Conflict.UPDATE_EXISTS).sum();
    updateMissing = live.conflicts(Conflict.UPDATE_MISSING).sum();
    deleteOriginDiffers = live.conflicts(Conflict.DELETE_ORIGIN_DIFFERS).sum();
    deleteMissing = live.conflicts(Conflict.DELETE_MISSING).sum();
    multipleUniqueConflicts = live.conflicts(Conflict.MULTIPLE_UNIQUE_CONFLICTS).sum();
    statsReset = live.statsReset();
  }

  SubscriptionStatistics toStatistics() {
    SubscriptionStatistics live = new SubscriptionStatistics();
    if (statsReset != null) {
      live.reset(statsReset);
    }
    live.applyErrors.add(applyErrors);
    live.syncErrors.add(syncErrors);
    live.conflicts(Conflict.INSERT_EXISTS).add(insertExists);
    live.conflicts(Conflict.UPDATE_ORIGIN_DIFFERS).add(updateOriginDiffers);
    live.conflicts(Conflict.UPDATE_EXISTS).add(updateExists);
    live.conflicts(Conflict.UPDATE_MISSING).add(updateMissing);
    live.conflicts(Conflict.DELETE_ORIGIN_DIFFERS).add(deleteOriginDiffers);
    live.conflicts(Conflict.DELETE_MISSING).add(deleteMissing);
    live.conflicts(Conflict.MULTIPLE_UNIQUE_CONFLICTS).add(multipleUniqueConflicts);
    return live;
  }
}
