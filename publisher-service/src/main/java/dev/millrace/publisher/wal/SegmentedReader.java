package dev.millrace.publisher.wal;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Reads records from the segment files through one buffer, which grows only for a record that does
 * not fit and shrinks again after it. It looks at two positions of the log: never reads at or past
 * {@code readableLsn} (the flushed end), and takes a record that claims to reach past {@code
 * writtenLsn} (the insert position) for damaged instead of waiting for it forever.
 */
final class SegmentedReader implements WalReader {

  static final int BUFFER_SIZE = 256 * 1024;

  /** What lies at {@link #position}. */
  enum Found {
    RECORD,
    /** The readable end, or the readable part of a record that continues past it. */
    END,
    /** Bytes that are no record; {@link #damage} says why. */
    DAMAGED
  }

  private final WalSegments segments;
  private final LongSupplier readableLsn;
  private final LongSupplier writtenLsn;
  private final CRC32C crc = new CRC32C();
  private byte[] buffer = new byte[BUFFER_SIZE];
  private ByteBuffer view = ByteBuffer.wrap(buffer);
  private long bufferLsn;
  private int filled;
  private long position;
  private long recordLsn;
  private int recordOffset;
  private int recordLength;
  private long limit;
  private FileChannel file;
  private long fileNumber = -1;
  private String damage;

  SegmentedReader(
      WalSegments segments, long startLsn, LongSupplier readableLsn, LongSupplier writtenLsn) {
    this.segments = segments;
    this.readableLsn = readableLsn;
    this.writtenLsn = writtenLsn;
    this.position = startLsn;
    this.bufferLsn = startLsn;
    this.limit = startLsn;
  }

  @Override
  public boolean next() {
    switch (probe()) {
      case RECORD:
        return true;
      case END:
        return false;
      default:
        throw damaged(position, damage);
    }
  }

  static PgException damaged(long lsn, String reason) {
    return new PgException(
            SqlState.DATA_CORRUPTED, "damaged record in the write-ahead log at " + Lsn.format(lsn))
        .withDetail(reason);
  }

  /** As {@link #next}, telling damage from the end. Stays where it is unless there is a record. */
  Found probe() {
    if (!available(WalFormat.HEADER_SIZE)) {
      return Found.END;
    }
    int offset = (int) (position - bufferLsn);
    int length = view.getInt(offset + WalFormat.LENGTH);
    if (length < WalFormat.HEADER_SIZE || length > WalFormat.MAX_RECORD_SIZE) {
      return found("Its length is " + length + ".");
    }
    long ownLsn = view.getLong(offset + WalFormat.LSN);
    if (ownLsn != position) {
      return found("It says that its position is " + Lsn.format(ownLsn) + ".");
    }
    if (!available(length)) {
      boolean stillToCome = !Lsn.isBefore(writtenLsn.getAsLong(), position + length);
      return stillToCome ? Found.END : found("Its length of " + length + " leads past the end.");
    }
    offset = (int) (position - bufferLsn);
    crc.reset();
    crc.update(buffer, offset + WalFormat.XID, length - WalFormat.XID);
    if ((int) crc.getValue() != view.getInt(offset + WalFormat.CRC)) {
      return found("Its checksum does not match.");
    }
    recordLsn = position;
    recordOffset = offset;
    recordLength = length;
    position += length;
    return Found.RECORD;
  }

  private Found found(String reason) {
    damage = reason;
    return Found.DAMAGED;
  }

  String damage() {
    return damage;
  }

  /** Whether {@code length} bytes from the position on are in the buffer, reading if need be. */
  private boolean available(int length) {
    if (position + length <= bufferLsn + filled) {
      return true;
    }
    if (Lsn.isBefore(limit, position + length)) {
      limit = readableLsn.getAsLong();
      if (Lsn.isBefore(limit, position + length)) {
        return false;
      }
    }
    fill(length);
    return true;
  }

  private void fill(int length) {
    int consumed = (int) (position - bufferLsn);
    int rest = filled - consumed;
    byte[] target = buffer;
    if (length > buffer.length) {
      target = new byte[length];
    } else if (buffer.length > BUFFER_SIZE && Math.max(length, rest) <= BUFFER_SIZE) {
      target = new byte[BUFFER_SIZE];
    }
    System.arraycopy(buffer, consumed, target, 0, rest);
    if (target != buffer) {
      buffer = target;
      view = ByteBuffer.wrap(buffer);
    }
    bufferLsn = position;
    filled = rest;
    int wanted = (int) Math.min(buffer.length, limit - bufferLsn);
    try {
      while (filled < wanted) {
        readFromSegment(wanted);
      }
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR,
          "could not read from WAL segment " + segments.name(fileNumber) + ": " + e.getMessage(),
          e);
    }
  }

  private void readFromSegment(int wanted) throws IOException {
    long lsn = bufferLsn + filled;
    long number = segments.number(lsn);
    if (number != fileNumber) {
      FileChannel next = segments.openForReading(number);
      close();
      file = next;
      fileNumber = number;
    }
    int offset = segments.offset(lsn);
    view.limit(Math.min(wanted, filled + segments.segmentSize() - offset)).position(filled);
    int count = file.read(view, offset);
    view.clear();
    if (count < 0) {
      throw damaged(lsn, "WAL segment " + segments.name(number) + " is too short.");
    }
    filled += count;
  }

  @Override
  public long lsn() {
    return recordLsn;
  }

  @Override
  public long endLsn() {
    return recordLsn + recordLength;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public WalRecordType type() {
    return WalRecordType.of(buffer[recordOffset + WalFormat.TYPE]);
  }

  @Override
  public int flags() {
    return buffer[recordOffset + WalFormat.FLAGS] & 0xFF;
  }

  @Override
  public int xid() {
    return view.getInt(recordOffset + WalFormat.XID);
  }

  @Override
  public int topXid() {
    return view.getInt(recordOffset + WalFormat.TOP_XID);
  }

  @Override
  public int databaseOid() {
    return view.getInt(recordOffset + WalFormat.DATABASE);
  }

  @Override
  public int originId() {
    return view.getShort(recordOffset + WalFormat.ORIGIN) & 0xFFFF;
  }

  @Override
  public byte[] buffer() {
    return buffer;
  }

  @Override
  public int bodyOffset() {
    return recordOffset + WalFormat.HEADER_SIZE;
  }

  @Override
  public int bodyLength() {
    return recordLength - WalFormat.HEADER_SIZE;
  }

  /** The first eight bytes of the body, as FLUSH_MARK has them. */
  long bodyLong() {
    return view.getLong(bodyOffset());
  }

  @Override
  public void close() {
    if (file == null) {
      return;
    }
    try {
      file.close();
      file = null;
      fileNumber = -1;
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not close a WAL segment: " + e.getMessage(), e);
    }
  }
}
