package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.wal.WalReader;
import java.util.HashMap;
import java.util.Map;

/**
 * What a record must pass before it is buffered: its database, its origin, a publication that
 * publishes such a change of its table as of its LSN, and the row filters. (The last gate, the kind
 * of record, is the decoder's switch.)
 *
 * <p>The plugin's answers are kept for as long as the catalogue stays the same, so a row costs two
 * comparisons. One thread.
 */
final class Gates {

  /** What the plugin says of changes of one kind in one table. */
  private enum Answer {
    NO,
    YES,
    BY_ROW
  }

  private static final int KINDS = OutputPlugin.ChangeKind.values().length;

  private final CatalogHistory history;
  private final PluginCalls plugin;
  private final int databaseOid;
  private final CatalogOverlays overlays;

  private CatalogSnapshot snapshot;
  private CatalogSnapshot newest;
  private long nextChangeLsn;
  private final Map<Long, Answer> answers = new HashMap<>();
  private final int[] lastOid = new int[KINDS];
  private final Answer[] lastAnswer = new Answer[KINDS];
  private final DecodedRecord judged;

  Gates(
      CatalogHistory history,
      PluginCalls plugin,
      int databaseOid,
      CatalogOverlays overlays,
      long startLsn) {
    this.history = history;
    this.plugin = plugin;
    this.databaseOid = databaseOid;
    this.overlays = overlays;
    this.judged = new DecodedRecord(history);
    moveTo(startLsn);
  }

  private void moveTo(long lsn) {
    newest = history.current();
    snapshot = history.asOf(lsn);
    nextChangeLsn = history.nextChangeAfter(lsn);
    answers.clear();
    java.util.Arrays.fill(lastOid, 0);
  }

  /** While no change is known that ends the snapshot, a new one may have been made since. */
  private boolean snapshotIsOver(long lsn) {
    return nextChangeLsn == Long.MAX_VALUE
        ? history.current() != newest
        : !Lsn.isBefore(lsn, nextChangeLsn);
  }

  boolean databasePasses(WalReader record) {
    return record.databaseOid() == databaseOid;
  }

  boolean originPasses(WalReader record) {
    return record.originId() == 0 || !plugin.filterByOrigin(record.originId());
  }

  /** Whether a change of that kind in that table, by the current record, is published. */
  boolean publicationPasses(WalReader record, int relationOid, OutputPlugin.ChangeKind kind) {
    return answer(record, relationOid, kind) != Answer.NO;
  }

  /** What is to be done with the row of the current record: publication, then row filter. */
  RowVerdict judge(WalReader record, int relationOid, OutputPlugin.ChangeKind kind) {
    switch (answer(record, relationOid, kind)) {
      case NO:
        return RowVerdict.DROP;
      case YES:
        return RowVerdict.SEND;
      default:
        judged.wrap(
            record.xid(),
            record.lsn(),
            record.type(),
            record.flags(),
            record.buffer(),
            record.bodyOffset(),
            record.bodyLength());
        return plugin.judge(hasOwnView(record) ? ownView(record) : snapshot, judged);
    }
  }

  private boolean hasOwnView(WalReader record) {
    return !overlays.isEmpty() && overlays.contains(record.topXid());
  }

  private CatalogSnapshot ownView(WalReader record) {
    return overlays.view(record.topXid(), snapshot);
  }

  private Answer answer(WalReader record, int relationOid, OutputPlugin.ChangeKind kind) {
    long lsn = record.lsn();
    if (snapshotIsOver(lsn)) {
      moveTo(lsn);
    }
    if (hasOwnView(record)) {
      return ask(ownView(record), relationOid, kind, lsn);
    }
    int k = kind.ordinal();
    if (lastOid[k] != relationOid) {
      lastAnswer[k] =
          answers.computeIfAbsent(
              (long) relationOid * KINDS + k, key -> ask(snapshot, relationOid, kind, lsn));
      lastOid[k] = relationOid;
    }
    return lastAnswer[k];
  }

  private Answer ask(
      CatalogSnapshot catalog, int relationOid, OutputPlugin.ChangeKind kind, long lsn) {
    if (!plugin.wants(catalog, relationOid, kind, lsn)) {
      return Answer.NO;
    }
    return plugin.judgesRows(catalog, relationOid, kind, lsn) ? Answer.BY_ROW : Answer.YES;
  }
}
