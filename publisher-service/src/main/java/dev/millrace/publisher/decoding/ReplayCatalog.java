package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The catalogue as a committed transaction's changes saw it, moving forward with them: what others
 * had committed before each change, and the transaction's own CATALOG records met so far. Looked up
 * only when a plugin asks.
 */
final class ReplayCatalog {

  private final CatalogHistory history;
  private final List<byte[]> own = new ArrayList<>();
  private CatalogSnapshot base;
  private CatalogSnapshot view;
  private long baseEndLsn;

  ReplayCatalog(CatalogHistory history) {
    this.history = history;
  }

  void beginTransaction() {
    own.clear();
    base = null;
  }

  void add(byte[] buffer, int offset, int length) {
    own.add(Arrays.copyOfRange(buffer, offset, offset + length));
    base = null;
  }

  /**
   * @param lsn not before the last one of this transaction
   */
  CatalogSnapshot asOf(long lsn) {
    if (base == null || !Lsn.isBefore(lsn, baseEndLsn)) {
      base = history.asOf(lsn);
      baseEndLsn = history.nextChangeAfter(lsn);
      view = base;
      for (byte[] body : own) {
        view = history.withRecord(view, body, 0, body.length);
      }
    }
    return view;
  }
}
