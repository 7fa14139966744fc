package dev.millrace.subscriber.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.List;

/** The writing side of the catalogue over JPA. */
final class JpaSubscriptionStore implements SubscriptionStore {

  private final EntityManager entities;
  private final DurableCommit commits;
  private final ReplicationOrigins origins;
  private final StoredStatistics statistics;
  private final ChangeListeners listeners;

  JpaSubscriptionStore(
      EntityManager entities,
      DurableCommit commits,
      StoredStatistics statistics,
      ChangeListeners listeners) {
    this.entities = entities;
    this.commits = commits;
    this.origins = new ReplicationOrigins(entities);
    this.statistics = statistics;
    this.listeners = listeners;
  }

  @Override
  public void create(
      Subscription subscription, List<SubscribedRelation> relations, SlotIntent intent) {
    // One at a time, since an origin takes the smallest free number.
    synchronized (commits) {
      commits.commitDurably(
          () -> {
            requireFreeName(subscription);
            entities.persist(new SubscriptionRow(subscription));
            relations.forEach(this::add);
            origins.ensure(subscription.originName());
            if (intent != null) {
              StoredSlotIntents.remove(entities, intent);
            }
          });
    }
    commits.afterCommit(() -> listeners.changed(subscription.oid()));
  }

  @Override
  public void update(Subscription subscription) {
    replace(subscription, false, List.of(), List.of());
  }

  @Override
  public void alter(Subscription subscription) {
    replace(subscription, true, List.of(), List.of());
  }

  @Override
  public void refresh(
      Subscription subscription, List<SubscribedRelation> added, Collection<Integer> removed) {
    replace(subscription, true, added, removed);
  }

  private void replace(
      Subscription subscription,
      boolean keepEnabled,
      List<SubscribedRelation> added,
      Collection<Integer> removed) {
    commits.commitDurably(
        () -> {
          SubscriptionRow row = entities.find(SubscriptionRow.class, subscription.oid());
          if (row == null) {
            throw new PgException(
                SqlState.UNDEFINED_OBJECT,
                "subscription \"" + subscription.name() + "\" does not exist");
          }
          requireFreeName(subscription);
          row.set(keepEnabled ? subscription.withEnabled(row.subenabled) : subscription);
          removed.forEach(relationOid -> remove(subscription, relationOid));
          added.forEach(this::add);
        });
    commits.afterCommit(() -> listeners.changed(subscription.oid()));
  }

  private void add(SubscribedRelation relation) {
    entities.persist(
        new SubscribedRelationRow(
            relation.subscriptionOid(), relation.relationOid(), relation.state(), relation.lsn()));
  }

  private void remove(Subscription subscription, int relationOid) {
    SubscribedRelationRow row =
        entities.find(
            SubscribedRelationRow.class,
            new SubscribedRelationRow.Key(subscription.oid(), relationOid));
    if (row != null) {
      entities.remove(row);
    }
    origins.drop(subscription.syncOriginName(relationOid));
  }

  private void requireFreeName(Subscription subscription) {
    boolean taken =
        entities
            .createQuery(
                "from SubscriptionRow where subname = :name and oid <> :oid", SubscriptionRow.class)
            .setParameter("name", subscription.name())
            .setParameter("oid", subscription.oid())
            .getResultStream()
            .findFirst()
            .isPresent();
    if (taken) {
      throw new PgException(
          SqlState.DUPLICATE_OBJECT, "subscription \"" + subscription.name() + "\" already exists");
    }
  }

  @Override
  public void drop(int subscriptionOid) {
    commits.commitDurably(
        () -> {
          SubscriptionRow row = entities.find(SubscriptionRow.class, subscriptionOid);
          if (row != null) {
            dropOrigins(row.toSubscription());
            delete("delete from SubscribedRelationRow r where r.key.srsubid = :oid", row.oid);
            delete("delete from StatisticsRow r where r.subid = :oid", row.oid);
            delete("delete from SlotIntentRow r where r.subid = :oid", row.oid);
            entities.remove(row);
          }
        });
    commits.afterCommit(
        () -> {
          statistics.forget(subscriptionOid);
          listeners.changed(subscriptionOid);
        });
  }

  @Override
  public void together(boolean keep, Runnable calls) {
    commits.together(keep, calls);
  }

  @Override
  public void afterCommit(Runnable action) {
    commits.afterCommit(action);
  }

  private void dropOrigins(Subscription subscription) {
    String syncOrigins = subscription.originName() + '_';
    for (OriginRow origin : origins.all()) {
      if (origin.roname.equals(subscription.originName())
          || origin.roname.startsWith(syncOrigins)) {
        origins.drop(origin.roname);
      }
    }
  }

  private void delete(String query, int subscriptionOid) {
    entities.createQuery(query).setParameter("oid", subscriptionOid).executeUpdate();
  }
}
