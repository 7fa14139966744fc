package dev.millrace.publisher.origin;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * The origin a session replays, and where there its present transaction was committed. Position and
 * time stay what they were last set to until they are set anew or reset, as in PostgreSQL. One
 * thread, the session's.
 */
public final class SessionOrigin {

  private final ReplicationOrigins origins;
  private ReplicationOrigin origin;
  private long remoteLsn;
  private long commitTime;

  public SessionOrigin(ReplicationOrigins origins) {
    this.origins = origins;
  }

  private SessionOrigin() {
    this.origins = null;
  }

  /** Of transactions that belong to no session; it is never set up. */
  public static SessionOrigin local() {
    return new SessionOrigin();
  }

  /** What log records carry: 0 while none is set up. */
  public int id() {
    return origin == null ? 0 : origin.id();
  }

  /** The commit's position at the origin; 0 while not set. */
  public long remoteLsn() {
    return origin == null ? 0 : remoteLsn;
  }

  /** The time a commit is given: the origin's where it was told, else {@code localTime}. */
  public long commitTime(long localTime) {
    if (origin == null) {
      return localTime;
    }
    if (commitTime == 0) {
      commitTime = localTime;
    }
    return commitTime;
  }

  /** The name; null while none is set up. */
  public String name() {
    return origin == null ? null : origin.name();
  }

  /**
   * pg_replication_origin_session_setup.
   *
   * @throws PgException 42704 unknown, 55006 in use here or elsewhere
   */
  public void setUp(String name, long pid) {
    if (origins == null) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "this session cannot replay a replication origin");
    }
    if (origin != null) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "cannot setup replication origin when one is already setup");
    }
    origin = origins.acquire(name, pid);
    remoteLsn = 0;
    commitTime = 0;
  }

  /** pg_replication_origin_session_reset; an error without one. */
  public void reset() {
    require();
    close();
  }

  /** pg_replication_origin_xact_setup. */
  public void setUpTransaction(long lsn, long time) {
    require();
    remoteLsn = lsn;
    commitTime = time;
  }

  /** pg_replication_origin_xact_reset. */
  public void resetTransaction() {
    remoteLsn = 0;
    commitTime = 0;
  }

  /**
   * @throws PgException 55000 while none is set up
   */
  public void require() {
    if (origin == null) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "no replication origin is configured");
    }
  }

  /** Gives the origin back; nothing without one. */
  public void close() {
    if (origin != null && origins != null) {
      origins.release(origin.id());
      origin = null;
      resetTransaction();
    }
  }
}
