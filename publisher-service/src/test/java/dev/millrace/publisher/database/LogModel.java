package dev.millrace.publisher.database;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Lsn;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * What the tables must hold by the log alone: its records applied to maps, transaction by
 * transaction at their commits. Written apart from redo, which it checks.
 */
final class LogModel {

  private record Change(char type, int xid, byte[] body) {}

  /** A row by attribute number. */
  private final Map<Integer, Map<String, Map<Integer, String>>> tables = new HashMap<>();

  private final Map<Integer, List<Change>> open = new HashMap<>();
  private final Map<Integer, String> prepared = new HashMap<>();
  private final Set<String> ended = new TreeSet<>();
  private final CatalogStore catalog;

  private LogModel(CatalogStore catalog) {
    this.catalog = catalog;
  }

  static LogModel of(WriteAheadLog log, CatalogStore catalog) {
    return before(log, catalog, Long.MAX_VALUE);
  }

  /** As {@link #of}, by the commit records that begin before {@code endLsn}. */
  static LogModel before(WriteAheadLog log, CatalogStore catalog, long endLsn) {
    LogModel model = new LogModel(catalog);
    try (WalReader reader = log.openReader(log.oldestLsn())) {
      while (reader.next() && Lsn.isBefore(reader.lsn(), endLsn)) {
        model.read(reader);
      }
    }
    return model;
  }

  private void read(WalReader reader) {
    byte[] body = new byte[reader.bodyLength()];
    System.arraycopy(reader.buffer(), reader.bodyOffset(), body, 0, body.length);
    switch (reader.type()) {
      case INSERT, UPDATE, DELETE, TRUNCATE ->
          open.computeIfAbsent(reader.topXid(), xid -> new ArrayList<>())
              .add(new Change((char) reader.type().code(), reader.xid(), body));
      case PREPARE -> prepared.put(reader.xid(), PrepareRecord.decode(body, 0, body.length).gid());
      case COMMIT, COMMIT_PREPARED -> {
        Set<Integer> committed = xids(body, 16);
        committed.add(reader.xid());
        for (Change change : open.getOrDefault(reader.xid(), List.of())) {
          if (committed.contains(change.xid)) {
            apply(change);
          }
        }
        open.remove(reader.xid());
        endPrepared(reader.xid());
      }
      case ABORT -> {
        if (reader.xid() == reader.topXid()) {
          open.remove(reader.xid());
        } else {
          Set<Integer> aborted = xids(body, 8);
          aborted.add(reader.xid());
          open.getOrDefault(reader.topXid(), new ArrayList<>())
              .removeIf(change -> aborted.contains(change.xid));
        }
      }
      case RUNNING_TRANSACTIONS -> checkPrepared(reader.lsn(), body);
      case ROLLBACK_PREPARED -> {
        open.remove(reader.xid());
        endPrepared(reader.xid());
      }
      default -> {
        // Nothing about rows.
      }
    }
  }

  /** A checkpoint lists exactly what is prepared at its position: redo takes it from files. */
  private void checkPrepared(long lsn, byte[] body) {
    ByteBuffer in = ByteBuffer.wrap(body);
    in.position(8);
    in.position(12 + 12 * in.getInt());
    Set<Integer> listed = new TreeSet<>();
    for (int left = in.getInt(); left > 0; left--) {
      listed.add(in.getInt());
    }
    if (!listed.equals(prepared.keySet())) {
      throw new AssertionError(
          "the checkpoint at "
              + Lsn.format(lsn)
              + " lists "
              + listed
              + " as prepared, the log "
              + prepared.keySet());
    }
  }

  private void endPrepared(int xid) {
    String gid = prepared.remove(xid);
    if (gid != null) {
      ended.add(gid);
    }
  }

  /** The identifiers of the prepared transactions that have ended. */
  Set<String> ended() {
    return ended;
  }

  /** The identifiers of the transactions that are prepared. */
  Set<String> prepared() {
    return new TreeSet<>(prepared.values());
  }

  private static Set<Integer> xids(byte[] body, int offset) {
    ByteBuffer in = ByteBuffer.wrap(body, offset, body.length - offset);
    Set<Integer> xids = new HashSet<>();
    for (int left = in.getInt(); left > 0; left--) {
      xids.add(in.getInt());
    }
    return xids;
  }

  private void apply(Change change) {
    ByteBuffer in = ByteBuffer.wrap(change.body);
    if (change.type == 'T') {
      for (int left = in.getInt(); left > 0; left--) {
        tables.remove(in.getInt());
        in.getInt();
      }
      return;
    }
    RelationDefinition relation = catalog.relation(in.getInt(), in.getInt());
    List<String> old = null;
    List<String> locator = null;
    List<String> now = null;
    while (in.hasRemaining()) {
      char kind = (char) in.get();
      List<String> tuple = tuple(in);
      switch (kind) {
        case 'N' -> now = tuple;
        case 'L' -> locator = tuple;
        default -> old = tuple;
      }
    }
    Map<String, Map<Integer, String>> rows =
        tables.computeIfAbsent(relation.oid(), oid -> new HashMap<>());
    Map<Integer, String> row = new HashMap<>();
    if (change.type != 'I') {
      String key =
          locator != null ? String.join("|", locator) : key(relation, old != null ? old : now);
      row = rows.remove(key);
      if (row == null) {
        throw new AssertionError("no row " + key + " in " + relation.name());
      }
    }
    if (change.type != 'D') {
      for (int i = 0; i < now.size(); i++) {
        if (!now.get(i).equals("u:")) {
          row.put(relation.columns().get(i).attnum(), now.get(i));
        }
      }
      String key = relation.primaryKey() == null ? String.join("|", locator) : key(relation, now);
      if (rows.put(key, row) != null) {
        throw new AssertionError("second row " + key + " in " + relation.name());
      }
    }
  }

  private static List<String> tuple(ByteBuffer in) {
    List<String> values = new ArrayList<>();
    for (int left = in.getShort(); left > 0; left--) {
      char kind = (char) in.get();
      if (kind == 't') {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        values.add("t:" + new String(bytes, StandardCharsets.UTF_8));
      } else {
        values.add(kind + ":");
      }
    }
    return values;
  }

  private static String key(RelationDefinition relation, List<String> tuple) {
    StringJoiner key = new StringJoiner("|");
    for (int attnum : relation.primaryKey().attnums()) {
      for (int i = 0; i < relation.columns().size(); i++) {
        if (relation.columns().get(i).attnum() == attnum) {
          key.add(tuple.get(i));
        }
      }
    }
    return key.toString();
  }

  /** The rows of a table as {@link TestNode#rows} gives them, in the order of their text. */
  List<String> rows(RelationDefinition relation) {
    List<String> rows = new ArrayList<>();
    for (Map<Integer, String> row : tables.getOrDefault(relation.oid(), Map.of()).values()) {
      StringJoiner text = new StringJoiner("|");
      for (ColumnDefinition column : relation.columns()) {
        String value = row.getOrDefault(column.attnum(), "n:");
        text.add(value.startsWith("t:") ? value.substring(2) : "null");
      }
      rows.add(text.toString());
    }
    rows.sort(null);
    return rows;
  }
}
