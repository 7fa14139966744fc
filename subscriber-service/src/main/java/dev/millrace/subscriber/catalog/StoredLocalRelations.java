package dev.millrace.subscriber.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** {@link LocalRelations} in the catalogue, with all of them in memory. */
final class StoredLocalRelations implements LocalRelations {

  private static final int PUBLIC_SCHEMA_OID = 2200;

  /** A schema's own row has no table name, which no table can have. */
  private static final String SCHEMA_ITSELF = "";

  private final EntityManager entities;
  private final DurableCommit commits;
  private final NodeIdentity node;
  private final ChangeListeners listeners;
  // Read without the lock: who reads may hold a connection that the lock's holder waits for.
  private final Map<QualifiedName, LocalRelation> byName = new ConcurrentHashMap<>();
  private final Map<Integer, LocalRelation> byOid = new ConcurrentHashMap<>();

  StoredLocalRelations(
      EntityManager entities, DurableCommit commits, NodeIdentity node, ChangeListeners listeners) {
    this.entities = entities;
    this.commits = commits;
    this.node = node;
    this.listeners = listeners;
    commits
        .commit(
            () ->
                entities
                    .createQuery("from LocalRelationRow", LocalRelationRow.class)
                    .getResultList())
        .forEach(row -> remember(row.toRelation()));
  }

  private void remember(LocalRelation relation) {
    byName.put(relation.name(), relation);
    byOid.put(relation.oid(), relation);
  }

  @Override
  public LocalRelation of(QualifiedName table) {
    LocalRelation known = byName.get(table);
    return known == null ? make(table) : known;
  }

  private synchronized LocalRelation make(QualifiedName table) {
    LocalRelation known = byName.get(table);
    if (known != null) {
      return known;
    }
    LocalRelationRow row = new LocalRelationRow(node.nextOid(), table);
    commits.commit(() -> entities.persist(row));
    LocalRelation made = row.toRelation();
    remember(made);
    return made;
  }

  @Override
  public LocalRelation byOid(int oid) {
    return byOid.get(oid);
  }

  @Override
  public int schemaOid(String schema) {
    return schema.equals("public")
        ? PUBLIC_SCHEMA_OID
        : of(new QualifiedName(schema, SCHEMA_ITSELF)).oid();
  }

  /** Kept as a schema of that quoted name, which no schema has. */
  @Override
  public int typeOid(QualifiedName type, String label) {
    String name = "type " + type.quoted() + (label == null ? "" : ' ' + label);
    return of(new QualifiedName(name, SCHEMA_ITSELF)).oid();
  }

  @Override
  public List<LocalRelation> all() {
    return byName.values().stream()
        .filter(relation -> !relation.name().name().equals(SCHEMA_ITSELF))
        .toList();
  }

  @Override
  public synchronized void setReplicaIdentity(
      QualifiedName table, ReplicaIdentity identity, String indexName) {
    LocalRelation relation = of(table);
    commits.commitDurably(
        () -> {
          LocalRelationRow row = entities.find(LocalRelationRow.class, relation.oid());
          row.relreplident = String.valueOf(identity.code());
          row.identityIndex = indexName;
        });
    remember(new LocalRelation(relation.oid(), table, identity, indexName));
  }

  /** Subscribed tables are known to workers by their names. */
  @Override
  public void rename(QualifiedName from, QualifiedName to) {
    for (int subscriptionOid : renameRow(from, to)) {
      listeners.changed(subscriptionOid);
    }
  }

  private synchronized List<Integer> renameRow(QualifiedName from, QualifiedName to) {
    LocalRelation relation = byName.get(from);
    if (relation == null) {
      return List.of();
    }
    LocalRelation early = byName.get(to);
    commits.commitDurably(
        () -> {
          if (early != null) {
            entities.remove(entities.find(LocalRelationRow.class, early.oid()));
            entities.flush();
          }
          LocalRelationRow row = entities.find(LocalRelationRow.class, relation.oid());
          row.schemaname = to.schema();
          row.relname = to.name();
        });
    if (early != null) {
      byOid.remove(early.oid());
    }
    byName.remove(from);
    remember(
        new LocalRelation(
            relation.oid(), to, relation.replicaIdentity(), relation.identityIndex()));
    return commits.commit(() -> subscribed(relation).stream().map(row -> row.key.srsubid).toList());
  }

  private List<SubscribedRelationRow> subscribed(LocalRelation relation) {
    return entities
        .createQuery(
            "from SubscribedRelationRow r where r.key.srrelid = :relation",
            SubscribedRelationRow.class)
        .setParameter("relation", relation.oid())
        .getResultList();
  }

  @Override
  public void renameSchema(String from, String to) {
    for (QualifiedName name : List.copyOf(byName.keySet())) {
      if (name.schema().equals(from)) {
        rename(name, new QualifiedName(to, name.name()));
      }
    }
  }

  @Override
  public void forget(QualifiedName table) {
    for (int subscriptionOid : forgetRows(table)) {
      listeners.changed(subscriptionOid);
    }
  }

  private synchronized List<Integer> forgetRows(QualifiedName table) {
    LocalRelation relation = byName.get(table);
    if (relation == null) {
      return List.of();
    }
    List<Integer> subscriptions =
        commits.commit(
            () -> {
              entities.remove(entities.find(LocalRelationRow.class, relation.oid()));
              List<SubscribedRelationRow> rows = subscribed(relation);
              rows.forEach(entities::remove);
              return rows.stream().map(row -> row.key.srsubid).toList();
            });
    byName.remove(table);
    byOid.remove(relation.oid());
    return subscriptions;
  }
}
