package dev.millrace.subscriber.target;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The database that changes are applied to. It also holds the catalogue (schema {@code millrace}),
 * because state and data commit together. Safe for any thread.
 */
public interface TargetDatabase {

  /**
   * A new connection for one worker: auto-commit off, READ COMMITTED. The caller closes it.
   *
   * @throws PgException 08006 when the database is not reachable
   */
  Connection openConnection();

  /**
   * The table's definition as it stands now, under the OID and with the replica identity that the
   * catalogue keeps for it; null when there is no such table.
   *
   * @throws PgException 42809 for a view
   */
  RelationDefinition relation(QualifiedName table);

  /** The enums and domains as they are defined now, under OIDs that the catalogue keeps. */
  Map<QualifiedName, TypeDefinition> types();

  /** The tables with a foreign key to the given one, itself left out. */
  List<QualifiedName> referencingTables(QualifiedName table);

  /** Moves when a table definition changes; compare for equality only. Cheap. */
  long schemaVersion();

  /** What keeps writers and DDL apart; for every connection to this database. */
  DefinitionLocks definitionLocks();

  /** What a new transaction writes through, so that neither DDL nor a full disk harms its rows. */
  default FirstWrites firstWrites() {
    return new FirstWrites(definitionLocks(), this::requireRoom);
  }

  /** Why nothing can be written now, such as a full disk (53100); null when it can. Cheap. */
  PgException refusal();

  /**
   * For those who are about to write.
   *
   * @throws PgException {@link #refusal}
   */
  default void requireRoom() {
    PgException refusal = refusal();
    if (refusal != null) {
      throw refusal;
    }
  }

  /** Lets everything fail that waits for room on the disk; the database is lost to this process. */
  void giveUpWaiting();

  /** Moves {@link #schemaVersion}. Call after DDL and after ALTER TABLE .. REPLICA IDENTITY. */
  void definitionChanged();

  /**
   * Returns when everything committed before the call is on disk. Callers at the same time share
   * one sync.
   *
   * @throws PgException 58030 when the disk refuses, 53100 while it is full: then what was
   *     committed waits in memory and becomes durable once there is room
   */
  void makeDurable();

  /**
   * Whether the database has closed itself, as H2 does when its file cannot be written: only a new
   * start of the service opens it again. Cheap.
   */
  boolean hasClosedItself();

  /**
   * Switches off checks of foreign keys from and to the table while it is subscribed: the publisher
   * has checked the rows, and they may arrive child first. The switch does not survive a restart or
   * DDL on the table, so it is thrown again whenever a worker opens the table.
   */
  void skipForeignKeyChecks(QualifiedName table);

  /** Switches the checks on again for tables that are not among these. */
  void checkForeignKeysExcept(Set<QualifiedName> subscribed);
}
