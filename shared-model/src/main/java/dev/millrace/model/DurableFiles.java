package dev.millrace.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Files that are replaced as a whole and must be old or new after a power loss, never half of each:
 * written aside, forced, renamed, and the directory forced, because a rename lives in the
 * directory.
 */
public final class DurableFiles {

  private DurableFiles() {}

  /** Writes a file's content from its begin; need not force it. */
  @FunctionalInterface
  public interface Content {
    void writeTo(FileChannel channel) throws IOException;
  }

  /** Replaces {@code file} by these bytes; durable when the call returns. */
  public static void replace(Path file, byte[] bytes) throws IOException {
    replace(
        file,
        channel -> {
          ByteBuffer source = ByteBuffer.wrap(bytes);
          while (source.hasRemaining()) {
            channel.write(source);
          }
        });
  }

  /** Replaces {@code file} by this content; durable when the call returns. */
  public static void replace(Path file, Content content) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            aside,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      content.writeTo(channel);
      channel.force(true);
    }
    FaultPoint.hit("file.before-rename");
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    FaultPoint.hit("file.after-rename");
    forceDirectory(file.toAbsolutePath().getParent());
  }

  /** Makes names created, renamed or removed in the directory durable. */
  public static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Creates the directory with its parents; their names are durable when the call returns. */
  public static void createDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.toAbsolutePath().getParent();
    createDirectories(parent);
    Files.createDirectories(directory);
    forceDirectory(parent);
  }
}
