package dev.millrace.publisher.database;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotLimits;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import java.util.function.Supplier;

/**
 * Lets go of log and catalogue history that nobody needs: what lies before redo, before every
 * running transaction, before every slot's restart_lsn as it is on disk, and beyond wal_keep_size.
 * Safe for any thread.
 */
final class LogRetention {

  private final WriteAheadLog log;
  private final CatalogStore catalog;
  private final Settings settings;
  private final Supplier<ReplicationSlots> slots;
  private final SlotLimits limits;

  /**
   * @param slots asked at each checkpoint; gives null while the slots are not loaded, and then
   *     nothing is let go
   */
  LogRetention(
      WriteAheadLog log,
      CatalogStore catalog,
      Settings settings,
      Supplier<ReplicationSlots> slots,
      SlotLimits limits) {
    this.log = log;
    this.catalog = catalog;
    this.settings = settings;
    this.slots = slots;
    this.limits = limits;
  }

  /** Saves the slots and removes what is needed by neither them nor redo from {@code redoLsn}. */
  void release(long redoLsn) {
    ReplicationSlots known = slots.get();
    if (known == null) {
      return;
    }
    known.saveAll();
    limits.apply(known, redoLsn, log.insertLsn());
    long keep = settings.getBytes("wal_keep_size");
    long neededLsn = Lsn.min(redoLsn, known.oldestRestartLsn());
    long keptLsn = log.insertLsn() - keep;
    log.removeSegmentsBefore(keep > 0 && keptLsn > 0 ? Lsn.min(neededLsn, keptLsn) : neededLsn);
    catalog.forgetBefore(Lsn.min(neededLsn, known.oldestCatalogLsn()));
  }
}
