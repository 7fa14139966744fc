package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.ArrayList;
import java.util.List;

/**
 * The changes and locks of one transaction in the order they were made, so that a savepoint's
 * rollback cuts the list at its mark.
 */
final class OpenCatalogTransaction implements CatalogTransaction {

  /** One of the two is null. */
  private record Entry(CatalogChange change, String lockedName) {}

  private final VersionedCatalog store;
  private final List<Entry> entries = new ArrayList<>();
  private LockPatience patience = LockPatience.ENDLESS;
  private int encoded;
  private CatalogSnapshot viewBase;
  private int viewEntries;
  private CatalogSnapshot view;

  OpenCatalogTransaction(VersionedCatalog store) {
    this.store = store;
  }

  @Override
  public CatalogSnapshot view() {
    CatalogSnapshot current = store.current();
    if (entries.isEmpty()) {
      return current;
    }
    if (viewBase != current || viewEntries != entries.size()) {
      view = CatalogEditor.apply(current, changes(), current.sinceLsn());
      viewBase = current;
      viewEntries = entries.size();
    }
    return view;
  }

  private List<CatalogChange> changes() {
    List<CatalogChange> changes = new ArrayList<>();
    for (Entry entry : entries) {
      if (entry.change != null) {
        changes.add(entry.change);
      }
    }
    return changes;
  }

  @Override
  public void patience(LockPatience newPatience) {
    patience = newPatience;
  }

  @Override
  public void lockPublication(String name) {
    if (store.locks().acquire(name, this, patience)) {
      entries.add(new Entry(null, name));
    }
  }

  private void add(CatalogChange change) {
    entries.add(new Entry(change, null));
  }

  @Override
  public void put(RelationDefinition relation) {
    add(new CatalogChange.PutRelation(relation));
  }

  @Override
  public void dropRelation(int oid) {
    add(new CatalogChange.Drop(CatalogChange.RELATION, oid));
  }

  @Override
  public void put(SchemaDefinition schema) {
    add(new CatalogChange.PutSchema(schema));
  }

  @Override
  public void dropSchema(int oid) {
    add(new CatalogChange.Drop(CatalogChange.SCHEMA, oid));
  }

  @Override
  public void put(TypeDefinition type) {
    add(new CatalogChange.PutType(type));
  }

  @Override
  public void dropType(int oid) {
    add(new CatalogChange.Drop(CatalogChange.TYPE, oid));
  }

  @Override
  public void put(PublicationDefinition publication) {
    add(new CatalogChange.PutPublication(publication));
  }

  @Override
  public void dropPublication(int oid) {
    add(new CatalogChange.Drop(CatalogChange.PUBLICATION, oid));
  }

  @Override
  public boolean isEmpty() {
    return entries.stream().noneMatch(entry -> entry.change != null);
  }

  @Override
  public void encode(WalBatch batch, int xid, int topXid, int databaseOid) {
    for (; encoded < entries.size(); encoded++) {
      CatalogChange change = entries.get(encoded).change;
      if (change != null) {
        CatalogRecordCodec.encode(
            change, batch.begin(WalRecordType.CATALOG, 0, xid, topXid, databaseOid, 0));
        batch.end();
      }
    }
  }

  @Override
  public void resume(byte[] buffer, int bodyOffset, int bodyLength) {
    CatalogChange change = CatalogRecordCodec.decode(buffer, bodyOffset, bodyLength);
    if (Character.toLowerCase(change.kind()) == CatalogChange.PUBLICATION) {
      PublicationDefinition before = view().publication(change.oid());
      if (before != null) {
        lockPublication(before.name());
      }
      if (change instanceof CatalogChange.PutPublication put) {
        lockPublication(put.publication().name());
      }
    }
    add(change);
    encoded = entries.size();
  }

  @Override
  public int mark() {
    return entries.size();
  }

  @Override
  public void rollbackTo(int mark) {
    while (entries.size() > mark) {
      Entry undone = entries.remove(entries.size() - 1);
      if (undone.lockedName != null) {
        store.locks().release(undone.lockedName, this);
      }
    }
    encoded = Math.min(encoded, mark);
    viewBase = null;
  }

  @Override
  public void committed(long endLsn) {
    List<CatalogChange> changes = changes();
    if (!changes.isEmpty()) {
      store.commit(endLsn, changes);
    }
    rollbackTo(0);
  }
}
