package dev.millrace.publisher.recovery;

import dev.millrace.model.QualifiedName;
import java.util.List;
import java.util.Map;

/**
 * What the log told at a start.
 *
 * @param redoneTransactions how many transactions H2 lacked
 * @param nextXid no xid at or above it is in the log
 * @param unfinishedXids top-level transactions that neither committed nor aborted, without the one
 *     of {@code openDdl}
 * @param openDdl the DDL statement that was running when the process died, or null
 * @param lastCommitTime the greatest commit time met, microseconds since 2000-01-01 UTC; 0 = none
 * @param sequenceBounds by schema and name, the last bound of each sequence that has one
 */
public record RecoveryResult(
    long redoneTransactions,
    int nextXid,
    List<Integer> unfinishedXids,
    OpenDdl openDdl,
    long lastCommitTime,
    Map<QualifiedName, Long> sequenceBounds) {

  /**
   * A DDL intent without an end.
   *
   * @param body the intent record's body
   */
  public record OpenDdl(int xid, byte[] body) {}
}
