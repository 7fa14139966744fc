package dev.millrace.publisher.database;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Log records as lines of text: {@code INSERT t N(1,a)}, {@code UPDATE t K(1,n) N(2,a)}, {@code
 * COMMIT}; flush marks and running transactions are left out. In tuples n is null and u unchanged.
 */
record LogText(List<Line> lines) {

  /** One record. */
  record Line(
      WalRecordType type, int xid, int topXid, long lsn, List<Integer> subxids, String text) {}

  static LogText read(WriteAheadLog log, CatalogStore catalog, long lsn) {
    List<Line> lines = new ArrayList<>();
    try (WalReader reader = log.openReader(lsn)) {
      while (reader.next()) {
        if (reader.type() != WalRecordType.FLUSH_MARK
            && reader.type() != WalRecordType.RUNNING_TRANSACTIONS) {
          lines.add(line(reader, catalog));
        }
      }
    }
    return new LogText(lines);
  }

  private static Line line(WalReader reader, CatalogStore catalog) {
    ByteBuffer body = ByteBuffer.wrap(reader.buffer(), reader.bodyOffset(), reader.bodyLength());
    List<Integer> subxids = new ArrayList<>();
    StringJoiner text = new StringJoiner(" ").add(reader.type().name());
    switch (reader.type()) {
      case INSERT, UPDATE, DELETE -> {
        text.add(catalog.relation(body.getInt(), body.getInt()).name().name());
        while (body.hasRemaining()) {
          text.add((char) body.get() + tuple(body));
        }
      }
      case TRUNCATE -> {
        for (int left = body.getInt(); left > 0; left--) {
          text.add(catalog.relation(body.getInt(), body.getInt()).name().name());
        }
        text.add("flags=" + reader.flags());
      }
      case COMMIT, PREPARE, COMMIT_PREPARED, ROLLBACK_PREPARED -> {
        body.position(body.position() + 16);
        addSubxids(body, subxids);
      }
      case ABORT -> {
        body.position(body.position() + 8);
        addSubxids(body, subxids);
      }
      case SEQUENCE -> text.add(Long.toString(body.getLong()));
      default -> {
        // The type says it all.
      }
    }
    return new Line(
        reader.type(), reader.xid(), reader.topXid(), reader.lsn(), subxids, text.toString());
  }

  private static void addSubxids(ByteBuffer body, List<Integer> subxids) {
    for (int left = body.getInt(); left > 0; left--) {
      subxids.add(body.getInt());
    }
  }

  private static String tuple(ByteBuffer body) {
    StringJoiner columns = new StringJoiner(",", "(", ")");
    for (int left = body.getShort(); left > 0; left--) {
      char kind = (char) body.get();
      if (kind == 't') {
        byte[] bytes = new byte[body.getInt()];
        body.get(bytes);
        String value = new String(bytes, StandardCharsets.UTF_8);
        columns.add(value.length() > 40 ? value.length() + " characters" : value);
      } else {
        columns.add(String.valueOf(kind));
      }
    }
    return columns.toString();
  }

  /** The lines' texts without those of the catalogue, sequences and DDL intents. */
  List<String> changes() {
    return lines.stream()
        .filter(
            line ->
                line.type != WalRecordType.CATALOG
                    && line.type != WalRecordType.SEQUENCE
                    && line.type != WalRecordType.DDL)
        .map(Line::text)
        .toList();
  }

  List<Line> of(WalRecordType type) {
    return lines.stream().filter(line -> line.type == type).toList();
  }
}
