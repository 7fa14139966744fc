package dev.millrace.publisher.decoding;

import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What open transactions changed in the catalogue and only they see before they commit. Few
 * transactions change it, so the records are kept as they are and the view is made again whenever
 * something below it changed.
 */
final class CatalogOverlays {

  /** One CATALOG record of an open transaction. */
  record Change(int xid, long lsn, byte[] body) {}

  private static final class Overlay {
    final List<Change> changes = new ArrayList<>();
    CatalogSnapshot base;
    CatalogSnapshot view;
  }

  private final CatalogHistory history;
  private final Map<Integer, Overlay> byTopXid = new HashMap<>();

  CatalogOverlays(CatalogHistory history) {
    this.history = history;
  }

  boolean isEmpty() {
    return byTopXid.isEmpty();
  }

  boolean contains(int topXid) {
    return byTopXid.containsKey(topXid);
  }

  void add(int xid, int topXid, long lsn, byte[] buffer, int bodyOffset, int bodyLength) {
    Overlay overlay = byTopXid.computeIfAbsent(topXid, key -> new Overlay());
    byte[] body = Arrays.copyOfRange(buffer, bodyOffset, bodyOffset + bodyLength);
    overlay.changes.add(new Change(xid, lsn, body));
    overlay.view = null;
  }

  /** What the transaction itself has changed so far and not taken back, in log order. */
  List<Change> changesOf(int topXid) {
    Overlay overlay = byTopXid.get(topXid);
    return overlay == null ? List.of() : List.copyOf(overlay.changes);
  }

  /** The transaction's own view over the committed catalogue {@code base}. */
  CatalogSnapshot view(int topXid, CatalogSnapshot base) {
    Overlay overlay = byTopXid.get(topXid);
    if (overlay == null) {
      return base;
    }
    if (overlay.view == null || overlay.base != base) {
      CatalogSnapshot view = base;
      for (Change change : overlay.changes) {
        view = history.withRecord(view, change.body, 0, change.body.length);
      }
      overlay.base = base;
      overlay.view = view;
    }
    return overlay.view;
  }

  /** Takes back what aborted subtransactions changed. */
  void abort(int subxid, int topXid, int[] children) {
    Overlay overlay = byTopXid.get(topXid);
    if (overlay != null) {
      Set<Integer> aborted = new HashSet<>();
      aborted.add(subxid);
      for (int child : children) {
        aborted.add(child);
      }
      overlay.changes.removeIf(change -> aborted.contains(change.xid));
      overlay.view = null;
      if (overlay.changes.isEmpty()) {
        byTopXid.remove(topXid); // Whoever finds an overlay may rely on a change in it.
      }
    }
  }

  /** The transaction ended: its changes are in the history now, or nowhere. */
  void ended(int topXid) {
    byTopXid.remove(topXid);
  }
}
