package dev.millrace.subscriber.catalog;

import jakarta.persistence.EntityManager;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The beans of the catalogue. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class CatalogConfiguration {

  private static final long SAVE_STATISTICS_MS = 10_000;

  @Bean
  DurableCommit durableCommit(PlatformTransactionManager manager, DataSource dataSource) {
    return new DurableCommit(new TransactionTemplate(manager), dataSource);
  }

  @Bean
  ChangeListeners subscriptionListeners() {
    return new ChangeListeners();
  }

  @Bean
  NodeIdentity nodeIdentity(EntityManager entities, DurableCommit commits) {
    return new StoredNodeIdentity(entities, commits);
  }

  @Bean
  LocalRelations localRelations(
      EntityManager entities, DurableCommit commits, NodeIdentity node, ChangeListeners listeners) {
    return new StoredLocalRelations(entities, commits, node, listeners);
  }

  @Bean
  SlotIntents slotIntents(EntityManager entities, DurableCommit commits) {
    return new StoredSlotIntents(entities, commits);
  }

  @Bean
  StoredStatistics storedStatistics(EntityManager entities, DurableCommit commits) {
    return new StoredStatistics(entities, commits);
  }

  @Bean
  StatisticsSaver statisticsSaver(StoredStatistics statistics, DurableCommit commits) {
    return new StatisticsSaver(statistics, commits);
  }

  @Bean
  SubscriptionCatalog subscriptionCatalog(
      EntityManager entities,
      DurableCommit commits,
      LocalRelations localRelations,
      StoredStatistics statistics,
      ChangeListeners listeners) {
    return new JpaSubscriptionCatalog(entities, commits, localRelations, statistics, listeners);
  }

  @Bean
  SubscriptionStore subscriptionStore(
      EntityManager entities,
      DurableCommit commits,
      StoredStatistics statistics,
      ChangeListeners listeners) {
    return new JpaSubscriptionStore(entities, commits, statistics, listeners);
  }

  /** Saves the counters now and then. */
  record StatisticsSaver(StoredStatistics statistics, DurableCommit commits) {
    @Scheduled(fixedDelay = SAVE_STATISTICS_MS)
    void save() {
      if (commits.hasRoom()) {
        statistics.save();
      }
    }
  }
}
