package dev.millrace.publisher.database;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SystemObjects;
import java.nio.file.Path;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The node's beans and its part of the stop order. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(DatabaseConfiguration.class);

  @Bean
  Clock clock() {
    return Clock.systemUTC();
  }

  @Bean
  LoadedSlots loadedSlots(ObjectProvider<ReplicationSlots> slots) {
    return new LoadedSlots(slots);
  }

  @Bean
  ReplicationOrigins origins(
      @Value("${millrace.data-dir}") Path dataDirectory, ControlFile control, Settings settings) {
    return ReplicationOrigins.open(
        dataDirectory, () -> settings.getInt("max_active_replication_origins"));
  }

  /** Redo happens here; the slots come later and are asked for at each checkpoint. */
  @Bean(destroyMethod = "close")
  EmbeddedNode publisherNode(
      @Value("${millrace.data-dir}") Path dataDirectory,
      WriteAheadLog log,
      ControlFile control,
      CatalogStore catalog,
      Settings settings,
      Clock clock,
      LoadedSlots slots,
      ReplicationOrigins origins,
      @Value("${millrace.source.url:}") String sourceUrl) {
    NodeStart start =
        new NodeStart(
            dataDirectory,
            log,
            control,
            catalog,
            settings,
            clock,
            slots,
            origins,
            DatabaseConfiguration::halt);
    return sourceUrl.isEmpty() ? start.start() : start.ofForeignRows().start();
  }

  /** The way into the log for rows that come from a source. */
  @Bean
  @ConditionalOnProperty("millrace.source.url")
  ForeignTransactions foreignTransactions(EmbeddedNode node) {
    return node.foreignTransactions();
  }

  /** The views and functions of all parts, once all parts are there. */
  @Bean
  SmartInitializingSingleton systemCatalog(
      EmbeddedNode node, LoadedSlots slots, ObjectProvider<SystemObjects> objects) {
    return () -> {
      node.install(objects.orderedStream().toList());
      slots.started();
    };
  }

  @Bean
  StopStep refuseSessions(EmbeddedNode node) {
    return new StopStep(StopPhases.SESSIONS, node::refuseSessions);
  }

  @Bean
  StopStep closeDatabase(EmbeddedNode node) {
    return new StopStep(StopPhases.DATABASE, node::close);
  }

  /** The log says what H2 does not: only redo can put that right. */
  private static void halt(Throwable failure) {
    LOG.error("PANIC: log and database have parted, stopping at once", failure);
    Runtime.getRuntime().halt(1);
  }
}
