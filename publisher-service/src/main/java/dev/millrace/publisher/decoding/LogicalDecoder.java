package dev.millrace.publisher.decoding;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;

/**
 * One run of decoding: takes the log record by record and hands whole transactions to the plugin.
 *
 * <pre>
 *  WalReader --record--> Gates --change--> ReorderBuffer --at COMMIT--> OutputPlugin --> OutputWriter
 *                          |                                                               |
 *                   database, origin,                                              walsender's frames or
 *                   publication as of the LSN                                      a SQL function's rows
 * </pre>
 *
 * <h2>Contract</h2>
 *
 * Reading begins at the slot's restart_lsn, so that transactions which were open at the start
 * position are seen whole. A transaction, or a message outside transactions, is sent iff its COMMIT
 * (message) record begins at or after the start position; what commits before it is read and
 * dropped. {@link #processedLsn} moves only when a record has been dealt with completely, a COMMIT
 * record thus after all its changes have been handed to the writer.
 *
 * <p>A transaction that the buffer has no room for is sent in blocks while it is open, when the
 * consumer wants that ({@link StreamBlocks}); its end follows at its COMMIT or ABORT record. A
 * prepared one may be sent at its PREPARE record ({@link PreparedDecoding}).
 *
 * <h2>The catalogue</h2>
 *
 * A change is judged by the catalogue as of its own LSN, before it is buffered: adding a table to a
 * publication does not bring back what was written to it before. A transaction sees its own
 * catalogue changes at once ({@link CatalogOverlays}), others see them behind its COMMIT record.
 * Change records name the version of their table, so what a row looks like needs no position.
 *
 * <p>Judging at the gate is what PostgreSQL leaves to its output plugin, after buffering; doing it
 * first keeps what nobody wants out of memory and spill files.
 *
 * <h2>Threads</h2>
 *
 * Pulled by one thread; {@link #view} from any.
 */
final class LogicalDecoder implements LogicalDecoding.DecodingSession {

  private final WalReader reader;
  private final Gates gates;
  private final CatalogOverlays overlays;
  private final ReorderBuffer buffer;
  private final PluginCalls plugin;
  private final OutputPlugin.OutputKind outputKind;
  private final StreamBlocks blocks;
  private final PreparedDecoding prepared;
  private final DecodingProgress progress;
  private final OpenTransactions open;
  private final OriginNames origins;
  private final DecodedRecord change;
  private final ByteBuilder filtered = new ByteBuilder(64);
  private final long startLsn;
  private volatile long processedLsn;
  private boolean closed;

  LogicalDecoder(
      WalReader reader,
      Gates gates,
      CatalogOverlays overlays,
      ReorderBuffer buffer,
      PluginCalls plugin,
      OutputPlugin.OutputKind outputKind,
      StreamBlocks blocks,
      PreparedDecoding prepared,
      DecodingProgress progress,
      OpenTransactions open,
      OriginNames origins,
      DecodedRecord change,
      long startLsn) {
    this.reader = reader;
    this.gates = gates;
    this.overlays = overlays;
    this.buffer = buffer;
    this.plugin = plugin;
    this.outputKind = outputKind;
    this.blocks = blocks;
    this.prepared = prepared;
    this.progress = progress;
    this.open = open;
    this.origins = origins;
    this.change = change;
    this.startLsn = startLsn;
    this.processedLsn = Lsn.max(startLsn, reader.position());
  }

  @Override
  public boolean step() {
    if (!reader.next()) {
      return false;
    }
    if (inRange()) {
      blocks.startReached();
    }
    decode();
    processedLsn = Lsn.max(startLsn, reader.endLsn());
    return true;
  }

  private void decode() {
    if (reader.xid() != 0) {
      open.seen(reader.xid(), reader.topXid(), reader.lsn());
    }
    switch (reader.type()) {
      case INSERT, UPDATE, DELETE:
        row();
        break;
      case TRUNCATE:
        truncate();
        break;
      case MESSAGE:
        message();
        break;
      case CATALOG:
        catalogChange();
        break;
      case COMMIT:
        commit();
        break;
      case ABORT:
        abort();
        break;
      case PREPARE:
        prepared.prepare(reader, gates, open.firstLsn(reader.xid()), inRange());
        break;
      case COMMIT_PREPARED, ROLLBACK_PREPARED:
        finishPrepared();
        break;
      case RUNNING_TRANSACTIONS:
        open.noteCandidate(reader.endLsn());
        break;
      case ASSIGNMENT, SEQUENCE, DDL, FLUSH_MARK:
        break; // Records for redo only; every change names its top transaction itself.
    }
  }

  private void catalogChange() {
    overlays.add(
        reader.xid(),
        reader.topXid(),
        reader.lsn(),
        reader.buffer(),
        reader.bodyOffset(),
        reader.bodyLength());
  }

  private void row() {
    int relationOid = ChangeEntry.getInt(reader.buffer(), reader.bodyOffset());
    if (!gates.databasePasses(reader) || !gates.originPasses(reader)) {
      return;
    }
    RowVerdict verdict = gates.judge(reader, relationOid, DecodedRecord.kindOf(reader.type()));
    if (verdict != RowVerdict.DROP) {
      keep(
          verdict.inFlags(reader.flags()),
          reader.buffer(),
          reader.bodyOffset(),
          reader.bodyLength());
    }
  }

  private void keep(byte[] bytes, int offset, int length) {
    keep(reader.flags(), bytes, offset, length);
  }

  private void keep(int flags, byte[] bytes, int offset, int length) {
    buffer.change(
        reader.xid(),
        reader.topXid(),
        reader.lsn(),
        reader.type(),
        flags,
        reader.originId(),
        bytes,
        offset,
        length);
  }

  /** Keeps the tables of the statement that pass; the record is kept if one does. */
  private void truncate() {
    if (!gates.databasePasses(reader) || !gates.originPasses(reader)) {
      return;
    }
    byte[] bytes = reader.buffer();
    int count = ChangeEntry.getInt(bytes, reader.bodyOffset());
    filtered.truncate(0);
    filtered.putInt(0);
    int passed = 0;
    for (int i = 0; i < count; i++) {
      int at = reader.bodyOffset() + 4 + 8 * i;
      int oid = ChangeEntry.getInt(bytes, at);
      if (gates.publicationPasses(reader, oid, OutputPlugin.ChangeKind.TRUNCATE)) {
        filtered.putBytes(bytes, at, 8);
        passed++;
      }
    }
    if (passed > 0) {
      filtered.setInt(0, passed);
      keep(filtered.array(), 0, filtered.size());
    }
  }

  private void message() {
    if (!gates.databasePasses(reader) || !gates.originPasses(reader)) {
      return;
    }
    boolean transactional = (reader.flags() & 1) != 0;
    if (transactional) {
      keep(reader.buffer(), reader.bodyOffset(), reader.bodyLength());
    } else if (!Lsn.isBefore(reader.lsn(), startLsn)) {
      change.wrap(
          reader.xid(),
          reader.lsn(),
          WalRecordType.MESSAGE,
          reader.flags(),
          reader.buffer(),
          reader.bodyOffset(),
          reader.bodyLength());
      plugin.change(
          new DecodedTransaction(
              reader.xid(),
              reader.lsn(),
              reader.lsn(),
              reader.endLsn(),
              0,
              reader.originId(),
              0,
              origins.nameOf(reader.originId())),
          change);
    }
  }

  /** Whether the record lies at or after the start position. */
  private boolean inRange() {
    return !Lsn.isBefore(reader.lsn(), startLsn);
  }

  private void commit() {
    int xid = reader.xid();
    EndRecord end = EndRecord.ofCommit(reader);
    if (inRange() && gates.databasePasses(reader) && gates.originPasses(reader)) {
      send(xid, end);
    } else {
      takeBack(xid, end);
      buffer.abort(xid, xid);
    }
    ended(xid);
  }

  private void ended(int xid) {
    overlays.ended(xid);
    open.ended(xid, reader.endLsn());
  }

  private void takeBack(int topXid, EndRecord end) {
    ReorderBufferTxn txn = buffer.find(topXid);
    if (txn != null && txn.isStreamed()) {
      blocks.abort(txn, reader, end);
    }
  }

  private void finishPrepared() {
    if (prepared.finish(reader, inRange())) {
      ended(reader.xid());
    } else if (reader.type() == WalRecordType.COMMIT_PREPARED) {
      commit();
    } else {
      abort();
    }
  }

  private void send(int xid, EndRecord end) {
    ReorderBufferTxn txn = buffer.find(xid);
    if (txn == null && !overlays.contains(xid)) {
      return; // Nothing of it passed the gates.
    }
    long firstLsn = txn == null ? overlays.changesOf(xid).get(0).lsn() : txn.firstLsn();
    DecodedTransaction transaction =
        DecodedTransaction.endedBy(reader, firstLsn, end.time(), end.originLsn(), origins);
    if (txn != null && txn.isStreamed()) {
      txn.finish(transaction);
      blocks.commit(txn, transaction, end.subxids());
      return;
    }
    sendWhole(txn, transaction, end);
  }

  /**
   * @param txn null when it only changed the catalogue
   */
  private void sendWhole(ReorderBufferTxn txn, DecodedTransaction transaction, EndRecord end) {
    int xid = transaction.xid();
    if (txn != null) {
      txn.finish(transaction);
    }
    change.beginTransaction(overlays.changesOf(xid));
    plugin.begin(transaction);
    buffer.commit(
        xid,
        end.subxids(),
        (changeXid, lsn, type, flags, originId, bytes, offset, length) -> {
          change.wrap(changeXid, lsn, type, flags, bytes, offset, length);
          plugin.change(transaction, change);
          progress.sent(lsn);
        });
    plugin.commit(transaction);
  }

  private void abort() {
    EndRecord end =
        reader.type() == WalRecordType.ABORT
            ? EndRecord.ofAbort(reader)
            : EndRecord.ofCommit(reader);
    int xid = reader.xid();
    int topXid = reader.topXid();
    takeBack(topXid, end);
    buffer.abort(xid, topXid, end.subxids());
    if (xid == topXid) {
      ended(xid);
    } else {
      overlays.abort(xid, topXid, end.subxids());
    }
  }

  @Override
  public long processedLsn() {
    return processedLsn;
  }

  @Override
  public OutputPlugin.OutputKind outputKind() {
    return outputKind;
  }

  @Override
  public ReorderBufferView view() {
    return buffer.view();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      plugin.shutdown();
    } finally {
      buffer.close();
      reader.close();
    }
  }
}
