package dev.millrace.publisher.decoding;

import java.util.Arrays;

/**
 * The changes of one transaction that are in memory: entries one after the other in byte chunks. An
 * entry never crosses a chunk. Chunks grow from small to {@link #LARGEST_CHUNK}, so that a one-row
 * transaction costs little and a large one few arrays. One thread.
 */
final class ChangeArena {

  static final int SMALLEST_CHUNK = 512;
  static final int LARGEST_CHUNK = 64 * 1024;

  private byte[][] chunks = new byte[4][];
  private int[] used = new int[4];
  private int count;
  private long allocated;
  private long length;

  void append(
      int xid,
      long lsn,
      byte type,
      int flags,
      int originId,
      byte[] buffer,
      int bodyOffset,
      int bodyLength) {
    int entryLength = Math.addExact(ChangeEntry.BODY, bodyLength);
    if (count == 0 || chunks[count - 1].length - used[count - 1] < entryLength) {
      addChunk(entryLength);
    }
    byte[] chunk = chunks[count - 1];
    int offset = used[count - 1];
    ChangeEntry.putHeader(chunk, offset, entryLength, type, flags, originId, lsn, xid);
    System.arraycopy(buffer, bodyOffset, chunk, offset + ChangeEntry.BODY, bodyLength);
    used[count - 1] = offset + entryLength;
    length += entryLength;
  }

  private void addChunk(int entryLength) {
    int size = count == 0 ? SMALLEST_CHUNK : Math.min(chunks[count - 1].length * 2, LARGEST_CHUNK);
    if (count > 0 && chunks[count - 1].length > LARGEST_CHUNK) {
      size = LARGEST_CHUNK; // The one before was made for a single oversized entry.
    }
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, count * 2);
      used = Arrays.copyOf(used, count * 2);
    }
    chunks[count] = new byte[Math.max(size, entryLength)];
    used[count] = 0;
    allocated += chunks[count].length;
    count++;
  }

  /** Drops everything from {@code position} on, a position that {@link #length()} once gave. */
  void cutTo(long position) {
    while (count > 0 && length - used[count - 1] >= position) {
      count--;
      length -= used[count];
      allocated -= chunks[count].length;
      chunks[count] = null;
    }
    if (count > 0) {
      used[count - 1] -= (int) (length - position);
      length = position;
    }
  }

  void clear() {
    chunks = new byte[4][];
    used = new int[4];
    count = 0;
    allocated = 0;
    length = 0;
  }

  int chunkCount() {
    return count;
  }

  byte[] chunk(int index) {
    return chunks[index];
  }

  int used(int index) {
    return used[index];
  }

  /** Bytes of entries. */
  long length() {
    return length;
  }

  /** Bytes of heap the chunks take. */
  long allocated() {
    return allocated;
  }
}
