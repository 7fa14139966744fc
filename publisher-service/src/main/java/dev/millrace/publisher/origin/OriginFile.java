package dev.millrace.publisher.origin;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.DurableFiles;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The file {@code <data-dir>/pg_logical/replorigin_checkpoint}. Integers are big-endian.
 *
 * <pre>
 * magic "MRORIGN1" 8, count 4, then per origin: id 2, remote LSN 8, local LSN 8, as-of LSN 8,
 *                             name with a length of 2 before it; CRC-32C of all before it 4
 * </pre>
 *
 * Written aside, forced and renamed, so a torn write leaves the file before it.
 */
final class OriginFile {

  private static final byte[] MAGIC = "MRORIGN1".getBytes(StandardCharsets.US_ASCII);
  private static final int CRC_SIZE = 4;

  private final Path file;

  OriginFile(Path dataDirectory) {
    this.file = dataDirectory.resolve("pg_logical").resolve("replorigin_checkpoint");
  }

  /**
   * @throws PgException XX001 when the file is damaged
   */
  List<ReplicationOrigin> read() {
    try {
      return Files.exists(file) ? decode(Files.readAllBytes(file)) : List.of();
    } catch (IOException e) {
      throw failed("read", e);
    }
  }

  private List<ReplicationOrigin> decode(byte[] bytes) {
    int end = bytes.length - CRC_SIZE;
    boolean whole =
        end >= MAGIC.length
            && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
            && ByteBuffer.wrap(bytes).getInt(end) == crc(bytes, end);
    if (!whole) {
      throw damaged();
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, MAGIC.length, end - MAGIC.length);
    List<ReplicationOrigin> origins = new ArrayList<>();
    try {
      for (int left = in.getInt(); left > 0; left--) {
        int id = in.getShort() & 0xFFFF;
        long remoteLsn = in.getLong();
        long localLsn = in.getLong();
        long asOfLsn = in.getLong();
        byte[] name = new byte[in.getShort() & 0xFFFF];
        in.get(name);
        String text = new String(name, StandardCharsets.UTF_8);
        origins.add(new ReplicationOrigin(id, text, remoteLsn, localLsn, asOfLsn));
      }
    } catch (BufferUnderflowException e) {
      throw damaged();
    }
    return origins;
  }

  void write(Collection<ReplicationOrigin> origins) {
    ByteBuilder out = new ByteBuilder(256);
    out.putBytes(MAGIC, 0, MAGIC.length).putInt(origins.size());
    for (ReplicationOrigin origin : origins) {
      out.putShort(origin.id()).putLong(origin.remoteLsn()).putLong(origin.localLsn());
      out.putLong(origin.asOfLsn()).putName(origin.name());
    }
    out.putInt(crc(out.array(), out.size()));
    try {
      DurableFiles.createDirectories(file.getParent());
      DurableFiles.replace(file, Arrays.copyOf(out.array(), out.size()));
    } catch (IOException e) {
      throw failed("write", e);
    }
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private PgException damaged() {
    return new PgException(
        SqlState.DATA_CORRUPTED, "replication origin file \"" + file + "\" is damaged");
  }

  private PgException failed(String action, IOException e) {
    return new PgException(
        SqlState.IO_ERROR, "could not " + action + " file \"" + file + "\": " + e, e);
  }
}
