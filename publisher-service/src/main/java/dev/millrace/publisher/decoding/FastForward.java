package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;

/** Reads the log for restart candidates only: how a slot is advanced without a consumer. */
final class FastForward implements LogicalDecoding.DecodingSession {

  private final WalReader reader;
  private final OpenTransactions open;
  private final long startLsn;
  private volatile long processedLsn;

  FastForward(WalReader reader, OpenTransactions open, long startLsn) {
    this.reader = reader;
    this.open = open;
    this.startLsn = startLsn;
    this.processedLsn = Lsn.max(startLsn, reader.position());
  }

  @Override
  public boolean step() {
    if (!reader.next()) {
      return false;
    }
    int xid = reader.xid();
    int topXid = reader.topXid();
    WalRecordType type = reader.type();
    if (xid != 0) {
      open.seen(xid, topXid, reader.lsn());
    }
    if (xid == topXid && type.endsTransaction()) {
      open.ended(xid, reader.endLsn());
    } else if (type == WalRecordType.RUNNING_TRANSACTIONS) {
      open.noteCandidate(reader.endLsn());
    }
    processedLsn = Lsn.max(startLsn, reader.endLsn());
    return true;
  }

  @Override
  public long processedLsn() {
    return processedLsn;
  }

  @Override
  public OutputPlugin.OutputKind outputKind() {
    return OutputPlugin.OutputKind.BINARY;
  }

  @Override
  public ReorderBufferView view() {
    return ReorderBufferView.inactive(0);
  }

  @Override
  public void close() {
    reader.close();
  }
}
