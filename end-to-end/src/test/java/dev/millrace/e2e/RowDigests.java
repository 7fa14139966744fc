package dev.millrace.e2e;

import java.util.HashMap;
import java.util.Map;

/**
 * How many rows of each label there are, and which, in little room: two sets of rows with the same
 * digests are the same but for chance (one in 2^64).
 */
final class RowDigests {

  /** The number of rows, and the sum of their keys, each mixed so that sums do not meet. */
  record Digest(long rows, long keys) {
    private Digest plus(Digest other) {
      return new Digest(rows + other.rows, keys + other.keys);
    }
  }

  private final Map<String, Digest> byLabel = new HashMap<>();

  void add(int key, String label) {
    byLabel.merge(label, new Digest(1, mix(key)), Digest::plus);
  }

  Map<String, Digest> byLabel() {
    return byLabel;
  }

  /** The finalizer of SplittableRandom, a bijection that scatters neighbours. */
  private static long mix(long key) {
    long mixed = (key ^ (key >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
