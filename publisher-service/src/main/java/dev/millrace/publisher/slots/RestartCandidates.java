package dev.millrace.publisher.slots;

import dev.millrace.model.Lsn;
import java.util.Arrays;

/**
 * Where decoding may start once a position is confirmed, noted by the decoder in log order.
 *
 * <p>Bounded: when the room is full every second candidate goes, which only makes restart_lsn move
 * in larger steps. Not safe for threads; the slot guards it.
 */
final class RestartCandidates {

  /** One candidate in three longs. */
  record Candidate(long restartLsn, long validFrom, long catalogXmin) {}

  static final int CAPACITY = 64;

  private final Candidate[] queue = new Candidate[CAPACITY];
  private int size;

  /** Takes a candidate unless it brings nothing over the last one. */
  void add(long restartLsn, long validFrom, long catalogXmin) {
    if (size > 0) {
      Candidate last = queue[size - 1];
      if (!Lsn.isBefore(last.restartLsn, restartLsn) && last.catalogXmin >= catalogXmin) {
        return;
      }
      if (Lsn.isBefore(validFrom, last.validFrom)) {
        return;
      }
    }
    if (size == CAPACITY) {
      thin();
    }
    queue[size++] = new Candidate(restartLsn, validFrom, catalogXmin);
  }

  private void thin() {
    int kept = 0;
    for (int i = 1; i < size; i += 2) {
      queue[kept++] = queue[i];
    }
    Arrays.fill(queue, kept, size, null);
    size = kept;
  }

  /** Removes the candidates that {@code confirmedLsn} makes valid and returns the last, or null. */
  Candidate adopt(long confirmedLsn) {
    int valid = 0;
    while (valid < size && !Lsn.isBefore(confirmedLsn, queue[valid].validFrom)) {
      valid++;
    }
    if (valid == 0) {
      return null;
    }
    Candidate adopted = queue[valid - 1];
    System.arraycopy(queue, valid, queue, 0, size - valid);
    Arrays.fill(queue, size - valid, size, null);
    size -= valid;
    return adopted;
  }

  void clear() {
    Arrays.fill(queue, null);
    size = 0;
  }

  int size() {
    return size;
  }
}
