package dev.millrace.publisher.recovery;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Where recovery begins to read, told by the checkpoint's record of the transactions then running.
 *
 * @param lsn the smallest first LSN of the transactions that ran at the checkpoint, or its position
 * @param prepared the transactions that were prepared then, whose records are in files
 */
record RedoStart(long lsn, Set<Integer> prepared) {

  static RedoStart find(WriteAheadLog log, long redoLsn) {
    try (WalReader reader = log.openReader(redoLsn)) {
      while (reader.next()) {
        switch (reader.type()) {
          case RUNNING_TRANSACTIONS -> {
            return read(reader, redoLsn);
          }
          case COMMIT -> {
            // A new node has no checkpoint before its first commit.
            return new RedoStart(redoLsn, Set.of());
          }
          default -> {
            // Records of running transactions may come between.
          }
        }
      }
    }
    return new RedoStart(redoLsn, Set.of());
  }

  private static RedoStart read(WalReader reader, long redoLsn) {
    ByteBuffer in =
        ByteBuffer.wrap(reader.buffer(), reader.bodyOffset() + 8, reader.bodyLength() - 8);
    long oldestLsn = redoLsn;
    for (int left = in.getInt(); left > 0; left--) {
      in.getInt();
      oldestLsn = Lsn.min(oldestLsn, in.getLong());
    }
    Set<Integer> prepared = new LinkedHashSet<>();
    boolean listed = in.remaining() >= Integer.BYTES; // Not in logs of the first version.
    for (int left = listed ? in.getInt() : 0; left > 0; left--) {
      prepared.add(in.getInt());
    }
    return new RedoStart(oldestLsn, prepared);
  }
}
