package dev.millrace.publisher.wal;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Finds where the log ends at a start and makes that end clean.
 *
 * <p>A crash can leave the bytes written since the last completed force in any mixture: whole
 * records, parts, zeros, later pages without earlier ones. All of that lies above the position
 * flushed before the write, and nobody was told of it, so it is cut. Below that position every byte
 * was forced and a record that does not check is damage. What was flushed is known from the control
 * file and from the greatest FLUSH_MARK, which is searched for beyond the bad record too: a mark
 * that survived there proves that the force it speaks of had returned.
 *
 * <p>Cutting means zeros from the end on, forced: a whole record left over behind a torn one would
 * otherwise be taken for valid once new records have grown up to it. What stays is forced as well,
 * since after a kill it may sit in the page cache only.
 */
final class WalRecovery {

  private static final int SCAN_CHUNK = 1 << 20;

  private final WalSegments segments;

  WalRecovery(WalSegments segments) {
    this.segments = segments;
  }

  /**
   * Checks the records from {@code startLsn} on and cuts a torn tail.
   *
   * @param flushedLsn a position known to have been flushed
   * @return the end of the last good record
   * @throws PgException XX001 naming the damaged record
   */
  long findEnd(long startLsn, long flushedLsn) throws IOException {
    List<Long> numbers = segments.list();
    checkContiguous(numbers, segments.number(startLsn));
    completeLengths(numbers);
    long filesEnd = segments.startLsn(numbers.get(numbers.size() - 1) + 1);
    long end = startLsn;
    long greatestMark = flushedLsn;
    String damage = "The log ends there.";
    try (SegmentedReader reader =
        new SegmentedReader(segments, startLsn, () -> filesEnd, () -> filesEnd)) {
      SegmentedReader.Found found;
      while ((found = reader.probe()) == SegmentedReader.Found.RECORD) {
        end = reader.endLsn();
        if (reader.type() == WalRecordType.FLUSH_MARK) {
          greatestMark = Lsn.max(greatestMark, reader.bodyLong());
        }
      }
      if (found == SegmentedReader.Found.DAMAGED) {
        damage = reader.damage();
      }
    }
    greatestMark = Lsn.max(greatestMark, greatestMarkBetween(end, filesEnd));
    if (Lsn.isBefore(end, greatestMark)) {
      throw SegmentedReader.damaged(
              end, damage + " The log had been flushed up to " + Lsn.format(greatestMark) + ".")
          .withHint("Restore the file from a copy; starting without the record would lose data.");
    }
    cut(end, filesEnd);
    for (long number = segments.number(startLsn);
        number <= segments.number(end) && segments.startLsn(number) < filesEnd;
        number++) {
      try (FileChannel file = segments.openForWriting(number)) {
        file.force(true);
      }
    }
    return end;
  }

  private void checkContiguous(List<Long> numbers, long first) {
    if (numbers.isEmpty() || numbers.get(0) > first) {
      throw missing(first);
    }
    for (int i = 1; i < numbers.size(); i++) {
      long expected = numbers.get(i - 1) + 1;
      if (numbers.get(i) != expected && expected >= first) {
        throw missing(expected);
      }
    }
    if (numbers.get(numbers.size() - 1) < first) {
      throw missing(first);
    }
  }

  /** A file that was cut short gets zeros, which say that nothing was written there. */
  private void completeLengths(List<Long> numbers) throws IOException {
    for (long number : numbers) {
      try (FileChannel file = segments.openForWriting(number)) {
        if (file.size() < segments.segmentSize()) {
          WalSegments.writeZeros(file, file.size(), segments.segmentSize());
        }
      }
    }
  }

  private PgException missing(long number) {
    return new PgException(
        SqlState.UNDEFINED_FILE, "WAL segment " + segments.name(number) + " is missing");
  }

  /** Looks at every byte position for a flush mark that checks. */
  private long greatestMarkBetween(long from, long filesEnd) throws IOException {
    long greatest = 0;
    ByteBuffer bytes = ByteBuffer.allocate(SCAN_CHUNK);
    long position = from;
    while (filesEnd - position >= WalFormat.FLUSH_MARK_SIZE) {
      read(position, bytes, filesEnd);
      int last = bytes.limit() - WalFormat.FLUSH_MARK_SIZE;
      for (int offset = 0; offset <= last; offset++) {
        if (bytes.getLong(offset + WalFormat.LSN) == position + offset
            && WalBatch.isFlushMark(bytes.array(), offset)) {
          greatest = Lsn.max(greatest, bytes.getLong(offset + WalFormat.HEADER_SIZE));
        }
      }
      position += last + 1;
    }
    return greatest;
  }

  private void read(long position, ByteBuffer target, long filesEnd) throws IOException {
    target.clear();
    target.limit((int) Math.min(target.capacity(), filesEnd - position));
    int end = target.limit();
    while (target.position() < end) {
      long lsn = position + target.position();
      int offset = segments.offset(lsn);
      target.limit(Math.min(end, target.position() + segments.segmentSize() - offset));
      try (FileChannel file = segments.openForReading(segments.number(lsn))) {
        file.read(target, offset);
      }
    }
    target.limit(end).position(0);
  }

  private void cut(long end, long filesEnd) throws IOException {
    long position = end;
    while (position < filesEnd) {
      long number = segments.number(position);
      int offset = segments.offset(position);
      try (FileChannel file = segments.openForWriting(number)) {
        if (holdsAnything(file, offset)) {
          WalSegments.writeZeros(file, offset, segments.segmentSize());
          file.force(true);
        }
      }
      position = segments.startLsn(number + 1);
    }
  }

  /** Whether a byte other than zero follows. */
  private boolean holdsAnything(FileChannel file, int from) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SCAN_CHUNK);
    long position = from;
    int count;
    while ((count = file.read(bytes.clear(), position)) > 0) {
      for (int i = 0; i < count; i++) {
        if (bytes.get(i) != 0) {
          return true;
        }
      }
      position += count;
    }
    return false;
  }
}
