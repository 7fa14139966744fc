package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The serialized changes of one transaction: a file for each log segment that holds some of them,
 * named {@code xid-<xid>-lsn-<high>-<low>.spill} after the segment's first position (xid decimal,
 * LSN halves hexadecimal). One thread.
 *
 * <p>A file begins with {@link #MAGIC} (8 bytes, its last digit is the format's version); {@link
 * ChangeEntry}s follow. It is a cache of the log, never forced and never read by a later process:
 * what a crash leaves of it is removed when the slot is next used.
 */
final class SpillFiles {

  static final byte[] MAGIC = {'M', 'R', 'S', 'P', 'I', 'L', 'L', '1'};
  private static final int SLICE = 256 * 1024;

  private record SpillFile(Path path, long segmentLsn, long position, long length) {
    SpillFile withLength(long newLength) {
      return new SpillFile(path, segmentLsn, position, newLength);
    }
  }

  private final Path directory;
  private final int xid;
  private final long segmentSize;
  private final List<SpillFile> files = new ArrayList<>();
  private long length;

  SpillFiles(Path directory, int xid, long segmentSize) {
    this.directory = directory;
    this.xid = xid;
    this.segmentSize = segmentSize;
  }

  /** Bytes of entries in all files. */
  long length() {
    return length;
  }

  boolean isEmpty() {
    return files.isEmpty();
  }

  /** Writes all entries of the arena behind those already written. */
  void append(ChangeArena arena) {
    try {
      Files.createDirectories(directory);
      try (Tail tail = new Tail()) {
        for (int i = 0; i < arena.chunkCount(); i++) {
          appendChunk(tail, arena.chunk(i), arena.used(i));
        }
      }
    } catch (IOException e) {
      throw ioError("write", e);
    }
  }

  private void appendChunk(Tail tail, byte[] chunk, int used) throws IOException {
    int from = 0;
    while (from < used) {
      long segmentLsn = segmentOf(ChangeEntry.lsn(chunk, from));
      int to = from;
      while (to < used && segmentOf(ChangeEntry.lsn(chunk, to)) == segmentLsn) {
        to += ChangeEntry.length(chunk, to);
      }
      tail.write(segmentLsn, chunk, from, to - from);
      from = to;
    }
  }

  private long segmentOf(long lsn) {
    return lsn - Long.remainderUnsigned(lsn, segmentSize);
  }

  /** The file being written; a new one where the segment changes. */
  private final class Tail implements AutoCloseable {
    private FileChannel channel;

    void write(long segmentLsn, byte[] chunk, int offset, int count) throws IOException {
      boolean sameFile = !files.isEmpty() && files.get(files.size() - 1).segmentLsn == segmentLsn;
      if (!sameFile) {
        close();
        Path path = directory.resolve(fileName(xid, segmentLsn));
        files.add(new SpillFile(path, segmentLsn, length, 0));
        channel =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        writeFully(channel, ByteBuffer.wrap(MAGIC));
      }
      SpillFile file = files.get(files.size() - 1);
      if (channel == null) {
        channel = FileChannel.open(file.path, StandardOpenOption.WRITE);
        channel.position(MAGIC.length + file.length);
      }
      writeFully(channel, ByteBuffer.wrap(chunk, offset, count));
      files.set(files.size() - 1, file.withLength(file.length + count));
      length += count;
    }

    @Override
    public void close() throws IOException {
      if (channel != null) {
        channel.close();
        channel = null;
      }
    }
  }

  private static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Drops everything from {@code position} on, counted over all files. */
  void cutTo(long position) {
    try {
      while (length > position) {
        SpillFile last = files.remove(files.size() - 1);
        length = Math.max(position, last.position);
        if (last.position >= position) {
          Files.deleteIfExists(last.path);
        } else {
          files.add(last.withLength(position - last.position));
          try (FileChannel channel = FileChannel.open(last.path, StandardOpenOption.WRITE)) {
            channel.truncate(MAGIC.length + position - last.position);
          }
        }
      }
    } catch (IOException e) {
      throw ioError("truncate", e);
    }
  }

  /** Takes the slices that {@link #read} restores: whole entries from offset 0 to length. */
  interface SliceReader {
    void slice(byte[] slice, int length);
  }

  /** Restores all entries in the order they were written, a slice of bounded size at a time. */
  void read(SliceReader reader) {
    byte[] slice = files.isEmpty() ? null : new byte[SLICE];
    for (SpillFile file : files) {
      try (FileChannel channel = FileChannel.open(file.path, StandardOpenOption.READ)) {
        slice = readFile(file, channel, slice, reader);
      } catch (IOException e) {
        throw ioError("read", e);
      }
    }
  }

  private byte[] readFile(SpillFile file, FileChannel channel, byte[] buffer, SliceReader reader)
      throws IOException {
    byte[] slice = buffer;
    checkMagic(file, channel);
    long left = file.length;
    int held = 0;
    while (left > 0 || held > 0) {
      int wanted = (int) Math.min(left, slice.length - held);
      readFully(file, channel, ByteBuffer.wrap(slice, held, wanted));
      left -= wanted;
      held += wanted;
      int whole = wholeEntries(file, slice, held);
      if (whole > 0) {
        reader.slice(slice, whole);
        System.arraycopy(slice, whole, slice, 0, held - whole);
        held -= whole;
      } else if (left == 0) {
        throw damaged(file);
      } else {
        slice = java.util.Arrays.copyOf(slice, entryLength(file, slice, 0));
      }
    }
    return slice;
  }

  private int wholeEntries(SpillFile file, byte[] slice, int held) {
    int offset = 0;
    while (held - offset >= ChangeEntry.BODY) {
      int entry = entryLength(file, slice, offset);
      if (entry > held - offset) {
        break;
      }
      offset += entry;
    }
    return offset;
  }

  private int entryLength(SpillFile file, byte[] slice, int offset) {
    int entry = ChangeEntry.length(slice, offset);
    if (entry < ChangeEntry.BODY || entry > file.length) {
      throw damaged(file);
    }
    return entry;
  }

  private void checkMagic(SpillFile file, FileChannel channel) throws IOException {
    byte[] magic = new byte[MAGIC.length];
    readFully(file, channel, ByteBuffer.wrap(magic));
    if (!java.util.Arrays.equals(magic, MAGIC)) {
      throw damaged(file);
    }
  }

  private void readFully(SpillFile file, FileChannel channel, ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (channel.read(into) < 0) {
        throw damaged(file);
      }
    }
  }

  private PgException damaged(SpillFile file) {
    return new PgException(
        SqlState.DATA_CORRUPTED,
        "could not read from reorderbuffer spill file \"" + file.path + "\": it is damaged");
  }

  /** Removes all files. */
  void delete() {
    try {
      for (SpillFile file : files) {
        Files.deleteIfExists(file.path);
      }
      files.clear();
      length = 0;
    } catch (IOException e) {
      throw ioError("remove", e);
    }
  }

  private PgException ioError(String action, IOException e) {
    boolean full = String.valueOf(e.getMessage()).contains("No space left");
    return new PgException(
        full ? SqlState.DISK_FULL : SqlState.IO_ERROR,
        "could not " + action + " data file for XID " + Integer.toUnsignedString(xid) + ": " + e,
        e);
  }

  static String fileName(int xid, long segmentLsn) {
    return "xid-"
        + Integer.toUnsignedString(xid)
        + "-lsn-"
        + Lsn.format(segmentLsn).replace('/', '-')
        + ".spill";
  }

  /** Removes what an earlier process or session left in a slot's directory. */
  static void deleteAll(Path directory) {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "xid-*.spill")) {
      for (Path path : left) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException e) {
      return; // A slot that never spilled may have no directory yet.
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not remove spill files in \"" + directory + "\": " + e, e);
    }
  }
}
