package dev.millrace.publisher.source;

import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.database.ExportedSnapshots;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.sql.SqlSession;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A node whose rows are on the source: sessions, publications and the log are this node's, a
 * snapshot of rows comes from over there. Safe for any thread.
 */
final class SourceNode implements PublisherNode {

  private final PublisherNode local;
  private final SnapshotExport snapshots;

  /**
   * @param local the node over log and catalogue, without rows
   */
  SourceNode(PublisherNode local, SnapshotExport snapshots) {
    this.local = local;
    this.snapshots = snapshots;
  }

  @Override
  public ConsistentPoint createConsistentPoint(boolean pinSnapshot) {
    return pinSnapshot ? snapshots.export() : local.createConsistentPoint(false);
  }

  @Override
  public ExportedSnapshots exportedSnapshots() {
    return local.exportedSnapshots();
  }

  @Override
  public SqlSession open() {
    return local.open();
  }

  @Override
  public String databaseName() {
    return local.databaseName();
  }

  @Override
  public int databaseOid() {
    return local.databaseOid();
  }

  @Override
  public String systemIdentifier() {
    return local.systemIdentifier();
  }

  @Override
  public long oldestRunningLsn() {
    return local.oldestRunningLsn();
  }

  @Override
  public long emitMessage(
      SqlSession session, boolean transactional, String prefix, byte[] content, boolean flush) {
    return local.emitMessage(session, transactional, prefix, content, flush);
  }

  @Override
  public int assignXid(SqlSession session) {
    return local.assignXid(session);
  }

  @Override
  public void setSequence(SqlSession session, QualifiedName sequence, long value, boolean called) {
    local.setSequence(session, sequence, value, called);
  }

  @Override
  public SessionOrigin origin(SqlSession session) {
    return local.origin(session);
  }

  @Override
  public long checkpoint() {
    return local.checkpoint();
  }

  @Override
  public boolean hasWritten(SqlSession session) {
    return local.hasWritten(session);
  }

  @Override
  public void onSessionEnd(LongConsumer listener) {
    local.onSessionEnd(listener);
  }

  @Override
  public List<PreparedXact> preparedTransactions() {
    return local.preparedTransactions();
  }

  @Override
  public long nextPid() {
    return local.nextPid();
  }

  @Override
  public void refuseSessions() {
    local.refuseSessions();
  }
}
