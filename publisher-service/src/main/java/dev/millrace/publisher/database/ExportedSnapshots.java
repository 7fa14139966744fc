package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode.PinnedSnapshot;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The snapshots that CREATE_REPLICATION_SLOT has exported, by the name that SET TRANSACTION
 * SNAPSHOT gives. A name is good until its exporter's next command or end.
 *
 * <p>An H2 snapshot is a connection, so one session can take it over; from then on it is that
 * session's, whatever the exporter does. Its monitor guards everything.
 */
public final class ExportedSnapshots {

  private static final Pattern NAME = Pattern.compile("[0-9A-F]{8}-[0-9A-F]{8}-1");

  /** A name's snapshot; null once a session has taken it. */
  private final Map<String, PinnedSnapshot> byName = new HashMap<>();

  private int last;

  /** Takes a snapshot over and gives it a name. */
  public synchronized String export(PinnedSnapshot snapshot, long exporterPid) {
    String name = String.format(Locale.ROOT, "%08X-%08X-1", (int) exporterPid, ++last);
    byName.put(name, snapshot);
    return name;
  }

  /**
   * Hands the snapshot of that name to a session, which closes it.
   *
   * @param foreign whether the session can read rows on a PostgreSQL server
   * @throws PgException 22023 for no such form of name, 42704 for an unknown one, 0A000 when
   *     another session has taken it
   */
  public synchronized PinnedSnapshot take(String name, boolean foreign) {
    if (!NAME.matcher(name).matches()) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "invalid snapshot identifier: \"" + name + "\"");
    }
    if (!byName.containsKey(name)) {
      throw new PgException(SqlState.UNDEFINED_OBJECT, "snapshot \"" + name + "\" does not exist");
    }
    PinnedSnapshot snapshot = byName.get(name);
    if (snapshot == null) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "using snapshot \"" + name + "\" in more than one session is not supported");
    }
    if (snapshot.isForeign() && !foreign) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "using a snapshot of the source in an SQL session is not supported");
    }
    byName.put(name, null);
    return snapshot;
  }

  /** The name is good no more; a snapshot that nobody has taken is closed. */
  public void end(String name) {
    PinnedSnapshot snapshot;
    synchronized (this) {
      snapshot = byName.remove(name);
    }
    if (snapshot != null) {
      snapshot.close();
    }
  }
}
