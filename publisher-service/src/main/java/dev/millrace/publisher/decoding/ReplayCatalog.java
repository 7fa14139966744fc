package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import java.util.List;

/**
 * The catalogue as a transaction's changes saw it, moving forward with them: what others had
 * committed before each change, and what the transaction itself had changed by then. Looked up only
 * when a plugin asks.
 */
final class ReplayCatalog {

  private final CatalogHistory history;
  private List<CatalogOverlays.Change> own = List.of();
  private CatalogSnapshot view;
  private long viewEndLsn;

  ReplayCatalog(CatalogHistory history) {
    this.history = history;
  }

  /**
   * A transaction's changes follow.
   *
   * @param ownChanges of the catalogue, in log order
   */
  void beginTransaction(List<CatalogOverlays.Change> ownChanges) {
    own = ownChanges;
    view = null;
  }

  /**
   * @param lsn not before the last one of this transaction
   */
  CatalogSnapshot asOf(long lsn) {
    if (view == null || !Lsn.isBefore(lsn, viewEndLsn)) {
      view = history.asOf(lsn);
      viewEndLsn = history.nextChangeAfter(lsn);
      for (CatalogOverlays.Change change : own) {
        if (!Lsn.isBefore(change.lsn(), lsn)) {
          viewEndLsn = Lsn.min(viewEndLsn, change.lsn());
          break;
        }
        view = history.withRecord(view, change.body(), 0, change.body().length);
      }
    }
    return view;
  }
}
