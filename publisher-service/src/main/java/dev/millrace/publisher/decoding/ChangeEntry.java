package dev.millrace.publisher.decoding;

/**
 * How one change lies in a ReorderBuffer's chunks and, unchanged, in its spill files. Integers are
 * big-endian.
 *
 * <pre>
 * offset size
 *      0    4  length of the entry, these bytes included
 *      4    1  type, see WalRecordType
 *      5    1  flags of the log record; in the upper three bits what row filters said, see RowVerdict
 *      6    2  origin id
 *      8    8  LSN of the log record
 *     16    4  xid: the top transaction's or a subtransaction's
 *     20    .  body of the log record
 * </pre>
 */
final class ChangeEntry {

  static final int LENGTH = 0;
  static final int TYPE = 4;
  static final int FLAGS = 5;
  static final int ORIGIN = 6;
  static final int LSN = 8;
  static final int XID = 16;
  static final int BODY = 20;

  private ChangeEntry() {}

  static int length(byte[] chunk, int offset) {
    return getInt(chunk, offset + LENGTH);
  }

  static long lsn(byte[] chunk, int offset) {
    return (long) getInt(chunk, offset + LSN) << 32 | getInt(chunk, offset + LSN + 4) & 0xFFFFFFFFL;
  }

  static int xid(byte[] chunk, int offset) {
    return getInt(chunk, offset + XID);
  }

  static int originId(byte[] chunk, int offset) {
    return (chunk[offset + ORIGIN] & 0xFF) << 8 | chunk[offset + ORIGIN + 1] & 0xFF;
  }

  static void putHeader(
      byte[] chunk, int offset, int length, byte type, int flags, int originId, long lsn, int xid) {
    putInt(chunk, offset + LENGTH, length);
    chunk[offset + TYPE] = type;
    chunk[offset + FLAGS] = (byte) flags;
    chunk[offset + ORIGIN] = (byte) (originId >>> 8);
    chunk[offset + ORIGIN + 1] = (byte) originId;
    putInt(chunk, offset + LSN, (int) (lsn >>> 32));
    putInt(chunk, offset + LSN + 4, (int) lsn);
    putInt(chunk, offset + XID, xid);
  }

  static int getInt(byte[] chunk, int offset) {
    return (chunk[offset] & 0xFF) << 24
        | (chunk[offset + 1] & 0xFF) << 16
        | (chunk[offset + 2] & 0xFF) << 8
        | chunk[offset + 3] & 0xFF;
  }

  private static void putInt(byte[] chunk, int offset, int value) {
    chunk[offset] = (byte) (value >>> 24);
    chunk[offset + 1] = (byte) (value >>> 16);
    chunk[offset + 2] = (byte) (value >>> 8);
    chunk[offset + 3] = (byte) value;
  }
}
