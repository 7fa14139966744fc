package dev.millrace.publisher.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The bytes between append and write: position {@code lsn} lies at {@code lsn mod capacity}. The
 * appender puts bytes beyond the copied position, the flusher reads those before it; the log's
 * volatile positions order the two, the ring itself has no lock.
 */
final class WalRing {

  private final ByteBuffer bytes;
  private final int mask;

  WalRing(int capacity) {
    bytes = ByteBuffer.allocateDirect(capacity);
    mask = capacity - 1;
  }

  int capacity() {
    return mask + 1;
  }

  /** Copies bytes in; the caller has made sure that there is room. */
  void put(long lsn, byte[] source, int offset, int length) {
    int start = (int) lsn & mask;
    int untilWrap = Math.min(length, capacity() - start);
    bytes.put(start, source, offset, untilWrap);
    bytes.put(0, source, offset + untilWrap, length - untilWrap);
  }

  /** Writes the bytes from {@code lsn} on to a file. */
  void write(long lsn, int length, FileChannel file, long filePosition) throws IOException {
    int start = (int) lsn & mask;
    int untilWrap = Math.min(length, capacity() - start);
    writeFully(bytes.slice(start, untilWrap), file, filePosition);
    writeFully(bytes.slice(0, length - untilWrap), file, filePosition + untilWrap);
  }

  private static void writeFully(ByteBuffer source, FileChannel file, long filePosition)
      throws IOException {
    long position = filePosition;
    while (source.hasRemaining()) {
      position += file.write(source, position);
    }
  }
}
