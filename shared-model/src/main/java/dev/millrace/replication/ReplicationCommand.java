package dev.millrace.replication;

import dev.millrace.model.QualifiedName;
import dev.millrace.sql.ParsedStatement;
import java.util.List;
import java.util.Map;

/**
 * One command of a walsender session, read from a text frame.
 *
 * <p>Option names are lower-cased and stand in the order given; an option without a value has the
 * empty string. Slot names are as written when quoted, else folded.
 */
public sealed interface ReplicationCommand {

  /** IDENTIFY_SYSTEM */
  record IdentifySystem() implements ReplicationCommand {}

  /** SHOW name */
  record Show(String name) implements ReplicationCommand {}

  /** READ_REPLICATION_SLOT slot */
  record ReadReplicationSlot(String slot) implements ReplicationCommand {}

  /**
   * CREATE_REPLICATION_SLOT slot [TEMPORARY] LOGICAL plugin | PHYSICAL [(options)]; the older bare
   * words EXPORT_SNAPSHOT, NOEXPORT_SNAPSHOT, USE_SNAPSHOT, TWO_PHASE and RESERVE_WAL arrive as
   * options.
   *
   * @param plugin null for a physical slot
   */
  record CreateReplicationSlot(
      String slot, boolean temporary, String plugin, Map<String, String> options)
      implements ReplicationCommand {}

  /** ALTER_REPLICATION_SLOT slot (options) */
  record AlterReplicationSlot(String slot, Map<String, String> options)
      implements ReplicationCommand {}

  /** DROP_REPLICATION_SLOT slot [WAIT] */
  record DropReplicationSlot(String slot, boolean waitIfActive) implements ReplicationCommand {}

  /** START_REPLICATION SLOT slot LOGICAL X/X [(options)] */
  record StartLogicalReplication(String slot, long startLsn, Map<String, String> options)
      implements ReplicationCommand {}

  /**
   * START_REPLICATION [SLOT slot] [PHYSICAL] X/X [TIMELINE n]
   *
   * @param slot null without one
   * @param timeline 0 when not given
   */
  record StartPhysicalReplication(String slot, long startLsn, int timeline)
      implements ReplicationCommand {}

  /**
   * COPY table [(columns)] | (query) TO STDOUT [[WITH] (options)]
   *
   * @param table null when a query is copied
   * @param columns null without a list
   * @param query null when a table is copied
   */
  record CopyToStdout(
      QualifiedName table, List<String> columns, String query, Map<String, String> options)
      implements ReplicationCommand {}

  /** Anything else: SQL, one statement. */
  record Sql(ParsedStatement statement) implements ReplicationCommand {}
}
