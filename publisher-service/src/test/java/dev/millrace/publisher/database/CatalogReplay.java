package dev.millrace.publisher.database;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fills a catalogue with what the whole log says was committed before a position. */
final class CatalogReplay {

  private CatalogReplay() {}

  static void upTo(WriteAheadLog log, CatalogStore catalog, long endLsn) {
    Map<Integer, List<byte[]>> open = new HashMap<>();
    try (WalReader reader = log.openReader(log.oldestLsn())) {
      while (reader.next() && Lsn.isBefore(reader.lsn(), endLsn)) {
        if (reader.type() == WalRecordType.CATALOG) {
          byte[] body = new byte[reader.bodyLength()];
          System.arraycopy(reader.buffer(), reader.bodyOffset(), body, 0, body.length);
          open.computeIfAbsent(reader.topXid(), xid -> new ArrayList<>()).add(body);
        } else if (reader.type() == WalRecordType.COMMIT
            || reader.type() == WalRecordType.COMMIT_PREPARED) {
          for (byte[] body : open.getOrDefault(reader.xid(), List.of())) {
            catalog.replay(reader.endLsn(), body, 0, body.length);
          }
        }
      }
    }
  }
}
