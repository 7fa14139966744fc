package dev.millrace.publisher.wal;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Reads one file of {@link PreparedFiles} record by record. One thread. */
final class PreparedFileReader implements WalReader {

  private final Path path;
  private final DataInputStream in;
  private byte[] record = new byte[1024];
  private ByteBuffer view = ByteBuffer.wrap(record);
  private int length;

  PreparedFileReader(Path path) throws IOException {
    this.path = path;
    this.in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16));
    if (in.readInt() != PreparedFiles.MAGIC || in.readInt() != PreparedFiles.VERSION) {
      in.close();
      throw damaged("It does not begin as such a file.");
    }
  }

  private PgException damaged(String detail) {
    return new PgException(SqlState.DATA_CORRUPTED, "two-phase file \"" + path + "\" is damaged")
        .withDetail(detail);
  }

  @Override
  public boolean next() {
    try {
      length = in.readInt();
      if (length == 0) {
        return false;
      }
      if (length < WalFormat.HEADER_SIZE || length > WalFormat.MAX_RECORD_SIZE) {
        throw damaged("A record's length is " + length + ".");
      }
      if (length > record.length) {
        record = new byte[length];
        view = ByteBuffer.wrap(record);
      }
      view.putInt(WalFormat.LENGTH, length);
      in.readFully(record, Integer.BYTES, length - Integer.BYTES);
    } catch (EOFException e) {
      throw damaged("It ends inside a record.");
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not read \"" + path + "\": " + e.getMessage(), e);
    }
    CRC32C crc = new CRC32C();
    crc.update(record, WalFormat.XID, length - WalFormat.XID);
    if ((int) crc.getValue() != view.getInt(WalFormat.CRC)) {
      throw damaged("A record's checksum does not match.");
    }
    return true;
  }

  @Override
  public long lsn() {
    return view.getLong(WalFormat.LSN);
  }

  @Override
  public long endLsn() {
    return lsn() + length;
  }

  @Override
  public long position() {
    return endLsn();
  }

  @Override
  public WalRecordType type() {
    return WalRecordType.of(record[WalFormat.TYPE]);
  }

  @Override
  public int flags() {
    return record[WalFormat.FLAGS] & 0xFF;
  }

  @Override
  public int xid() {
    return view.getInt(WalFormat.XID);
  }

  @Override
  public int topXid() {
    return view.getInt(WalFormat.TOP_XID);
  }

  @Override
  public int databaseOid() {
    return view.getInt(WalFormat.DATABASE);
  }

  @Override
  public int originId() {
    return view.getShort(WalFormat.ORIGIN) & 0xFFFF;
  }

  @Override
  public byte[] buffer() {
    return record;
  }

  @Override
  public int bodyOffset() {
    return WalFormat.HEADER_SIZE;
  }

  @Override
  public int bodyLength() {
    return length - WalFormat.HEADER_SIZE;
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not close \"" + path + "\": " + e.getMessage(), e);
    }
  }
}
