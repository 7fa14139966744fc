package dev.millrace.publisher.source;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.ForeignTransactions;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The source's beans; there only when millrace.source.url is set. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("millrace.source.url")
@EnableConfigurationProperties(SourceProperties.class)
class SourceConfiguration {

  @Bean
  SourceServer sourceServer(SourceProperties properties) {
    return new SourceServer(properties);
  }

  @Bean
  PositionWaiters positionWaiters(ForeignTransactions transactions) {
    return new PositionWaiters(transactions::position);
  }

  @Bean
  @Primary
  SourceNode sourceNode(
      @Qualifier("publisherNode") PublisherNode local,
      SourceServer server,
      PositionWaiters waiters,
      SourceProperties properties) {
    return new SourceNode(local, new SnapshotExport(server, waiters, properties.publication()));
  }

  @Bean
  SourceStatus sourceStatus(Clock clock, SourceProperties properties) {
    return new SourceStatus(clock, properties.awayTimeout());
  }

  @Bean
  SourceHealth sourceHealthIndicator(SourceStatus status, ForeignTransactions transactions) {
    return new SourceHealth(status, transactions);
  }

  @Bean
  SourceReceiver sourceReceiver(
      @Value("${millrace.data-dir}") Path dataDirectory,
      SourceServer server,
      SourceProperties properties,
      ForeignTransactions transactions,
      WriteAheadLog log,
      CatalogStore catalog,
      ReplicationOrigins origins,
      PositionWaiters waiters,
      SourceStatus status) {
    SourceSlot slot =
        new SourceSlot(
            server,
            properties,
            transactions,
            new SourcePublication(properties),
            SourceIdentity.fileIn(dataDirectory));
    return new SourceReceiver(
        slot::open, transactions, log, catalog, origins, waiters, status, properties);
  }

  @Bean
  SourceLifecycle sourceLifecycle(SourceReceiver receiver) {
    return new SourceLifecycle(receiver);
  }
}
