package dev.millrace.publisher.database;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import java.time.Clock;

/**
 * What all sessions of the node share.
 *
 * @param foreign null where the rows are this node's own
 */
record NodeParts(
    EmbeddedDatabase database,
    WriteAheadLog log,
    CatalogStore catalog,
    Settings settings,
    Clock clock,
    int databaseOid,
    CommitGate gate,
    RunningTransactions running,
    RelationLocks locks,
    TableShapes shapes,
    SequenceBounds sequences,
    TransactionLog transactions,
    TwoPhaseCommit twoPhase,
    AsyncCommits asyncCommits,
    OpenSnapshots snapshots,
    ReplicationOrigins origins,
    NodeFailure failure,
    ForeignTransactions foreign) {

  /** Whether the rows are a source's: this node's database then holds none. */
  boolean isForeign() {
    return foreign != null;
  }

  /** Ends the process when H2 is gone: the next start opens the file and redoes what it lacks. */
  void stopIfDatabaseLost(Throwable cause) {
    if (database.isLost() && failure.reason() == null) {
      failure.stop("the database has been given up", cause);
    }
  }
}
