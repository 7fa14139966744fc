package dev.millrace.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a data directory to one process: an operating system lock on {@code
 * <data-dir>/millrace.pid}, which holds the owner's process id. The lock goes with the process,
 * however it ends, so a file left by a kill hinders nobody.
 */
public final class DataDirectoryLock implements AutoCloseable {

  static final String FILE_NAME = "millrace.pid";

  /**
   * Directories held by this process. Asked before the file is opened, because closing a second
   * channel of a locked file would give up the first one's lock.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DataDirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Takes the directory, which is created when missing.
   *
   * @throws PgException 55006 when another process (or another node of this one) holds it, 58030
   *     when the file cannot be written
   */
  public static DataDirectoryLock acquire(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE_NAME);
    try {
      DurableFiles.createDirectories(dataDirectory);
      Path directory = dataDirectory.toRealPath();
      if (!HELD.add(directory)) {
        throw inUse(dataDirectory, file, Long.toString(ProcessHandle.current().pid()));
      }
      try {
        return new DataDirectoryLock(directory, lock(dataDirectory, file));
      } catch (IOException | RuntimeException e) {
        HELD.remove(directory);
        throw e;
      }
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not lock file \"" + file + "\": " + e.getMessage(), e);
    }
  }

  private static FileChannel lock(Path dataDirectory, Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      String owner = owner(channel);
      channel.close();
      throw inUse(dataDirectory, file, owner);
    }
    channel.truncate(0);
    String pid = ProcessHandle.current().pid() + "\n";
    channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
    return channel;
  }

  private static String owner(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(32);
    channel.read(text, 0);
    return new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).trim();
  }

  private static PgException inUse(Path dataDirectory, Path file, String pid) {
    return new PgException(SqlState.OBJECT_IN_USE, "lock file \"" + file + "\" is held already")
        .withHint(
            "Is another service (PID "
                + pid
                + ") running in data directory \""
                + dataDirectory
                + "\"?");
  }

  /** Gives the directory back. */
  @Override
  public void close() {
    try {
      channel.close();
      HELD.remove(directory);
    } catch (IOException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not release the data directory: " + e.getMessage(), e);
    }
  }
}
