package dev.millrace.subscriber.apply;

import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.Relation;
import dev.millrace.sql.H2Errors;
import dev.millrace.subscriber.target.TargetDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * The relation cache (LogicalRepRelMap): remote relation id to local table. A Relation message
 * replaces its entry. A local definition is looked up at a table's first use in a transaction if
 * any has changed since; from its first write on, the transaction's lock keeps it as it is. One
 * thread.
 */
final class RelationMap implements AutoCloseable {

  /** An open table with its statements. */
  record OpenRelation(TargetRelation target, RelationStatements statements) {}

  private static final class Entry {
    final Relation remote;
    OpenRelation open;
    long openedVersion;
    boolean seen;
    long judgedCommitLsn;
    ChangeGate.Verdict verdict;

    Entry(Relation remote) {
      this.remote = remote;
    }
  }

  private final Connection connection;
  private final TargetDatabase target;
  private final ChangeGate gate;
  private final Map<Integer, Entry> entries = new HashMap<>();

  RelationMap(Connection connection, TargetDatabase target, ChangeGate gate) {
    this.connection = connection;
    this.target = target;
    this.gate = gate;
  }

  /** Takes a Relation message; an equal one changes nothing. */
  void put(Relation remote) throws SQLException {
    Entry known = entries.get(remote.relationOid());
    if (known != null && known.remote.equals(remote)) {
      return;
    }
    if (known != null) {
      close(known);
    }
    entries.put(remote.relationOid(), new Entry(remote));
  }

  /** Nothing of this transaction waits to be written with the statements that are closed. */
  private void closeIfStale(Entry entry) {
    if (entry.openedVersion != target.schemaVersion()) {
      try {
        close(entry);
      } catch (SQLException e) {
        throw H2Errors.translate(e);
      }
    }
  }

  /**
   * The open table, or null when its changes in this transaction are not ours to apply.
   *
   * @throws PgException 55000 when the local table is missing or does not fit
   */
  OpenRelation find(int remoteOid, long commitLsn) {
    Entry entry = entries.get(remoteOid);
    if (entry == null) {
      throw new PgException(
          SqlState.PROTOCOL_VIOLATION,
          "no relation map entry for remote relation ID " + Integer.toUnsignedString(remoteOid));
    }
    if (entry.judgedCommitLsn != commitLsn) {
      closeIfStale(entry);
      entry.verdict = gate.judge(entry.remote.qualifiedName(), commitLsn);
      entry.judgedCommitLsn = commitLsn;
    }
    switch (entry.verdict) {
      case APPLY:
        if (entry.open == null) {
          entry.openedVersion = target.schemaVersion();
          entry.open = open(entry.remote);
        }
        return entry.open;
      case NOT_SUBSCRIBED:
        requireExisting(entry);
        return null;
      default:
        return null;
    }
  }

  private OpenRelation open(Relation remote) {
    RelationDefinition local = target.relation(remote.qualifiedName());
    if (local == null) {
      throw TargetRelation.doesNotExist(remote.qualifiedName());
    }
    TargetRelation relation = new TargetRelation(remote, local);
    target.skipForeignKeyChecks(local.name());
    return new OpenRelation(relation, new RelationStatements(connection, relation));
  }

  /** A table that was dropped here must not go unnoticed, as it does not in PostgreSQL. */
  private void requireExisting(Entry entry) {
    if (!entry.seen && target.relation(entry.remote.qualifiedName()) == null) {
      throw TargetRelation.doesNotExist(entry.remote.qualifiedName());
    }
    entry.seen = true;
  }

  private static void close(Entry entry) throws SQLException {
    entry.seen = false;
    if (entry.open != null) {
      entry.open.statements().close();
      entry.open = null;
    }
  }

  @Override
  public void close() throws SQLException {
    for (Entry entry : entries.values()) {
      close(entry);
    }
  }
}
