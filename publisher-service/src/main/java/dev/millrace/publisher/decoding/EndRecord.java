package dev.millrace.publisher.decoding;

import dev.millrace.publisher.wal.WalReader;

/**
 * The body of a COMMIT or ABORT record, see WalFormat, and the beginning of PREPARE,
 * COMMIT_PREPARED and ROLLBACK_PREPARED, which is that of COMMIT.
 *
 * @param originLsn 0 in an ABORT
 */
record EndRecord(long time, long originLsn, int[] subxids) {

  static EndRecord ofCommit(WalReader record) {
    byte[] buffer = record.buffer();
    int offset = record.bodyOffset();
    return new EndRecord(
        getLong(buffer, offset), getLong(buffer, offset + 8), subxids(buffer, offset + 16));
  }

  static EndRecord ofAbort(WalReader record) {
    byte[] buffer = record.buffer();
    int offset = record.bodyOffset();
    return new EndRecord(getLong(buffer, offset), 0, subxids(buffer, offset + 8));
  }

  private static int[] subxids(byte[] buffer, int offset) {
    int[] subxids = new int[ChangeEntry.getInt(buffer, offset)];
    for (int i = 0; i < subxids.length; i++) {
      subxids[i] = ChangeEntry.getInt(buffer, offset + 4 + 4 * i);
    }
    return subxids;
  }

  private static long getLong(byte[] buffer, int offset) {
    return (long) ChangeEntry.getInt(buffer, offset) << 32
        | ChangeEntry.getInt(buffer, offset + 4) & 0xFFFFFFFFL;
  }
}
