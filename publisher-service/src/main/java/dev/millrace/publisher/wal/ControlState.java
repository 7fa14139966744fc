package dev.millrace.publisher.wal;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * What a node must know before it can read its log. Immutable; {@link ControlFile} keeps it.
 *
 * <pre>
 * offset size
 *      0    8  magic "MILLRACE"
 *      8    4  version of this file, 1
 *     12    4  version of the log's layout, see WalFormat
 *     16    8  system identifier
 *     24    4  timeline
 *     28    4  bytes per log segment
 *     32    8  redo LSN: replay begins there
 *     40    8  flushed LSN: the log is known to have been on disk up to there
 *     48    4  next xid as of the redo LSN; the log may have used more
 *     52    4  OID bound: none at or above it was given out
 *     56    8  pid bound, likewise
 *     64    8  time of the last checkpoint, microseconds since 2000-01-01 UTC
 *     72    4  OID of the database
 *     76    2  length of its name, then the name in UTF-8
 *      .    4  CRC-32C of everything before
 * </pre>
 */
public record ControlState(
    long systemIdentifier,
    int timeline,
    int segmentSize,
    long redoLsn,
    long flushedLsn,
    int nextXid,
    int oidBound,
    long pidBound,
    long checkpointTime,
    int databaseOid,
    String databaseName) {

  static final int VERSION = 1;
  private static final long MAGIC = 0x4D494C4C52414345L;
  private static final int NAME = 76;

  /**
   * @param xid the next xid as of the redo position
   * @param time microseconds since 2000-01-01 UTC
   */
  public ControlState withCheckpoint(long newRedoLsn, long newFlushedLsn, int xid, long time) {
    return new ControlState(
        systemIdentifier,
        timeline,
        segmentSize,
        newRedoLsn,
        newFlushedLsn,
        xid,
        oidBound,
        pidBound,
        time,
        databaseOid,
        databaseName);
  }

  ControlState withFlushed(long newFlushedLsn) {
    return withCheckpoint(redoLsn, newFlushedLsn, nextXid, checkpointTime);
  }

  ControlState withBounds(int newOidBound, long newPidBound) {
    return new ControlState(
        systemIdentifier,
        timeline,
        segmentSize,
        redoLsn,
        flushedLsn,
        nextXid,
        newOidBound,
        newPidBound,
        checkpointTime,
        databaseOid,
        databaseName);
  }

  byte[] encode() {
    byte[] name = databaseName.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(NAME + 2 + name.length + 4);
    out.putLong(MAGIC).putInt(VERSION).putInt(WalFormat.VERSION).putLong(systemIdentifier);
    out.putInt(timeline).putInt(segmentSize).putLong(redoLsn).putLong(flushedLsn);
    out.putInt(nextXid).putInt(oidBound).putLong(pidBound).putLong(checkpointTime);
    out.putInt(databaseOid).putShort((short) name.length).put(name);
    return out.putInt(crc(out.array(), out.position())).array();
  }

  /**
   * @throws PgException XX001 when the bytes are no control file of this version
   */
  static ControlState decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < NAME + 6 || in.getLong() != MAGIC) {
      throw damaged("It is not a control file.");
    }
    int version = in.getInt();
    int walVersion = in.getInt();
    if (version != VERSION || walVersion != WalFormat.VERSION) {
      throw damaged(
          "It was written with format version %d.%d, this service reads %d.%d."
              .formatted(version, walVersion, VERSION, WalFormat.VERSION));
    }
    int crcOffset = bytes.length - 4;
    int nameLength = in.getShort(NAME) & 0xFFFF;
    if (NAME + 2 + nameLength != crcOffset || in.getInt(crcOffset) != crc(bytes, crcOffset)) {
      throw damaged("Its checksum does not match.");
    }
    return new ControlState(
        in.getLong(),
        in.getInt(),
        in.getInt(),
        in.getLong(),
        in.getLong(),
        in.getInt(),
        in.getInt(),
        in.getLong(),
        in.getLong(),
        in.getInt(),
        new String(bytes, NAME + 2, nameLength, StandardCharsets.UTF_8));
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static PgException damaged(String reason) {
    return new PgException(SqlState.DATA_CORRUPTED, "the control file is damaged")
        .withDetail(reason);
  }
}
