package dev.millrace.publisher.wal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the log's tests share: small logs and records of a given size. */
final class WalFixture {

  static final WalOptions SMALL =
      WalOptions.defaults().withSegmentSize(64 * 1024).withBufferSize(16 * 1024);

  private WalFixture() {}

  static SegmentedLog open(Path directory, WalOptions options) {
    return open(directory, options, WalFormat.FIRST_LSN);
  }

  static SegmentedLog open(Path directory, WalOptions options, long startLsn) {
    return SegmentedLog.open(
        directory,
        options,
        startLsn,
        startLsn,
        failure -> {
          throw new AssertionError("the log failed", failure);
        });
  }

  /** A batch of one MESSAGE record whose body is {@code bodyLength} bytes derived from the xid. */
  static WalBatch record(int xid, int bodyLength) {
    WalBatch batch = new WalBatch(64);
    addRecord(batch, xid, bodyLength);
    return batch;
  }

  static void addRecord(WalBatch batch, int xid, int bodyLength) {
    var body = batch.begin(WalRecordType.MESSAGE, 0, xid, xid, 5, 0);
    for (int i = 0; i < bodyLength; i++) {
      body.putByte(xid + i * 31);
    }
    batch.end();
  }

  static boolean hasBodyOf(WalReader reader, int xid, int bodyLength) {
    if (reader.bodyLength() != bodyLength) {
      return false;
    }
    for (int i = 0; i < bodyLength; i++) {
      if (reader.buffer()[reader.bodyOffset() + i] != (byte) (xid + i * 31)) {
        return false;
      }
    }
    return true;
  }

  /** The xids of the records from a position on, flush marks left out. */
  static List<Integer> xidsFrom(WriteAheadLog log, long lsn) {
    List<Integer> xids = new ArrayList<>();
    try (WalReader reader = log.openReader(lsn)) {
      while (reader.next()) {
        if (reader.type() != WalRecordType.FLUSH_MARK) {
          xids.add(reader.xid());
        }
      }
    }
    return xids;
  }
}
