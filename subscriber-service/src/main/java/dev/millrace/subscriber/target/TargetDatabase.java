package dev.millrace.subscriber.target;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.sql.Connection;

/**
 * The database that changes are applied to. It also holds the catalogue (schema {@code millrace}),
 * because state and data commit together. Safe for any thread.
 */
public interface TargetDatabase {

  /**
   * A new connection for one worker: auto-commit off, READ COMMITTED. The caller closes it.
   *
   * @throws dev.millrace.model.PgException 08006 when the database is not reachable
   */
  Connection openConnection();

  /**
   * The table's definition as it stands now, with the OID it got when it was first asked for; null
   * when there is no such table. Definitions are kept until {@link #schemaVersion} moves.
   */
  RelationDefinition relation(QualifiedName table);

  /** The name under which an OID was given out, or null; the table may be gone since. */
  QualifiedName nameOf(int relationOid);

  /** Moves with every change of any table definition; compare for equality only. */
  long schemaVersion();

  /** Carries the OID to the new name. Call after ALTER TABLE .. RENAME TO / SET SCHEMA. */
  void tableRenamed(QualifiedName from, QualifiedName to);

  /** Forgets the OID: a later table of that name gets another one. Call after DROP TABLE. */
  void tableDropped(QualifiedName table);

  /**
   * ALTER TABLE .. REPLICA IDENTITY on the subscriber: which index finds the rows.
   *
   * @param indexName only with {@link ReplicaIdentity#INDEX}, null otherwise
   */
  void setReplicaIdentity(QualifiedName table, ReplicaIdentity identity, String indexName);

  /**
   * Returns when everything committed before the call is on disk. Callers at the same time share
   * one sync.
   */
  void makeDurable();

  /**
   * Switches checks of foreign keys from and to the table. Off while it is subscribed: the
   * publisher has checked the rows, and they may arrive child first. The switch does not survive a
   * restart or DDL on the table, so it is set again whenever a worker opens the table.
   */
  void setReferentialIntegrity(QualifiedName table, boolean checked);
}
