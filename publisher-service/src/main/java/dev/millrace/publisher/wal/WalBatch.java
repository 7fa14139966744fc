package dev.millrace.publisher.wal;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.zip.CRC32C;

/**
 * Records encoded one after the other, to be appended to the log in one step. LSNs are filled in by
 * the append.
 *
 * <p>Used by one thread. The backing array grows up to what one record needs; callers bound a batch
 * by {@link #size()}.
 */
public final class WalBatch {

  private final ByteBuilder out;
  private int recordStart = -1;
  private final CRC32C crc = new CRC32C();

  public WalBatch(int initialCapacity) {
    out = new ByteBuilder(initialCapacity);
  }

  /** Begins a record and returns the builder that takes its body; {@link #end} follows. */
  public ByteBuilder begin(
      WalRecordType type, int flags, int xid, int topXid, int databaseOid, int originId) {
    recordStart = out.size();
    return out.putLong(0)
        .putLong(0)
        .putInt(xid)
        .putInt(topXid)
        .putInt(databaseOid)
        .putShort(originId)
        .putByte(type.code())
        .putByte(flags);
  }

  /**
   * Ends the record: length and CRC are now known.
   *
   * @throws PgException 54000 when it is longer than a record may be; the record is dropped then
   */
  public void end() {
    if (out.size() - recordStart > WalFormat.MAX_RECORD_SIZE) {
      truncate(recordStart);
      throw new PgException(
          SqlState.PROGRAM_LIMIT_EXCEEDED,
          "a log record cannot be longer than " + WalFormat.MAX_RECORD_SIZE + " bytes");
    }
    out.setInt(recordStart + WalFormat.LENGTH, out.size() - recordStart);
    crc.reset();
    crc.update(out.array(), recordStart + WalFormat.XID, out.size() - recordStart - WalFormat.XID);
    out.setInt(recordStart + WalFormat.CRC, (int) crc.getValue());
    recordStart = -1;
  }

  /** The record that tells what was flushed when the records after it were appended. */
  void addFlushMark(long flushedLsn) {
    begin(WalRecordType.FLUSH_MARK, 0, 0, 0, 0, 0).putLong(flushedLsn);
    end();
  }

  /** Whether a flush mark with a right checksum lies there; at least its size must follow. */
  static boolean isFlushMark(byte[] bytes, int offset) {
    if (bytes[offset + WalFormat.TYPE] != WalRecordType.FLUSH_MARK.code()
        || getInt(bytes, offset + WalFormat.LENGTH) != WalFormat.FLUSH_MARK_SIZE) {
      return false;
    }
    CRC32C check = new CRC32C();
    check.update(bytes, offset + WalFormat.XID, WalFormat.FLUSH_MARK_SIZE - WalFormat.XID);
    return (int) check.getValue() == getInt(bytes, offset + WalFormat.CRC);
  }

  /** Writes each record's position into it, the first at {@code startLsn}. */
  void assignPositions(long startLsn) {
    byte[] bytes = out.array();
    int offset = 0;
    while (offset < out.size()) {
      out.setLong(offset + WalFormat.LSN, startLsn + offset);
      offset += getInt(bytes, offset + WalFormat.LENGTH);
    }
  }

  private static int getInt(byte[] bytes, int offset) {
    return bytes[offset] << 24
        | (bytes[offset + 1] & 0xFF) << 16
        | (bytes[offset + 2] & 0xFF) << 8
        | bytes[offset + 3] & 0xFF;
  }

  /** Gives the records from {@code offset} on another xid; their top xid stays. */
  public void changeXid(int offset, int xid) {
    byte[] bytes = out.array();
    for (int at = offset; at < out.size(); ) {
      int length = getInt(bytes, at + WalFormat.LENGTH);
      out.setInt(at + WalFormat.XID, xid);
      crc.reset();
      crc.update(bytes, at + WalFormat.XID, length - WalFormat.XID);
      out.setInt(at + WalFormat.CRC, (int) crc.getValue());
      at += length;
    }
  }

  /** Cuts the batch back to an earlier size, dropping whole records or the unfinished one. */
  public void truncate(int newSize) {
    out.truncate(newSize);
    recordStart = -1;
  }

  /** Appends all records of another batch. */
  public void addAll(WalBatch other) {
    out.putBytes(other.array(), 0, other.size());
  }

  public void clear() {
    truncate(0);
  }

  public int size() {
    return out.size();
  }

  public boolean isEmpty() {
    return out.size() == 0;
  }

  public byte[] array() {
    return out.array();
  }
}
