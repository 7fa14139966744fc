package dev.millrace.publisher.database;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SimpleQuerySession;
import dev.millrace.sql.SqlOptions;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SystemCatalog;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemObjects;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

/** The node over H2 and the log. Safe for any thread. */
final class EmbeddedNode implements PublisherNode, AutoCloseable {

  /** How long a clean stop waits for statements to be cancelled and commits to finish. */
  private static final long SESSION_END_TIMEOUT_MS = 30_000;

  private final NodeParts parts;
  private final ControlFile control;
  private final DdlExecutor ddlExecutor;
  private final Checkpointer checkpointer;
  private final NodeSessions sessions = new NodeSessions();
  private final Map<String, SystemFunction> functions = new ConcurrentHashMap<>();
  private final ExportedSnapshots exportedSnapshots = new ExportedSnapshots();
  private boolean closed;

  EmbeddedNode(
      NodeParts parts, ControlFile control, DdlExecutor ddlExecutor, Checkpointer checkpointer) {
    this.parts = parts;
    this.control = control;
    this.ddlExecutor = ddlExecutor;
    this.checkpointer = checkpointer;
  }

  /** Puts the pg_ views and functions of all parts into the database. */
  void install(List<SystemObjects> objects) {
    Connection admin = parts.database().adminConnection();
    synchronized (admin) {
      List<SystemFunction> all =
          objects.stream().flatMap(each -> each.functions().stream()).toList();
      SystemCatalog.install(
          admin, objects.stream().flatMap(each -> each.views().stream()).toList(), all);
      all.forEach(function -> functions.put(function.name(), function));
    }
  }

  @Override
  public SqlSession open() {
    return sessions.open(parts.settings().getInt("max_connections"), this::newSession);
  }

  private NodeSession newSession() {
    Settings settings = parts.settings().forSession();
    NodeBackend backend =
        new NodeBackend(parts, ddlExecutor, checkpointer, exportedSnapshots, settings);
    SqlOptions options =
        SqlOptions.PLAIN
            .withRowIdColumn()
            .withFunctions(functions::get)
            .withRelations(backend::relation)
            .withTypes(backend::type);
    return new NodeSession(
        new SimpleQuerySession(nextPid(), backend, options, settings),
        settings,
        parts.clock(),
        sessions::closed,
        backend);
  }

  @Override
  public boolean hasWritten(SqlSession session) {
    return session instanceof NodeSession ours && ours.hasWritten();
  }

  @Override
  public long emitMessage(
      SqlSession session, boolean transactional, String prefix, byte[] content, boolean flush) {
    return backend(session).emitMessage(transactional, prefix, content, flush);
  }

  @Override
  public int assignXid(SqlSession session) {
    return backend(session).assignXid();
  }

  @Override
  public void setSequence(SqlSession session, QualifiedName sequence, long value, boolean called) {
    WalBatch batch = new WalBatch(256);
    parts.sequences().set(batch, sequence, value, called);
    parts.log().append(batch);
  }

  @Override
  public SessionOrigin origin(SqlSession session) {
    return backend(session).origin();
  }

  private static NodeBackend backend(SqlSession session) {
    if (session instanceof NodeSession ours) {
      return ours.backend();
    }
    throw new PgException(
        SqlState.FEATURE_NOT_SUPPORTED, "this function can be called in SQL sessions only");
  }

  @Override
  public void onSessionEnd(LongConsumer listener) {
    sessions.onEnd(listener);
  }

  @Override
  public String databaseName() {
    return control.state().databaseName();
  }

  @Override
  public int databaseOid() {
    return parts.databaseOid();
  }

  @Override
  public String systemIdentifier() {
    return Long.toString(control.state().systemIdentifier());
  }

  @Override
  public ConsistentPoint createConsistentPoint(boolean pinSnapshot) {
    SnapshotConnection snapshot =
        pinSnapshot
            ? new SnapshotConnection(
                parts.database().openSnapshotReader(),
                parts.snapshots(),
                parts.settings().getInt("max_slot_snapshots"))
            : null;
    try {
      return consistentPoint(snapshot);
    } catch (RuntimeException | Error e) {
      if (snapshot != null) {
        snapshot.close();
      }
      throw e;
    }
  }

  private ConsistentPoint consistentPoint(SnapshotConnection snapshot) {
    long stamp = parts.gate().enterExclusive();
    ConsistentPoint point;
    try {
      long lsn = parts.log().insertLsn();
      long restartLsn = Lsn.min(lsn, parts.running().oldestFirstLsn());
      if (snapshot != null) {
        snapshot.pin();
      }
      point = new ConsistentPoint(lsn, restartLsn, parts.running().nextXid(), snapshot);
    } finally {
      parts.gate().leave(stamp);
    }
    parts.log().flush(point.lsn());
    return point;
  }

  @Override
  public ExportedSnapshots exportedSnapshots() {
    return exportedSnapshots;
  }

  @Override
  public long oldestRunningLsn() {
    return parts.running().oldestFirstLsn();
  }

  @Override
  public long checkpoint() {
    return checkpointer.checkpoint();
  }

  @Override
  public List<PreparedXact> preparedTransactions() {
    return parts.twoPhase().prepared().all().stream()
        .map(each -> new PreparedXact(each.transaction().xid(), each.gid(), each.prepareTime()))
        .toList();
  }

  @Override
  public long nextPid() {
    return control.nextPid();
  }

  @Override
  public void refuseSessions() {
    sessions.refuse(SESSION_END_TIMEOUT_MS);
    parts.asyncCommits().close();
  }

  /** The database under the node. */
  EmbeddedDatabase database() {
    return parts.database();
  }

  /** Null where the rows are this node's own. */
  ForeignTransactions foreignTransactions() {
    return parts.foreign();
  }

  /** How many sessions are open. */
  int openSessions() {
    return sessions.count();
  }

  /** The last steps of a clean stop: a checkpoint, then H2. The log and its owner come after. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    refuseSessions();
    sessions.close();
    checkpointer.close();
    if (parts.failure().reason() == null) {
      checkpointer.checkpoint();
    }
    parts.twoPhase().close();
    parts.database().close();
  }
}
