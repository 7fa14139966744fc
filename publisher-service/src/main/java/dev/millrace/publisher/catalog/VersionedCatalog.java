package dev.millrace.publisher.catalog;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * The catalogue in memory: every snapshot from the oldest position a slot may decode from up to
 * now.
 *
 * <p>The log is the truth. A commit enters its snapshot here inside the append hook of its commit
 * record, before any reader can see that record, and hands its changes to the {@link
 * ProjectionWriter}, which brings them into the projection once the record is flushed. A start
 * loads the projection and lets recovery replay what came after it.
 *
 * <p>Readers take no lock: the history is an immutable value in a volatile field. Definitions of
 * relations are found by OID and version without looking into snapshots.
 */
public final class VersionedCatalog implements CatalogStore, AutoCloseable {

  private final IntSupplier oids;
  private final CatalogProjection projection;
  private final ProjectionWriter writer;
  private final CatalogLocks locks = new CatalogLocks();
  private final Map<Long, RelationDefinition> relationVersions = new ConcurrentHashMap<>();
  private final long loadedLsn;
  private volatile SnapshotHistory history;

  /**
   * @param oids gives OIDs that are never given again
   * @param flusher returns once the log is on disk up to a position
   */
  VersionedCatalog(
      CatalogProjection projection, IntSupplier oids, ProjectionWriter.LogFlush flusher) {
    this.oids = oids;
    this.projection = projection;
    this.writer = new ProjectionWriter(projection, flusher);
    CatalogProjection.Contents contents = projection.load();
    this.loadedLsn = contents.appliedLsn();
    this.history = SnapshotHistory.of(base(contents));
    currentVersions();
    contents.versions().stream()
        .filter(version -> Lsn.isBefore(contents.oldestLsn(), version.sinceLsn()))
        .forEach(version -> enter(version.sinceLsn(), List.of(version.change())));
  }

  /**
   * The snapshot as of the oldest position that can be asked for. Of what came before, the
   * projection has only the last version of each object, and a publication's may still list a table
   * whose drop went since.
   */
  private static CatalogSnapshot base(CatalogProjection.Contents contents) {
    CatalogEditor editor = new CatalogEditor(CatalogSnapshot.initial());
    long sinceLsn = 0;
    for (CatalogProjection.Version version : contents.versions()) {
      if (!Lsn.isBefore(contents.oldestLsn(), version.sinceLsn())) {
        version.change().applyTo(editor);
        sinceLsn = version.sinceLsn();
      }
    }
    editor.dropMissingMembers();
    return editor.snapshot(sinceLsn);
  }

  private void currentVersions() {
    for (RelationDefinition relation : history.newest().relations().values()) {
      relationVersions.put(key(relation.oid(), relation.version()), relation);
    }
  }

  CatalogLocks locks() {
    return locks;
  }

  @Override
  public CatalogSnapshot current() {
    return history.newest();
  }

  @Override
  public CatalogSnapshot asOf(long lsn) {
    return history.asOf(lsn);
  }

  @Override
  public long nextChangeAfter(long lsn) {
    return history.nextChangeAfter(lsn);
  }

  @Override
  public RelationDefinition relation(int oid, int version) {
    RelationDefinition relation = relationVersions.get(key(oid, version));
    if (relation == null) {
      throw new PgException(
          SqlState.INTERNAL_ERROR,
          "version " + version + " of relation " + oid + " is not in the catalogue any more");
    }
    return relation;
  }

  private static long key(int oid, int version) {
    return (long) oid << 32 | version & 0xFFFFFFFFL;
  }

  @Override
  public CatalogSnapshot withRecord(
      CatalogSnapshot base, byte[] buffer, int bodyOffset, int bodyLength) {
    CatalogChange change = CatalogRecordCodec.decode(buffer, bodyOffset, bodyLength);
    return CatalogEditor.apply(base, List.of(change), base.sinceLsn());
  }

  @Override
  public int nextOid() {
    return oids.getAsInt();
  }

  @Override
  public CatalogTransaction begin() {
    return new OpenCatalogTransaction(this);
  }

  void commit(long endLsn, List<CatalogChange> changes) {
    enter(endLsn, changes);
    writer.add(endLsn, changes);
  }

  @Override
  public void replay(long endLsn, byte[] buffer, int bodyOffset, int bodyLength) {
    if (Lsn.isBefore(loadedLsn, endLsn)) {
      commit(endLsn, List.of(CatalogRecordCodec.decode(buffer, bodyOffset, bodyLength)));
    }
  }

  private synchronized void enter(long sinceLsn, List<CatalogChange> changes) {
    for (CatalogChange change : changes) {
      if (change instanceof CatalogChange.PutRelation put) {
        RelationDefinition relation = put.relation();
        relationVersions.put(key(relation.oid(), relation.version()), relation);
      }
    }
    history = history.with(CatalogEditor.apply(history.newest(), changes, sinceLsn));
  }

  @Override
  public void save() {
    writer.drain();
    projection.sync();
  }

  @Override
  public void forgetBefore(long lsn) {
    if (trim(lsn)) {
      writer.drain();
      projection.forgetBefore(lsn);
    }
  }

  /** Returns whether a snapshot went. */
  private synchronized boolean trim(long lsn) {
    SnapshotHistory kept = history.from(lsn);
    if (kept == history) {
      return false;
    }
    history = kept;
    Set<Long> needed = new HashSet<>();
    for (CatalogSnapshot snapshot : kept.snapshots()) {
      for (RelationDefinition relation : snapshot.relations().values()) {
        needed.add(key(relation.oid(), relation.version()));
      }
    }
    relationVersions.keySet().retainAll(needed);
    return true;
  }

  /** Writes what is left and ends the writer. */
  @Override
  public void close() {
    writer.close();
    projection.sync();
  }
}
