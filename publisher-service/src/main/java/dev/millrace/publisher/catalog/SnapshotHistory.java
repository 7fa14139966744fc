package dev.millrace.publisher.catalog;

import dev.millrace.model.Lsn;
import java.util.Arrays;

/** Snapshots by the position they count from, oldest first. Immutable. */
record SnapshotHistory(CatalogSnapshot[] snapshots) {

  static SnapshotHistory of(CatalogSnapshot first) {
    return new SnapshotHistory(new CatalogSnapshot[] {first});
  }

  CatalogSnapshot newest() {
    return snapshots[snapshots.length - 1];
  }

  /** With a snapshot after the newest, or in its place when it counts from the same position. */
  SnapshotHistory with(CatalogSnapshot next) {
    boolean replaces = newest().sinceLsn() == next.sinceLsn();
    int length = replaces ? snapshots.length : snapshots.length + 1;
    CatalogSnapshot[] longer = Arrays.copyOf(snapshots, length);
    longer[length - 1] = next;
    return new SnapshotHistory(longer);
  }

  /**
   * Index of the last snapshot with {@code sinceLsn <= lsn}; the first one for earlier positions.
   */
  private int indexAsOf(long lsn) {
    int low = 0;
    int high = snapshots.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (Lsn.isBefore(lsn, snapshots[middle].sinceLsn())) {
        high = middle - 1;
      } else {
        low = middle;
      }
    }
    return low;
  }

  CatalogSnapshot asOf(long lsn) {
    return snapshots[indexAsOf(lsn)];
  }

  long nextChangeAfter(long lsn) {
    int index = indexAsOf(lsn);
    if (Lsn.isBefore(lsn, snapshots[index].sinceLsn())) {
      return snapshots[index].sinceLsn();
    }
    return index + 1 < snapshots.length ? snapshots[index + 1].sinceLsn() : Long.MAX_VALUE;
  }

  SnapshotHistory from(long lsn) {
    int index = indexAsOf(lsn);
    return index == 0
        ? this
        : new SnapshotHistory(Arrays.copyOfRange(snapshots, index, snapshots.length));
  }
}
