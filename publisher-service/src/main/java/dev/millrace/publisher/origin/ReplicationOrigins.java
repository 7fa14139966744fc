package dev.millrace.publisher.origin;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * The node's replication origins. Safe for any thread.
 *
 * <p>Creating, dropping and setting one is durable when the call returns, also inside a transaction
 * that rolls back later. Progress is kept in memory, written at checkpoints, and what was committed
 * behind the last one is found in the log again: {@link #replayed} takes a commit once, whether it
 * is told at the commit or by recovery.
 */
public final class ReplicationOrigins {

  private static final int MAX_ID = 65534;
  private static final int MAX_NAME_BYTES = 512;

  private final OriginFile file;
  private final IntSupplier maxActive;
  private final TreeMap<Integer, ReplicationOrigin> byId = new TreeMap<>();
  private final Map<Integer, Long> activePids = new HashMap<>();

  private ReplicationOrigins(OriginFile file, IntSupplier maxActive) {
    this.file = file;
    this.maxActive = maxActive;
    file.read().forEach(origin -> byId.put(origin.id(), origin));
  }

  /**
   * @param maxActive max_active_replication_origins
   * @throws PgException XX001 when what is stored is damaged
   */
  public static ReplicationOrigins open(Path dataDirectory, IntSupplier maxActive) {
    return new ReplicationOrigins(new OriginFile(dataDirectory), maxActive);
  }

  /**
   * Makes an origin a user asked for.
   *
   * @return its number
   * @throws PgException 42939 for a reserved name, 23505 for one in use
   */
  public int create(String name) {
    if (name.startsWith("pg_") || name.equalsIgnoreCase("any") || name.equalsIgnoreCase("none")) {
      throw new PgException(
              SqlState.RESERVED_NAME, "replication origin name \"" + name + "\" is reserved")
          .withDetail(
              "Origin names \"any\", \"none\", and names starting with \"pg_\" are reserved.");
    }
    synchronized (this) {
      if (find(name) != null) {
        throw new PgException(
                SqlState.UNIQUE_VIOLATION,
                "duplicate key value violates unique constraint"
                    + " \"pg_replication_origin_roname_index\"")
            .withDetail("Key (roname)=(" + name + ") already exists.");
      }
      return add(name);
    }
  }

  /** The number of an origin of any name, which is made when there is none. */
  public synchronized int findOrCreate(String name) {
    ReplicationOrigin origin = find(name);
    return origin == null ? add(name) : origin.id();
  }

  private int add(String name) {
    if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
      throw new PgException(SqlState.INVALID_PARAMETER_VALUE, "replication origin name is too long")
          .withDetail(
              "Replication origin names must be no longer than " + MAX_NAME_BYTES + " bytes.");
    }
    int id = 1;
    while (byId.containsKey(id)) {
      id++;
    }
    if (id > MAX_ID) {
      throw new PgException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, "could not find free replication origin ID");
    }
    byId.put(id, new ReplicationOrigin(id, name, 0, 0, 0));
    save();
    return id;
  }

  /**
   * @throws PgException 42704 unknown, 55006 in use
   */
  public synchronized void drop(String name) {
    ReplicationOrigin origin = get(name);
    Long pid = activePids.get(origin.id());
    if (pid != null) {
      throw new PgException(
          SqlState.OBJECT_IN_USE,
          "could not drop replication origin with ID " + origin.id() + ", in use by PID " + pid);
    }
    byId.remove(origin.id());
    save();
  }

  private ReplicationOrigin find(String name) {
    for (ReplicationOrigin origin : byId.values()) {
      if (origin.name().equals(name)) {
        return origin;
      }
    }
    return null;
  }

  /**
   * @throws PgException 42704 when there is none of that name
   */
  public synchronized ReplicationOrigin get(String name) {
    ReplicationOrigin origin = find(name);
    if (origin == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "replication origin \"" + name + "\" does not exist");
    }
    return origin;
  }

  /** Its number, or null when there is none of that name. */
  public synchronized Integer idOf(String name) {
    ReplicationOrigin origin = find(name);
    return origin == null ? null : origin.id();
  }

  /** Null when there is none of that number, or none any more. */
  public synchronized String nameOf(int id) {
    ReplicationOrigin origin = byId.get(id);
    return origin == null ? null : origin.name();
  }

  /** All, by number. */
  public synchronized List<ReplicationOrigin> all() {
    return List.copyOf(byId.values());
  }

  /** Takes the origin for a session; nobody else can replay it meanwhile. */
  synchronized ReplicationOrigin acquire(String name, long pid) {
    ReplicationOrigin origin = get(name);
    requireInactive(origin);
    if (activePids.size() >= maxActive.getAsInt()) {
      throw new PgException(
              SqlState.CONFIGURATION_LIMIT_EXCEEDED,
              "could not find free replication state slot for replication origin with ID "
                  + origin.id())
          .withHint("Increase \"max_active_replication_origins\" and try again.");
    }
    activePids.put(origin.id(), pid);
    return origin;
  }

  private void requireInactive(ReplicationOrigin origin) {
    Long pid = activePids.get(origin.id());
    if (pid != null) {
      throw new PgException(
          SqlState.OBJECT_IN_USE,
          "replication origin with ID " + origin.id() + " is already active for PID " + pid);
    }
  }

  synchronized void release(int id) {
    activePids.remove(id);
  }

  /** A transaction of that origin has been committed here and is on disk. */
  public synchronized void replayed(int id, long remoteLsn, long localEndLsn) {
    byId.computeIfPresent(id, (key, origin) -> origin.replayed(remoteLsn, localEndLsn));
  }

  /**
   * Sets the progress, also backwards.
   *
   * @param nowLsn the end of the local log
   * @throws PgException 42704 unknown, 55006 in use by a session
   */
  public synchronized void advance(String name, long remoteLsn, long nowLsn) {
    ReplicationOrigin origin = get(name);
    requireInactive(origin);
    byId.put(origin.id(), origin.advancedTo(remoteLsn, nowLsn));
    save();
  }

  /** Writes the progress down; called by every checkpoint before it moves the redo position. */
  public synchronized void save() {
    Collection<ReplicationOrigin> origins = byId.values();
    file.write(origins);
  }
}
