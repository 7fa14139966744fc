package dev.millrace.publisher.wal;

import dev.millrace.model.DurableFiles;
import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/**
 * {@code pg_twophase}: the log records of each transaction that was prepared at a checkpoint, one
 * file per transaction, so that redo from that checkpoint needs no older log however long ago the
 * transaction began.
 *
 * <pre>
 * offset size
 *      0    4  magic 0x4D525450 ("MRTP")
 *      4    4  format version
 *      8    .  the transaction's records as they lie in the log, in log order, the PREPARE record last
 *      .    4  0: no further record
 * </pre>
 *
 * The name is the xid in eight hexadecimal digits. A file is written aside, forced and renamed, so
 * one that is there is whole; which ones count is told by the RUNNING_TRANSACTIONS record of the
 * checkpoint. One thread at a time.
 */
public final class PreparedFiles {

  static final int MAGIC = 0x4D525450;
  static final int VERSION = 1;
  static final int HEADER_SIZE = 8;

  private final Path directory;

  public PreparedFiles(Path dataDirectory) {
    this.directory = dataDirectory.resolve("pg_twophase");
  }

  private Path file(int xid) {
    return directory.resolve(String.format(java.util.Locale.ROOT, "%08X", xid));
  }

  /**
   * Copies a prepared transaction's records from the log unless that is done; on disk when the call
   * returns.
   *
   * @param firstLsn at or before its first record
   * @param endLsn behind its PREPARE record; the log is flushed up to there
   */
  public void write(WriteAheadLog log, int xid, long firstLsn, long endLsn) {
    Path file = file(xid);
    if (Files.exists(file)) {
      return;
    }
    try {
      DurableFiles.createDirectories(directory);
      DurableFiles.replace(
          file,
          channel -> {
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
            out.write(ByteBuffer.allocate(HEADER_SIZE).putInt(MAGIC).putInt(VERSION).array());
            copy(log, xid, firstLsn, endLsn, out);
            out.write(new byte[Integer.BYTES]);
            out.flush();
            FaultPoint.hit("twophase.written");
          });
    } catch (IOException e) {
      throw failed("write", file, e);
    }
  }

  private static void copy(WriteAheadLog log, int xid, long firstLsn, long endLsn, OutputStream out)
      throws IOException {
    try (WalReader reader = log.openReader(firstLsn)) {
      while (reader.position() != endLsn && reader.next()) {
        if (reader.topXid() == xid) {
          int start = reader.bodyOffset() - WalFormat.HEADER_SIZE;
          out.write(reader.buffer(), start, WalFormat.HEADER_SIZE + reader.bodyLength());
        }
      }
    }
  }

  /**
   * Reads a transaction's records.
   *
   * @throws PgException XX001 when the file is not there or damaged
   */
  public WalReader open(int xid) {
    Path file = file(xid);
    try {
      return new PreparedFileReader(file);
    } catch (IOException e) {
      throw new PgException(
          SqlState.DATA_CORRUPTED,
          "could not read two-phase file \"" + file + "\" of a prepared transaction",
          e);
    }
  }

  /** Removes the files of all other transactions: they have ended. */
  public void retain(Set<Integer> xids) {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (xids.stream().noneMatch(xid -> file(xid).equals(file))) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw failed("remove from", directory, e);
    }
  }

  private static PgException failed(String verb, Path path, IOException e) {
    boolean full = String.valueOf(e.getMessage()).contains("No space left on device");
    String state = full ? SqlState.DISK_FULL : SqlState.IO_ERROR;
    return new PgException(state, "could not " + verb + " \"" + path + "\": " + e.getMessage(), e);
  }
}
