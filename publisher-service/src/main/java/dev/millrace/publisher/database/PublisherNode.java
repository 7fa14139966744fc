package dev.millrace.publisher.database;

import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SqlSessionFactory;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The database node as the rest of the publisher sees it: sessions, consistent points, checkpoints.
 * Safe for any thread.
 */
public interface PublisherNode extends SqlSessionFactory {

  /**
   * The database's name ({@code testdb} unless {@code millrace.database} says otherwise) and OID.
   */
  String databaseName();

  int databaseOid();

  /** 63-bit identifier of this node, as text; made once. */
  String systemIdentifier();

  /**
   * A consistent point (storage.md 3): the commit gate is held exclusively while the insert LSN and
   * the running transactions are read and, when {@code pinSnapshot}, a snapshot connection is
   * pinned.
   */
  ConsistentPoint createConsistentPoint(boolean pinSnapshot);

  /**
   * @param lsn every transaction whose commit record begins at or after it is decoded, none before
   * @param restartLsn where decoding must start to see all of those whole: the smallest first LSN
   *     of a running one, or lsn
   * @param nextXid the xid the next transaction gets
   * @param snapshot the database as of {@code lsn}; null when it was not asked for; the caller
   *     closes it
   */
  record ConsistentPoint(long lsn, long restartLsn, int nextXid, PinnedSnapshot snapshot) {}

  /**
   * The database at one moment; ALTER and DROP of tables wait while it is open. One thread at a
   * time.
   */
  interface PinnedSnapshot extends AutoCloseable {

    /**
     * A read-only connection whose every query sees the snapshot; results are streamed, not
     * buffered.
     */
    java.sql.Connection connection();

    /** Whether its rows are on a PostgreSQL server, whose SQL the connection then speaks. */
    default boolean isForeign() {
      return false;
    }

    /**
     * What to select a table's published rows from in the source's SQL, where they are foreign.
     *
     * @throws dev.millrace.model.PgException when the source does not tell
     */
    default String publishedRows(QualifiedName table) {
      throw new UnsupportedOperationException("the rows are this node's own");
    }

    /**
     * Where it came from, such as {@code walsender 7}, for the error of a DDL statement that waits
     * for it.
     */
    void describe(String holder);

    @Override
    void close();
  }

  /** The snapshots that walsenders have exported. */
  ExportedSnapshots exportedSnapshots();

  /**
   * The first LSN of the oldest transaction that is running or prepared, or {@code Long.MAX_VALUE}:
   * log from there on is needed for redo and by slots.
   */
  long oldestRunningLsn();

  /**
   * Makes H2 durable, stores the redo position, saves slots, removes what nobody needs any more.
   * Returns the redo LSN.
   */
  long checkpoint();

  /** The transactions that are prepared, the oldest first. */
  List<PreparedXact> preparedTransactions();

  /**
   * A prepared transaction as pg_prepared_xacts shows it.
   *
   * @param prepareTime microseconds since 2000-01-01 UTC
   */
  record PreparedXact(int xid, String gid, long prepareTime) {}

  /** Whether the session's open transaction has changed anything. */
  boolean hasWritten(SqlSession session);

  /** The xid of the session's open transaction, which gets one if it has none. */
  int assignXid(SqlSession session);

  /**
   * Sets a sequence, at once and whatever becomes of the session's transaction.
   *
   * @param called the next value is the one after {@code value}, else {@code value} itself
   * @throws dev.millrace.model.PgException 42P01 unknown, 22003 out of its bounds
   */
  void setSequence(SqlSession session, QualifiedName sequence, long value, boolean called);

  /**
   * Writes a logical message into the log, on the session's own thread.
   *
   * @param transactional as a part of the session's transaction, else for itself and at once
   * @param flush wait until a message of the latter kind is on disk
   * @return the position after its record
   */
  long emitMessage(
      SqlSession session, boolean transactional, String prefix, byte[] content, boolean flush);

  /**
   * The origin that the session replays; to be used on the session's own thread.
   *
   * @throws dev.millrace.model.PgException 0A000 for sessions that run no SQL statements of clients
   */
  SessionOrigin origin(SqlSession session);

  /** Tells the pid of every session that ends, on the thread that ends it. */
  void onSessionEnd(LongConsumer listener);

  /** Next number for pid columns: unique in the node, across restarts too. */
  long nextPid();

  /**
   * Stops taking new SQL, rolls back idle sessions and drains commits; the first step of a clean
   * stop.
   */
  void refuseSessions();
}
