package dev.millrace.publisher.recovery;

import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.wal.PrepareRecord;
import java.sql.Connection;
import java.util.List;
import java.util.Map;

/**
 * What the log told at a start.
 *
 * @param redoneTransactions how many transactions H2 lacked
 * @param nextXid no xid at or above it is in the log
 * @param unfinishedXids top-level transactions that neither committed nor aborted, without the one
 *     of {@code openDdl}
 * @param prepared the transactions that are prepared, in the order of their PREPARE records
 * @param openDdl the DDL statement that was running when the process died, or null
 * @param lastCommitTime the greatest commit time met, microseconds since 2000-01-01 UTC; 0 = none
 * @param sequenceBounds by schema and name, the last bound of each sequence that has one
 * @param sourceLsn the greatest position of a source's log met; 0 = none
 */
public record RecoveryResult(
    long redoneTransactions,
    int nextXid,
    List<Integer> unfinishedXids,
    List<Prepared> prepared,
    OpenDdl openDdl,
    long lastCommitTime,
    Map<QualifiedName, Long> sequenceBounds,
    long sourceLsn) {

  /**
   * A prepared transaction; its rows are in its connection's open transaction, where they are this
   * node's own; {@code connection} is null where they are a source's.
   *
   * @param firstLsn its first record
   * @param lsn its PREPARE record, which ends at {@code endLsn}
   * @param changed whether it changed anything
   * @param originId the origin of its PREPARE record
   * @param catalog its catalogue changes with their locks, null when it made none
   */
  public record Prepared(
      int xid,
      long firstLsn,
      long lsn,
      long endLsn,
      boolean changed,
      int originId,
      PrepareRecord record,
      CatalogTransaction catalog,
      Connection connection) {

    /** The same with what it was opened on. */
    Prepared opened(CatalogTransaction changes, Connection own) {
      return new Prepared(xid, firstLsn, lsn, endLsn, changed, originId, record, changes, own);
    }
  }

  /**
   * A DDL intent without an end.
   *
   * @param body the intent record's body
   */
  public record OpenDdl(int xid, byte[] body) {}
}
