package dev.millrace.publisher.wal;

import dev.millrace.model.ByteBuilder;
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

  /** Ends the record: length and CRC are now known. */
  public void end() {
    out.setInt(recordStart + WalFormat.LENGTH, out.size() - recordStart);
    crc.reset();
    crc.update(out.array(), recordStart + WalFormat.XID, out.size() - recordStart - WalFormat.XID);
    out.setInt(recordStart + WalFormat.CRC, (int) crc.getValue());
    recordStart = -1;
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
