package dev.millrace.publisher.wal;

import dev.millrace.model.DurableFiles;
import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files of {@code pg_wal}: segment {@code n} holds the positions from {@code n * size} on. A
 * segment exists whole or not at all: it is filled with zeros under another name, forced, renamed,
 * and the directory forced, so that later writes into it need no room on the disk and change no
 * file length.
 */
final class WalSegments {

  private static final Pattern SEGMENT_NAME = Pattern.compile("[0-9A-F]{24}");
  private static final String ASIDE_PREFIX = "xlogtemp.";
  private static final int ZEROS_LENGTH = 1 << 20;

  private final Path directory;
  private final int segmentSize;
  private final int timeline;
  private final long segmentsPerXlogId;

  WalSegments(Path directory, WalOptions options) {
    this.directory = directory;
    this.segmentSize = options.segmentSize();
    this.timeline = options.timeline();
    this.segmentsPerXlogId = 0x100000000L / segmentSize;
  }

  int segmentSize() {
    return segmentSize;
  }

  long number(long lsn) {
    return Long.divideUnsigned(lsn, segmentSize);
  }

  int offset(long lsn) {
    return (int) (lsn & segmentSize - 1);
  }

  long startLsn(long number) {
    return number * segmentSize;
  }

  /** Timeline, high and low part of the number, eight hexadecimal digits each. */
  String name(long number) {
    return hex8(timeline) + hex8(number / segmentsPerXlogId) + hex8(number % segmentsPerXlogId);
  }

  private static String hex8(long value) {
    StringBuilder digits = new StringBuilder(8);
    for (int shift = 28; shift >= 0; shift -= 4) {
      digits.append("0123456789ABCDEF".charAt((int) (value >>> shift) & 15));
    }
    return digits.toString();
  }

  Path path(long number) {
    return directory.resolve(name(number));
  }

  /** Numbers of the segments that exist, ascending. */
  List<Long> list() throws IOException {
    List<Long> numbers = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (SEGMENT_NAME.matcher(name).matches()) {
          numbers.add(
              Long.parseLong(name, 8, 16, 16) * segmentsPerXlogId
                  + Long.parseLong(name, 16, 24, 16));
        }
      }
    }
    Collections.sort(numbers);
    return numbers;
  }

  /** Removes what an interrupted {@link #create} left. */
  void removeLeftovers() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, ASIDE_PREFIX + "*")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  /** Makes a segment of zeros; durable when the call returns. */
  void create(long number) throws IOException {
    Path aside = directory.resolve(ASIDE_PREFIX + number);
    try {
      try (FileChannel channel =
          FileChannel.open(
              aside,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        FaultPoint.hit("wal.create-segment");
        writeZeros(channel, 0, segmentSize);
        channel.force(true);
      }
      FaultPoint.hit("wal.before-segment-rename");
      Files.move(aside, path(number), StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.forceDirectory(directory);
    } catch (UncheckedIOException e) {
      Files.deleteIfExists(aside);
      throw e.getCause();
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(aside);
      throw e;
    }
  }

  static void writeZeros(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS_LENGTH, to - from));
    long position = from;
    while (position < to) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), to - position));
      while (zeros.hasRemaining()) {
        position += channel.write(zeros, position);
      }
    }
  }

  FileChannel openForWriting(long number) throws IOException {
    return FileChannel.open(path(number), StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /**
   * @throws PgException 58P01 when the segment is not there
   */
  FileChannel openForReading(long number) throws IOException {
    try {
      return FileChannel.open(path(number), StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      throw new PgException(
          SqlState.UNDEFINED_FILE,
          "requested WAL segment " + name(number) + " has already been removed",
          e);
    }
  }

  void delete(long number) throws IOException {
    Files.deleteIfExists(path(number));
  }

  void forceDirectory() throws IOException {
    DurableFiles.forceDirectory(directory);
  }
}
