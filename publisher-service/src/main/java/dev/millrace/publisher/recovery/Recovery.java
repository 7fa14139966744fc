package dev.millrace.publisher.recovery;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.decoding.ReorderBuffer;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.PreparedFiles;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.sql.H2Errors;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Brings H2 up to the end of the log.
 *
 * <h2>Contract</h2>
 *
 * Handed an administrator's connection to an H2 file as a crash left it, with no capture trigger in
 * place, and a log whose torn tail has been cut. When {@link #run} returns, H2 holds exactly the
 * transactions whose commit records are in the log, and has each prepared one open on a connection
 * of its own. What is left to the caller is told by the {@link RecoveryResult}: aborts to append, a
 * DDL statement to look into, sequences to move on. A kill at any moment of it is met by simply
 * running it again.
 *
 * <h2>Why it is right</h2>
 *
 * A transaction's marker row is in H2 iff its changes are, since both are one H2 commit; and no
 * marker is deleted before a checkpoint has made its transaction durable and moved the redo LSN
 * past its commit record. So a commit record at or after the redo LSN without a marker is a
 * transaction to redo, any other is not.
 *
 * <p>Commit order suffices as redo order although H2 may have kept a later commit and lost an
 * earlier one: two transactions that touched the same rows, keys or tables one after the other
 * cannot both have been inside their commits, because the second waited for the first's H2 commit.
 * Within a transaction the log has the order of the statements' row triggers.
 *
 * <p>Foreign keys are off meanwhile: cascades are in the log as rows of their own, and an order
 * that satisfies every key row by row need not exist.
 *
 * <h2>Where reading begins</h2>
 *
 * The redo LSN names the checkpoint; a record of the transactions then running follows it. Reading
 * begins at the smallest first LSN of those, so that they are whole if they committed later; commit
 * records before the redo LSN are passed over.
 *
 * <h2>Prepared transactions</h2>
 *
 * A transaction with a PREPARE record and no end is applied last, into an open transaction of its
 * own: whatever committed while it was prepared touched other rows, since it held its locks, so
 * coming later makes no difference. Its catalogue changes are collected, not made.
 *
 * <p>What was prepared at the checkpoint comes from files of its own ({@link PreparedFiles}); those
 * records are passed over where reading the log meets them again.
 *
 * <p>DDL is not redone: it is durable in H2 before its commit record is written. But the catalogue
 * is: its records go to the catalogue in commit order, those of transactions that H2 has too. One
 * thread.
 */
public final class Recovery {

  private static final long WORK_MEM = 64L << 20;

  private final WriteAheadLog log;
  private final CatalogStore catalog;
  private final Connection connection;
  private final Path spillDirectory;
  private final long segmentSize;
  private final PreparedFiles preparedFiles;
  private final PreparedRedo preparedRedo;

  /** First LSNs by top-level xid. */
  private final Map<Integer, Long> unfinished = new LinkedHashMap<>();

  private final Map<Integer, RecoveryResult.Prepared> prepared = new LinkedHashMap<>();
  private final boolean withRows;
  private final Map<QualifiedName, Long> sequenceBounds = new HashMap<>();

  /** Bounds that count if their transaction commits, by top-level xid. */
  private final Map<Integer, Map<QualifiedName, Long>> openBounds = new HashMap<>();

  private RecoveryResult.OpenDdl openDdl;
  private int nextXid;
  private long lastCommitTime;
  private long redone;
  private long sourceLsn;
  private boolean rowsChanged;
  private OriginProgress origins = (id, remoteLsn, endLsn) -> {};

  /**
   * @param connection an administrator's, without auto-commit
   * @param spillDirectory for transactions that do not fit into memory
   * @param preparedConnections opens a session's connection for each prepared transaction
   * @param withRows false when the rows are a source's and H2 holds none of them
   */
  public Recovery(
      WriteAheadLog log,
      CatalogStore catalog,
      Connection connection,
      Path spillDirectory,
      long segmentSize,
      PreparedFiles preparedFiles,
      Supplier<Connection> preparedConnections,
      boolean withRows) {
    this.log = log;
    this.catalog = catalog;
    this.connection = connection;
    this.spillDirectory = spillDirectory;
    this.segmentSize = segmentSize;
    this.preparedFiles = preparedFiles;
    this.preparedRedo = new PreparedRedo(catalog, preparedConnections);
    this.withRows = withRows;
  }

  /** Told of every end of a transaction that another origin had committed before. */
  @FunctionalInterface
  public interface OriginProgress {
    void replayed(int originId, long remoteLsn, long localEndLsn);
  }

  /** Has the progress of origins told, whose commits the log may know and nobody else. */
  public Recovery reportOriginsTo(OriginProgress progress) {
    this.origins = progress;
    return this;
  }

  /**
   * @param redoLsn the position of the last checkpoint
   * @param atLeastXid the next xid as of that checkpoint
   * @throws dev.millrace.model.PgException XX001 naming the LSN when a record does not fit H2
   */
  public RecoveryResult run(long redoLsn, int atLeastXid) {
    nextXid = atLeastXid;
    try (RowRedo rows = new RowRedo(connection, catalog::relation);
        ReorderBuffer buffer = new ReorderBuffer(spillDirectory, WORK_MEM, segmentSize, null)) {
      setReferentialIntegrity(false);
      RedoStart start = RedoStart.find(log, redoLsn);
      for (int xid : start.prepared()) {
        try (WalReader reader = preparedFiles.open(xid)) {
          while (reader.next()) {
            read(reader, redoLsn, buffer, rows);
          }
        }
      }
      try (WalReader reader = log.openReader(start.lsn())) {
        while (reader.next()) {
          boolean known =
              Lsn.isBefore(reader.lsn(), redoLsn) && start.prepared().contains(reader.topXid());
          if (!known) {
            read(reader, redoLsn, buffer, rows);
          }
        }
      }
      if (withRows) {
        for (RecoveryResult.Prepared each : List.copyOf(prepared.values())) {
          prepared.put(each.xid(), preparedRedo.open(each, buffer));
        }
      }
      setReferentialIntegrity(true);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
    if (openDdl != null) {
      unfinished.remove(openDdl.xid());
    }
    return new RecoveryResult(
        redone,
        nextXid,
        List.copyOf(unfinished.keySet()),
        List.copyOf(prepared.values()),
        openDdl,
        lastCommitTime,
        Map.copyOf(sequenceBounds),
        sourceLsn);
  }

  private void setReferentialIntegrity(boolean on) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET REFERENTIAL_INTEGRITY " + (on ? "TRUE" : "FALSE"));
    }
  }

  private void read(WalReader reader, long redoLsn, ReorderBuffer buffer, RowRedo rows)
      throws SQLException {
    int topXid = reader.topXid();
    if (topXid != 0) {
      nextXid = Math.max(nextXid, Math.max(reader.xid(), topXid) + 1);
      if (!prepared.containsKey(topXid)) {
        unfinished.putIfAbsent(topXid, reader.lsn());
      }
    }
    readSourceLsn(reader);
    readOrigin(reader);
    switch (reader.type()) {
      case INSERT, UPDATE, DELETE, TRUNCATE, CATALOG -> {
        if (withRows || reader.type() == WalRecordType.CATALOG) {
          keep(reader, buffer);
        }
      }
      case DDL -> openDdl = new RecoveryResult.OpenDdl(topXid, body(reader));
      case SEQUENCE -> {
        if (!Lsn.isBefore(reader.lsn(), redoLsn)) {
          readSequence(reader); // What is older is in H2.
        }
      }
      case PREPARE -> prepare(reader);
      case COMMIT, COMMIT_PREPARED -> {
        sequenceBounds.putAll(openBounds.getOrDefault(topXid, Map.of()));
        commit(reader, redoLsn, buffer, rows);
        ended(topXid);
      }
      case ABORT -> {
        buffer.abort(reader.xid(), topXid, subxids(reader, 8));
        if (reader.xid() == topXid) {
          ended(topXid);
        }
      }
      case ROLLBACK_PREPARED -> {
        buffer.abort(topXid, topXid);
        ended(topXid);
      }
      default -> {
        // Messages and marks concern others.
      }
    }
  }

  /** The records that end or prepare a transaction begin with time and origin LSN. */
  private void readOrigin(WalReader reader) {
    switch (reader.type()) {
      case COMMIT, PREPARE, COMMIT_PREPARED, ROLLBACK_PREPARED -> {
        long time = TupleReader.getLong(reader.buffer(), reader.bodyOffset());
        if (reader.originId() == 0) {
          lastCommitTime = Math.max(lastCommitTime, time); // Another node's clock rules no other.
        } else {
          long remoteLsn = TupleReader.getLong(reader.buffer(), reader.bodyOffset() + 8);
          origins.replayed(reader.originId(), remoteLsn, reader.endLsn());
        }
      }
      default -> {
        // Only these carry it.
      }
    }
  }

  private void prepare(WalReader reader) {
    int xid = reader.xid();
    PrepareRecord record =
        PrepareRecord.decode(reader.buffer(), reader.bodyOffset(), reader.bodyLength());
    prepared.put(
        xid,
        new RecoveryResult.Prepared(
            xid,
            unfinished.remove(xid),
            reader.lsn(),
            reader.endLsn(),
            (reader.flags() & PrepareRecord.CHANGED) != 0,
            reader.originId(),
            record,
            null,
            null));
  }

  private static void keep(WalReader reader, ReorderBuffer buffer) {
    buffer.change(
        reader.xid(),
        reader.topXid(),
        reader.lsn(),
        reader.type(),
        reader.flags(),
        reader.originId(),
        reader.buffer(),
        reader.bodyOffset(),
        reader.bodyLength());
  }

  private void readSourceLsn(WalReader reader) {
    if ((reader.flags() & WalFormat.WITH_SOURCE_LSN) != 0) {
      int at = reader.bodyOffset() + reader.bodyLength() - Long.BYTES;
      sourceLsn = Lsn.max(sourceLsn, TupleReader.getLong(reader.buffer(), at));
    }
  }

  private void ended(int xid) {
    unfinished.remove(xid);
    prepared.remove(xid);
    openBounds.remove(xid);
    if (openDdl != null && openDdl.xid() == xid) {
      openDdl = null;
    }
  }

  private static byte[] body(WalReader reader) {
    byte[] body = new byte[reader.bodyLength()];
    System.arraycopy(reader.buffer(), reader.bodyOffset(), body, 0, body.length);
    return body;
  }

  private void readSequence(WalReader reader) {
    ByteBuffer in = ByteBuffer.wrap(reader.buffer(), reader.bodyOffset(), reader.bodyLength());
    long bound = in.getLong();
    String schema = name(in);
    int xid = reader.topXid();
    Map<QualifiedName, Long> bounds =
        xid == 0 ? sequenceBounds : openBounds.computeIfAbsent(xid, unknown -> new HashMap<>());
    bounds.put(new QualifiedName(schema, name(in)), bound);
  }

  private static String name(ByteBuffer in) {
    byte[] bytes = new byte[in.getShort() & 0xFFFF];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static int[] subxids(WalReader reader, int countOffset) {
    int at = reader.bodyOffset() + countOffset;
    int[] subxids = new int[TupleReader.getInt(reader.buffer(), at)];
    for (int i = 0; i < subxids.length; i++) {
      subxids[i] = TupleReader.getInt(reader.buffer(), at + 4 + 4 * i);
    }
    return subxids;
  }

  private void commit(WalReader reader, long redoLsn, ReorderBuffer buffer, RowRedo rows)
      throws SQLException {
    int xid = reader.xid();
    if (Lsn.isBefore(reader.lsn(), redoLsn)) {
      buffer.abort(xid, xid);
      return;
    }
    boolean applied = isApplied(xid);
    long endLsn = reader.endLsn();
    rowsChanged = false;
    buffer.commit(
        xid,
        subxids(reader, 16),
        (changeXid, lsn, type, flags, originId, bytes, offset, length) -> {
          if (type == WalRecordType.CATALOG) {
            catalog.replay(endLsn, bytes, offset, length);
          } else if (!applied) {
            rows.redo(lsn, type, bytes, offset, length);
            rowsChanged = true;
          }
        });
    if (rowsChanged) {
      mark(xid);
      FaultPoint.hit("redo.applied");
      connection.commit();
      redone++;
    }
  }

  private boolean isApplied(int xid) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM millrace.applied WHERE xid = ?")) {
      statement.setInt(1, xid);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }

  private void mark(int xid) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO millrace.applied VALUES (?)")) {
      statement.setInt(1, xid);
      statement.executeUpdate();
    }
  }
}
