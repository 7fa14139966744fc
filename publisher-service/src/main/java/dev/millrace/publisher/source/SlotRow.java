package dev.millrace.publisher.source;

import dev.millrace.model.Identifiers;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The slot as the source shows it, and what must hold before it is read.
 *
 * <p>Nothing is ever confirmed before it is on this node's disk. So a slot whose confirmed position
 * is behind what the own log has was moved by somebody else, or is another one of the same name:
 * the server would begin there without a word, and what lies between would be missing.
 *
 * @param ownDatabase whether it belongs to the database that the source is
 * @param invalidation why it cannot be used any more; null while it can
 * @param activePid of the backend that reads it; 0 when none does
 */
record SlotRow(
    String name,
    String plugin,
    boolean ownDatabase,
    String invalidation,
    long confirmedLsn,
    int activePid) {

  /** Null when there is none of that name. */
  static SlotRow find(Connection queries, String name) throws SQLException {
    List<List<String>> rows =
        SourceServer.query(
            queries,
            "SELECT plugin, database = pg_catalog.current_database(), CASE WHEN"
                + " to_jsonb(s)->>'invalidation_reason' IS NOT NULL THEN"
                + " to_jsonb(s)->>'invalidation_reason' WHEN wal_status = 'lost' THEN"
                + " 'wal_removed' END, confirmed_flush_lsn, active_pid"
                + " FROM pg_catalog.pg_replication_slots s WHERE slot_name = "
                + Identifiers.literal(name));
    if (rows.isEmpty()) {
      return null;
    }
    List<String> row = rows.get(0);
    return new SlotRow(
        name,
        row.get(0),
        "t".equals(row.get(1)),
        row.get(2),
        row.get(3) == null ? 0 : Lsn.parse(row.get(3)).value(),
        row.get(4) == null ? 0 : Integer.parseInt(row.get(4)));
  }

  /**
   * Returns when the slot can give what follows {@code takenLsn}.
   *
   * @param slot null when there is none
   * @param title what errors call it
   * @throws SourceProblem SLOT_LOST
   */
  static void require(SlotRow slot, String title, long takenLsn) {
    if (slot == null) {
      throw lost(title, "does not exist any more", takenLsn);
    } else if (!"pgoutput".equals(slot.plugin) || !slot.ownDatabase) {
      throw lost(title, "is of another database or plugin", takenLsn);
    } else if (slot.invalidation != null) {
      throw lost(title, "has been invalidated due to \"" + slot.invalidation + "\"", takenLsn);
    } else if (Lsn.isBefore(takenLsn, slot.confirmedLsn)) {
      String moved =
          "was moved to %s by somebody else, or was dropped and made again"
              .formatted(Lsn.format(slot.confirmedLsn));
      throw lost(title, moved, takenLsn);
    }
  }

  /**
   * As {@link #require}, now that it is being read and nobody else can move it.
   *
   * @param pid of the backend that reads it
   */
  void requireReadFrom(long takenLsn, int pid) {
    require(this, "\"" + name + "\" of the source", takenLsn);
    if (activePid != pid) {
      throw new SourceProblem(
          SourceState.AWAY,
          new PgException(
              SqlState.CONNECTION_FAILURE,
              "two connections to the source have reached different servers"));
    }
  }

  private static SourceProblem lost(String title, String reason, long takenLsn) {
    return new SourceProblem(
        SourceState.SLOT_LOST,
        new PgException(
                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "replication slot " + title + " " + reason)
            .withDetail("Changes after %s may be lost.".formatted(Lsn.format(takenLsn)))
            .withHint(
                "Begin with a new data directory and synchronize the subscriptions' tables"
                    + " again."));
  }
}
