package dev.millrace.subscriber.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers' side of the catalogue. */
final class JpaSubscriptionCatalog implements SubscriptionCatalog {

  private static final Logger log = LoggerFactory.getLogger(JpaSubscriptionCatalog.class);

  private final EntityManager entities;
  private final DurableCommit commits;
  private final LocalRelations localRelations;
  private final ReplicationOrigins origins;
  private final StoredStatistics statistics;
  private final ChangeListeners listeners;

  JpaSubscriptionCatalog(
      EntityManager entities,
      DurableCommit commits,
      LocalRelations localRelations,
      StoredStatistics statistics,
      ChangeListeners listeners) {
    this.entities = entities;
    this.commits = commits;
    this.localRelations = localRelations;
    this.origins = new ReplicationOrigins(entities);
    this.statistics = statistics;
    this.listeners = listeners;
  }

  @Override
  public List<Subscription> subscriptions() {
    return commits.commit(
        () ->
            entities
                .createQuery("from SubscriptionRow order by subname", SubscriptionRow.class)
                .getResultList()
                .stream()
                .map(SubscriptionRow::toSubscription)
                .toList());
  }

  @Override
  public Subscription subscription(int oid) {
    return commits.commit(
        () -> {
          SubscriptionRow row = entities.find(SubscriptionRow.class, oid);
          return row == null ? null : row.toSubscription();
        });
  }

  @Override
  public Subscription subscription(String name) {
    return commits.commit(
        () ->
            entities
                .createQuery("from SubscriptionRow where subname = :name", SubscriptionRow.class)
                .setParameter("name", name)
                .getResultStream()
                .findFirst()
                .map(SubscriptionRow::toSubscription)
                .orElse(null));
  }

  @Override
  public List<SubscribedRelation> relations(int subscriptionOid) {
    return commits.commit(
        () ->
            entities
                .createQuery(
                    "from SubscribedRelationRow r where r.key.srsubid = :subscription",
                    SubscribedRelationRow.class)
                .setParameter("subscription", subscriptionOid)
                .getResultStream()
                .flatMap(row -> Stream.ofNullable(named(row)))
                .sorted(Comparator.comparing(SubscribedRelation::table))
                .toList());
  }

  @Override
  public SubscribedRelation relation(int subscriptionOid, int relationOid) {
    return commits.commit(
        () -> {
          SubscribedRelationRow row =
              entities.find(
                  SubscribedRelationRow.class,
                  new SubscribedRelationRow.Key(subscriptionOid, relationOid));
          return row == null ? null : named(row);
        });
  }

  /** Null for a table that is being dropped at this moment. */
  private SubscribedRelation named(SubscribedRelationRow row) {
    LocalRelation relation = localRelations.byOid(row.key.srrelid);
    return relation == null
        ? null
        : new SubscribedRelation(
            row.key.srsubid, row.key.srrelid, relation.name(), row.state(), row.srsublsn);
  }

  @Override
  public void storeState(
      Connection transaction, int subscriptionOid, int relationOid, RelationState state, long lsn) {
    try (PreparedStatement update =
        transaction.prepareStatement(
            "update millrace.subscription_relation set srsubstate = ?, srsublsn = ?"
                + " where srsubid = ? and srrelid = ?")) {
      update.setString(1, String.valueOf(state.code()));
      update.setLong(2, lsn);
      update.setInt(3, subscriptionOid);
      update.setInt(4, relationOid);
      if (update.executeUpdate() == 0) {
        throw gone(subscriptionOid, relationOid);
      }
    } catch (SQLException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not store the state of a table: " + e.getMessage(), e);
    }
  }

  @Override
  public void storeState(int subscriptionOid, int relationOid, RelationState state, long lsn) {
    commits.commit(
        () -> {
          SubscribedRelationRow row =
              entities.find(
                  SubscribedRelationRow.class,
                  new SubscribedRelationRow.Key(subscriptionOid, relationOid));
          if (row == null) {
            throw gone(subscriptionOid, relationOid);
          }
          row.srsubstate = String.valueOf(state.code());
          row.srsublsn = lsn;
        });
  }

  private static PgException gone(int subscriptionOid, int relationOid) {
    return new PgException(
        SqlState.UNDEFINED_OBJECT,
        "subscription table "
            + Integer.toUnsignedString(relationOid)
            + " in subscription "
            + Integer.toUnsignedString(subscriptionOid)
            + " does not exist");
  }

  @Override
  public synchronized int ensureOrigin(String originName) {
    // One at a time, since each takes the smallest free number.
    synchronized (commits) {
      return commits.commit(() -> origins.ensure(originName));
    }
  }

  @Override
  public void dropOrigin(String originName) {
    commits.commit(() -> origins.drop(originName));
  }

  @Override
  public long originProgress(String originName) {
    return commits.commit(
        () -> {
          OriginRow row = origins.find(originName);
          return row == null ? 0L : origins.progress(row.roident);
        });
  }

  @Override
  public List<String> originNames() {
    return commits.commit(() -> origins.all().stream().map(row -> row.roname).toList());
  }

  @Override
  public List<ReplicationOrigin> origins() {
    return commits.commit(
        () ->
            origins.all().stream()
                .map(
                    row ->
                        new ReplicationOrigin(
                            row.roident, row.roname, origins.progress(row.roident)))
                .toList());
  }

  @Override
  public void storeProgress(
      Connection transaction, int originNumber, long endLsn, long commitTime) {
    ReplicationOrigins.insertProgress(transaction, originNumber, endLsn, commitTime);
  }

  @Override
  public void pruneProgress(int originNumber) {
    commits.commit(() -> origins.prune(originNumber));
  }

  @Override
  public void disable(int subscriptionOid, SubscriptionError error) {
    SubscriptionRow changed =
        commits.commit(
            () -> {
              SubscriptionRow row = entities.find(SubscriptionRow.class, subscriptionOid);
              if (row != null) {
                row.subenabled = false;
                row.disabledBy(error);
              }
              return row;
            });
    if (changed == null) {
      return;
    }
    log.info("subscription \"{}\" has been disabled because of an error", changed.subname);
    listeners.changed(subscriptionOid);
  }

  @Override
  public SubscriptionError disableError(int subscriptionOid) {
    return commits.commit(
        () -> {
          SubscriptionRow row = entities.find(SubscriptionRow.class, subscriptionOid);
          return row == null ? null : row.error();
        });
  }

  @Override
  public SubscriptionStatistics statistics(int subscriptionOid) {
    return Objects.requireNonNull(statistics.of(subscriptionOid));
  }

  @Override
  public void onChange(IntConsumer listener) {
    listeners.add(listener);
  }
}
