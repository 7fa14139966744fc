package dev.millrace.publisher.source;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.BeginPrepare;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.CommitPrepared;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.Origin;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.RollbackPrepared;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamPrepare;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.Type;
import dev.millrace.pgoutput.Update;
import dev.millrace.publisher.database.ForeignTransaction.Ending;
import dev.millrace.publisher.database.ForeignTransactions;
import dev.millrace.publisher.source.RowRecords.Writer;
import dev.millrace.publisher.source.SourceTransaction.Told;
import dev.millrace.publisher.wal.WalBatch;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Writes what the source sends into the own log, message by message, in the order it comes.
 *
 * <h2>Contract</h2>
 *
 * Handed the messages of one replication connection. A transaction that comes whole (B .. C) is
 * written under one xid of this node. One that is streamed while it is open (S .. E blocks, then c
 * or A) is written as its blocks arrive, between those of others, each subtransaction under an xid
 * of its own; the own decoders put it together at its commit record, as they do for the embedded
 * database's. Commit records come in the source's commit order and carry its position; what commits
 * before the position that the log already has is left out, whatever the server sends again.
 *
 * <p>When the connection ends, what is open is aborted here: the source sends it again from its
 * beginning on the next one.
 *
 * <h2>Definitions</h2>
 *
 * Relation messages hold for the transactions that follow, those inside a streamed transaction only
 * for that one until it commits. Two may disagree while a definition changes, so each context has a
 * map of its own.
 *
 * <h2>Refused</h2>
 *
 * Whatever breaks the protocol: 08P01, the connection ends and is made again. Nothing half written
 * stays behind, because its transaction is aborted. One thread.
 */
final class StreamWriter {

  private static final int APPEND_BYTES = 128 << 10;

  private final ForeignTransactions log;
  private final SourceRelations relations;
  private final Confirmations confirmations;
  private final PositionWaiters waiters;
  private final ToIntFunction<String> origins;
  private final long startLsn;
  private final WalBatch batch = new WalBatch(2 * APPEND_BYTES);
  private final RowRecords rows;
  private final Map<Integer, SourceTransaction> streamed = new HashMap<>();
  private final Map<Integer, Told> told = new HashMap<>();
  private SourceTransaction current;
  private Writer writer;
  private int writerRemoteXid;
  private Begin begun;
  private long relationMessages;
  private long appendedLsn;
  private long completeLsn;

  /**
   * @param origins gives the number of a replication origin of that name
   */
  StreamWriter(
      ForeignTransactions log,
      SourceRelations relations,
      Confirmations confirmations,
      PositionWaiters waiters,
      ToIntFunction<String> origins) {
    this.log = log;
    this.relations = relations;
    this.confirmations = confirmations;
    this.waiters = waiters;
    this.origins = origins;
    this.startLsn = log.sourceLsn();
    this.rows = new RowRecords(batch, log.databaseOid());
  }

  /**
   * Takes the next message.
   *
   * @throws PgException 08P01 when it may not come now or does not fit the definitions
   */
  void write(PgOutputMessage message) throws SQLException {
    if (message instanceof Insert insert) {
      rows.insert(writer(insert.streamXid()), relation(insert.relationOid()), insert);
    } else if (message instanceof Update update) {
      rows.update(writer(update.streamXid()), relation(update.relationOid()), update);
    } else if (message instanceof Delete delete) {
      rows.delete(writer(delete.streamXid()), relation(delete.relationOid()), delete);
    } else if (message instanceof Relation relation) {
      define(relation);
    } else if (message instanceof Begin begin) {
      begin(begin);
    } else if (message instanceof Commit commit) {
      commit(commit);
    } else if (message instanceof Truncate truncate) {
      List<RelationDefinition> truncated = new ArrayList<>();
      truncate.relationOids().forEach(oid -> truncated.add(relation(oid)));
      rows.truncate(writer(truncate.streamXid()), truncated, truncate);
    } else if (message instanceof LogicalMessage logical) {
      message(logical);
    } else {
      writeStreamed(message);
    }
    if (batch.size() >= APPEND_BYTES) {
      append();
    }
  }

  private void writeStreamed(PgOutputMessage message) {
    if (message instanceof StreamStart start) {
      streamStart(start);
    } else if (message instanceof StreamStop) {
      requireInBlock("Stream Stop");
      leave();
    } else if (message instanceof StreamCommit commit) {
      streamCommit(commit);
    } else if (message instanceof StreamAbort abort) {
      streamAbort(abort);
    } else if (message instanceof BeginPrepare begin) {
      requireNoneOpen("Begin Prepare");
      enter(new SourceTransaction(begin.xid(), false, log.begin()));
    } else if (message instanceof Prepare prepare) {
      prepare(prepare);
    } else if (message instanceof StreamPrepare prepare) {
      requireNoneOpen("Stream Prepare");
      SourceTransaction ended = takeStreamed(prepare.xid(), "Stream Prepare");
      prepare(ended, prepare.gid(), prepare.endLsn(), prepare.prepareTime());
    } else if (message instanceof CommitPrepared commit) {
      requireNoneOpen("Commit Prepared");
      finishPrepared(commit.gid(), true, commit.commitLsn(), commit.endLsn(), commit.commitTime());
    } else if (message instanceof RollbackPrepared rollback) {
      requireNoneOpen("Rollback Prepared");
      long endLsn = rollback.rollbackEndLsn();
      finishPrepared(rollback.gid(), false, endLsn, endLsn, rollback.rollbackTime());
    } else if (message instanceof Origin origin) {
      requireOpen("Origin");
      current.origin(origins.applyAsInt(origin.name()), origin.originLsn());
      writer = null;
    } else if (message instanceof Type type) {
      requireOpen("Type");
      relations.define(type);
    } else {
      throw violation("unexpected " + message.type().title() + " message");
    }
  }

  private void begin(Begin begin) {
    requireNoneOpen("Begin");
    begun = begin;
    enter(new SourceTransaction(begin.xid(), false, log.begin()));
  }

  private void enter(SourceTransaction transaction) {
    current = transaction;
    writer = null;
  }

  private void leave() {
    current = null;
    begun = null;
    writer = null;
  }

  private void commit(Commit commit) {
    if (current == null || current.isStreamed() || begun == null) {
      throw violation("Commit message without Begin");
    }
    if (commit.commitLsn() != begun.finalLsn()) {
      throw violation(
          "Commit message names "
              + Lsn.format(commit.commitLsn())
              + ", its Begin named "
              + Lsn.format(begun.finalLsn()));
    }
    SourceTransaction ended = current;
    leave();
    finish(ended, commit.commitLsn(), commit.endLsn(), commit.commitTime(), List.of());
  }

  private void finish(
      SourceTransaction ended,
      long commitLsn,
      long endLsn,
      long time,
      Collection<Integer> subxids) {
    completeLsn = endLsn;
    if (Lsn.isBefore(commitLsn, startLsn)) {
      ended.own().abort(batch, time);
      return;
    }
    append();
    waiters.beforeCommit(commitLsn);
    FaultPoint.hit("source.before-commit");
    Ending ending = new Ending(time, ended.originId(), ended.originLsn(), endLsn);
    appendedLsn = ended.own().commit(batch, ending, subxids);
    confirmations.committed(appendedLsn, endLsn);
    FaultPoint.hit("source.after-commit");
  }

  private void streamStart(StreamStart start) {
    requireNoneOpen("Stream Start");
    SourceTransaction transaction = streamed.get(start.xid());
    if (start.firstSegment() != (transaction == null)) {
      throw violation(
          "Stream Start message of transaction "
              + Integer.toUnsignedString(start.xid())
              + (start.firstSegment() ? " begins it again" : " continues what never began"));
    }
    if (transaction == null) {
      transaction = new SourceTransaction(start.xid(), true, log.begin());
      streamed.put(start.xid(), transaction);
    }
    enter(transaction);
  }

  private SourceTransaction takeStreamed(int xid, String what) {
    SourceTransaction ended = streamed.remove(xid);
    if (ended == null) {
      throw violation(what + " message without Stream Start");
    }
    ended.relations().forEach((oid, own) -> told.merge(oid, own, StreamWriter::later));
    return ended;
  }

  private void prepare(Prepare prepare) {
    if (current == null || current.isStreamed() || begun != null) {
      throw violation("Prepare message without Begin Prepare");
    }
    SourceTransaction ended = current;
    leave();
    prepare(ended, prepare.gid(), prepare.endLsn(), prepare.prepareTime());
  }

  /** A transaction that is prepared here already was sent again after a crash over there. */
  private void prepare(SourceTransaction ended, String gid, long endLsn, long time) {
    completeLsn = endLsn;
    if (log.isPrepared(gid)) {
      ended.own().abort(batch, time);
      return;
    }
    append();
    FaultPoint.hit("source.before-prepare");
    Ending ending = new Ending(time, ended.originId(), ended.originLsn(), endLsn);
    appendedLsn = ended.own().prepare(batch, gid, ending, ended.subxids());
    confirmations.committed(appendedLsn, endLsn);
    FaultPoint.hit("source.after-prepare");
  }

  private void finishPrepared(String gid, boolean commit, long lsn, long endLsn, long time) {
    completeLsn = endLsn;
    if (!log.isPrepared(gid)) {
      if (!Lsn.isBefore(startLsn, endLsn)) {
        return; // It has ended here already.
      }
      throw violation("the end of prepared transaction \"" + gid + "\", which is not prepared");
    }
    append();
    waiters.beforeCommit(lsn);
    FaultPoint.hit("source.before-finish");
    appendedLsn = log.finishPrepared(batch, gid, commit, time, endLsn);
    confirmations.committed(appendedLsn, endLsn);
    FaultPoint.hit("source.after-finish");
  }

  private void streamCommit(StreamCommit commit) {
    requireNoneOpen("Stream Commit");
    SourceTransaction ended = takeStreamed(commit.xid(), "Stream Commit");
    finish(ended, commit.commitLsn(), commit.endLsn(), commit.commitTime(), ended.subxids());
  }

  private static Told later(Told one, Told other) {
    return one.order() > other.order() ? one : other;
  }

  /** Of what was never streamed nothing is to be taken back. */
  private void streamAbort(StreamAbort abort) {
    requireNoneOpen("Stream Abort");
    SourceTransaction transaction = streamed.get(abort.xid());
    if (transaction == null) {
      return;
    }
    if (abort.xid() == abort.subxid()) {
      streamed.remove(abort.xid());
      transaction.own().abort(batch, abort.abortTime());
      return;
    }
    int subxid = transaction.abortSubtransaction(abort.subxid());
    if (subxid != 0) {
      transaction.own().abortSubtransaction(batch, subxid, abort.abortTime());
    }
  }

  /** The catalogue's own record goes to the log between those of the batch. */
  private void define(Relation message) throws SQLException {
    requireOpen("Relation");
    append();
    Told definition = new Told(relations.define(message), ++relationMessages);
    (current.isStreamed() ? current.relations() : told).put(message.relationOid(), definition);
  }

  private void message(LogicalMessage message) {
    if (message.prefix().equals(SourceTables.MARK)) {
      return;
    }
    if (message.transactional()) {
      rows.message(writer(message.streamXid()), message);
    } else {
      messageAlone(message);
    }
  }

  /** Its position counts like a commit's, so that a crash does not make it come twice. */
  private void messageAlone(LogicalMessage message) {
    if (Lsn.isBefore(startLsn, message.lsn())) {
      append();
      rows.messageAlone(message);
      appendedLsn = log.appendMessage(batch, message.lsn());
      confirmations.committed(appendedLsn, message.lsn());
    }
  }

  private RelationDefinition relation(int oid) {
    Told known =
        current != null && current.isStreamed() ? current.relations().get(oid) : told.get(oid);
    if (known == null) {
      throw violation("no Relation message has told of relation " + Integer.toUnsignedString(oid));
    }
    return known.relation();
  }

  /** Who writes a change; the same object for a run of changes of one (sub)transaction. */
  private Writer writer(int streamXid) {
    if (writer == null || streamXid != writerRemoteXid) {
      requireOpen("change");
      writerRemoteXid = streamXid;
      writer = new Writer(current.xid(streamXid), current.own().xid(), current.originId());
    }
    return writer;
  }

  private void requireOpen(String what) {
    if (current == null) {
      throw violation(what + " message outside a transaction");
    }
  }

  private void requireInBlock(String what) {
    if (current == null || !current.isStreamed()) {
      throw violation(what + " message without Stream Start");
    }
  }

  private void requireNoneOpen(String what) {
    if (current != null) {
      throw violation(what + " message inside another transaction");
    }
  }

  private static PgException violation(String what) {
    return new PgException(SqlState.PROTOCOL_VIOLATION, "the source broke the protocol: " + what);
  }

  /** Appends what has been collected; returns the end of everything appended so far. */
  long append() {
    if (!batch.isEmpty()) {
      appendedLsn = log.append(batch);
    }
    return appendedLsn;
  }

  /** All that committed on the source before it has been taken over. */
  long completeLsn() {
    return completeLsn;
  }

  /** Whether a transaction that is sent whole has begun and not ended. */
  boolean insideTransaction() {
    return current != null;
  }

  /** The connection is lost: what is open will be sent again. */
  void abandon() {
    batch.clear();
    if (current != null && !current.isStreamed()) {
      current.own().abort(batch, 0);
    }
    leave();
    for (SourceTransaction open : streamed.values()) {
      open.own().abort(batch, 0);
    }
    streamed.clear();
  }
}
