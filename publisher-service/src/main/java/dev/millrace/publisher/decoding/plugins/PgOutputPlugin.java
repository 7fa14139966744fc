package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.RelationDefinition;
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
import dev.millrace.pgoutput.RollbackPrepared;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamPrepare;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.Update;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.decoding.DecodedChange;
import dev.millrace.publisher.decoding.DecodedTransaction;
import dev.millrace.publisher.decoding.OutputPlugin;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.decoding.RowVerdict;
import dev.millrace.publisher.decoding.StreamingOutputPlugin;
import dev.millrace.publisher.decoding.TwoPhaseOutputPlugin;
import java.util.Arrays;
import java.util.Map;

/**
 * {@code pgoutput}: PostgreSQL's binary protocol for subscriptions.
 *
 * <p>Begin waits for the first change that is sent, so a transaction that shows nothing sends
 * nothing. A Relation message goes before the first change of a table and again when its definition
 * changed. Rows lie in the log as the protocol wants them; sending one is copying its bytes.
 *
 * <p>Inside a stream block every message carries the xid of who made the change, there is no Begin,
 * and what the consumer knows of tables is told per transaction ({@link SentRelations}).
 */
public final class PgOutputPlugin implements StreamingOutputPlugin, TwoPhaseOutputPlugin {

  /** Registers the plugin under its name. */
  public static final class Factory implements OutputPlugin.Factory {
    @Override
    public String name() {
      return "pgoutput";
    }

    @Override
    public OutputPlugin create() {
      return new PgOutputPlugin();
    }
  }

  private final SentRelations sentRelations = new SentRelations();
  private PublishedRelation lastSent;
  private PgOutputOptions options;
  private PublicationGate gate;
  private RowJudge judge;
  private OutputWriter writer;
  private boolean begun;
  private boolean inStream;

  @Override
  public OutputKind startup(Map<String, String> given, OutputWriter output) {
    options = PgOutputOptions.parse(given);
    gate = new PublicationGate(options.publicationNames(), output);
    judge = new RowJudge(gate);
    writer = output;
    return OutputKind.BINARY;
  }

  @Override
  public boolean wants(CatalogSnapshot catalog, int relationOid, ChangeKind kind) {
    return gate.publishes(catalog, relationOid, kind);
  }

  @Override
  public boolean judgesRows(CatalogSnapshot catalog, int relationOid, ChangeKind kind) {
    return gate.filtersRows(catalog, relationOid, kind);
  }

  @Override
  public RowVerdict judge(CatalogSnapshot catalog, DecodedChange change) {
    return judge.judge(catalog, change);
  }

  @Override
  public boolean filterByOrigin(int originId) {
    return options.localOnly();
  }

  @Override
  public void begin(DecodedTransaction transaction) {
    begun = false;
  }

  private void ensureBegun(DecodedTransaction transaction) {
    if (!begun && !inStream) {
      begun = true;
      sendWithOrigin(
          transaction,
          new Begin(transaction.finalLsn(), transaction.commitTime(), transaction.xid()),
          transaction.originLsn());
    }
  }

  /** A message followed by an Origin message carries no position; that one has it. */
  private void sendWithOrigin(
      DecodedTransaction transaction, PgOutputMessage message, long originLsn) {
    String name = transaction.originName();
    send(name == null ? transaction.firstLsn() : 0, transaction, message);
    if (name != null) {
      send(transaction.firstLsn(), transaction, new Origin(originLsn, name));
    }
  }

  private int streamXid(DecodedChange change) {
    return inStream ? change.xid() : 0;
  }

  private void send(long lsn, DecodedTransaction transaction, PgOutputMessage message) {
    message.write(writer.prepare(lsn, transaction.xid()));
    writer.write();
  }

  private PublishedRelation ensureSent(
      DecodedTransaction transaction, DecodedChange change, RelationDefinition definition) {
    CatalogSnapshot catalog = change.catalog();
    if (lastSent != null && lastSent.isOf(catalog, definition)) {
      return lastSent;
    }
    PublishedRelation sent = sentRelations.find(definition.oid());
    if (sent == null || !sent.isOf(catalog, definition)) {
      PublishedRelation now =
          new PublishedRelation(
              catalog, definition, gate.columns(catalog, definition), options.binary());
      if (sent == null || !sent.looksLike(now)) {
        now.typeMessages(streamXid(change)).forEach(type -> send(0, transaction, type));
        send(0, transaction, now.message(streamXid(change)));
      }
      sentRelations.sent(definition.oid(), now);
      sent = now;
    }
    lastSent = sent;
    return sent;
  }

  @Override
  public void change(DecodedTransaction transaction, DecodedChange change) {
    if (change.kind() == ChangeKind.DELETE && change.oldTupleKind() == 0) {
      return; // A row without identity cannot be found over there; PostgreSQL leaves it out too.
    }
    RowVerdict verdict = change.verdict();
    if (verdict == RowVerdict.OPEN) {
      verdict = judge.judge(change.catalog(), change); // Throws what it threw at the gate.
      if (verdict == RowVerdict.DROP) {
        return;
      }
    }
    ensureBegun(transaction);
    PublishedRelation relation = ensureSent(transaction, change, change.relation());
    ByteBuilder out = writer.prepare(change.lsn(), transaction.xid());
    int oid = change.relation().oid();
    switch (sentAs(change.kind(), verdict)) {
      case INSERT:
        Insert.begin(out, streamXid(change), oid);
        if (verdict == RowVerdict.AS_INSERT) {
          int oldTuple = change.oldTupleOffset();
          relation.writeWhole(out, change.buffer(), change.newTupleOffset(), oldTuple);
        } else {
          newTuple(out, relation, change);
        }
        break;
      case UPDATE:
        Update.begin(out, streamXid(change), oid);
        if (change.oldTupleKind() != 0) {
          oldTuple(out, relation, change);
        }
        out.putByte('N');
        newTuple(out, relation, change);
        break;
      default:
        Delete.begin(out, streamXid(change), oid);
        oldTuple(out, relation, change);
        break;
    }
    writer.write();
  }

  private static ChangeKind sentAs(ChangeKind kind, RowVerdict verdict) {
    switch (verdict) {
      case AS_INSERT:
        return ChangeKind.INSERT;
      case AS_DELETE:
        return ChangeKind.DELETE;
      default:
        return kind;
    }
  }

  private static void oldTuple(ByteBuilder out, PublishedRelation relation, DecodedChange change) {
    out.putByte(change.oldTupleKind());
    relation.writeTuple(out, change.buffer(), change.oldTupleOffset(), change.oldTupleLength());
  }

  private static void newTuple(ByteBuilder out, PublishedRelation relation, DecodedChange change) {
    relation.writeTuple(out, change.buffer(), change.newTupleOffset(), change.newTupleLength());
  }

  @Override
  public void truncate(DecodedTransaction transaction, DecodedChange change) {
    ensureBegun(transaction);
    for (RelationDefinition relation : change.truncated()) {
      ensureSent(transaction, change, relation);
    }
    send(
        change.lsn(),
        transaction,
        new Truncate(
            streamXid(change),
            change.truncateFlags(),
            change.truncated().stream().map(RelationDefinition::oid).toList()));
  }

  @Override
  public void message(DecodedTransaction transaction, DecodedChange change) {
    if (!options.messages()) {
      return;
    }
    if (change.messageTransactional()) {
      ensureBegun(transaction);
    }
    int from = change.contentOffset();
    byte[] content = Arrays.copyOfRange(change.buffer(), from, from + change.contentLength());
    // Of the whole transaction also where a subtransaction wrote it, as PostgreSQL has it.
    send(
        change.lsn(),
        transaction,
        new LogicalMessage(
            inStream ? transaction.xid() : 0,
            change.messageTransactional(),
            change.endLsn(),
            change.messagePrefix(),
            content));
  }

  @Override
  public void commit(DecodedTransaction transaction) {
    if (begun) {
      begun = false;
      send(
          transaction.endLsn(),
          transaction,
          new Commit(transaction.finalLsn(), transaction.endLsn(), transaction.commitTime()));
    }
  }

  @Override
  public boolean streams() {
    return options.streaming() != PgOutputOptions.Streaming.OFF;
  }

  @Override
  public void streamStart(DecodedTransaction transaction, boolean firstSegment) {
    PgOutputMessage start = new StreamStart(transaction.xid(), firstSegment);
    if (firstSegment) {
      sendWithOrigin(transaction, start, 0);
    } else {
      send(transaction.firstLsn(), transaction, start);
    }
    inStream = true;
    sentRelations.enterStream(transaction.xid());
    lastSent = null;
  }

  @Override
  public void streamStop(DecodedTransaction transaction, long lastLsn) {
    inStream = false;
    sentRelations.leaveStream();
    lastSent = null;
    send(lastLsn, transaction, new StreamStop());
  }

  @Override
  public void streamChange(DecodedTransaction transaction, DecodedChange change) {
    change(transaction, change);
  }

  @Override
  public void streamTruncate(DecodedTransaction transaction, DecodedChange change) {
    truncate(transaction, change);
  }

  @Override
  public void streamMessage(DecodedTransaction transaction, DecodedChange change) {
    message(transaction, change);
  }

  @Override
  public void streamAbort(StreamedAbort abort) {
    sentRelations.aborted(abort.xid());
    boolean parallel = options.streaming() == PgOutputOptions.Streaming.PARALLEL;
    new StreamAbort(
            abort.xid(),
            abort.subxid(),
            parallel ? abort.abortLsn() : 0,
            parallel ? abort.abortTime() : 0)
        .write(writer.prepare(abort.abortLsn(), abort.subxid()));
    writer.write();
  }

  @Override
  public void streamCommit(DecodedTransaction transaction) {
    sentRelations.committed(transaction.xid());
    lastSent = null; // The consumer takes the tables as the streamed transaction told them.
    send(
        transaction.endLsn(),
        transaction,
        new StreamCommit(
            transaction.xid(),
            transaction.finalLsn(),
            transaction.endLsn(),
            transaction.commitTime()));
  }

  @Override
  public boolean asksForTwoPhase() {
    return options.twoPhase();
  }

  /** Unlike Begin it does not wait for a change: the consumer must know what it will be to end. */
  @Override
  public void beginPrepare(DecodedTransaction transaction, String gid) {
    begun = true;
    sendWithOrigin(
        transaction,
        new BeginPrepare(
            transaction.finalLsn(),
            transaction.endLsn(),
            transaction.commitTime(),
            transaction.xid(),
            gid),
        transaction.originLsn());
  }

  @Override
  public void prepare(DecodedTransaction transaction, String gid) {
    begun = false;
    send(
        transaction.endLsn(),
        transaction,
        new Prepare(
            transaction.finalLsn(),
            transaction.endLsn(),
            transaction.commitTime(),
            transaction.xid(),
            gid));
  }

  /** What its blocks told of tables is not relied on later, as in PostgreSQL. */
  @Override
  public void streamPrepare(DecodedTransaction transaction, String gid) {
    sentRelations.aborted(transaction.xid());
    send(
        transaction.endLsn(),
        transaction,
        new StreamPrepare(
            transaction.finalLsn(),
            transaction.endLsn(),
            transaction.commitTime(),
            transaction.xid(),
            gid));
  }

  @Override
  public void commitPrepared(DecodedTransaction transaction, String gid) {
    send(
        transaction.endLsn(),
        transaction,
        new CommitPrepared(
            transaction.finalLsn(),
            transaction.endLsn(),
            transaction.commitTime(),
            transaction.xid(),
            gid));
  }

  @Override
  public void rollbackPrepared(
      DecodedTransaction transaction, String gid, long prepareEndLsn, long prepareTime) {
    send(
        transaction.endLsn(),
        transaction,
        new RollbackPrepared(
            prepareEndLsn,
            transaction.endLsn(),
            prepareTime,
            transaction.commitTime(),
            transaction.xid(),
            gid));
  }

  @Override
  public void shutdown() {
    sentRelations.clear();
    lastSent = null;
    if (judge != null) {
      judge.close();
    }
  }
}
