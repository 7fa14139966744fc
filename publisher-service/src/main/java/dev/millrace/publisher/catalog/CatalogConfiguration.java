package dev.millrace.publisher.catalog;

import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SessionObjects;
import dev.millrace.sql.SystemObjects;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The catalogue's beans. */
@Configuration(proxyBeanMethods = false)
class CatalogConfiguration {

  @Bean
  CatalogProjection catalogProjection(
      CatalogVersionRepository versions,
      CatalogPositionRepository positions,
      PlatformTransactionManager transactions,
      JdbcTemplate jdbc) {
    return new JpaCatalogProjection(
        versions, positions, new TransactionTemplate(transactions), jdbc);
  }

  /** Comes after the log, whose records it is brought up to date from, and is closed before it. */
  @Bean
  VersionedCatalog catalogStore(
      CatalogProjection projection, ControlFile control, WriteAheadLog log) {
    return new VersionedCatalog(projection, control::nextOid, log::flush);
  }

  @Bean
  PublicationCommands publicationCommands(VersionedCatalog catalog, Settings settings) {
    return new PublicationCommands(catalog, settings);
  }

  /** The catalogue's pg_ views. */
  @Bean
  SystemObjects catalogViews(VersionedCatalog catalog, ControlFile control) {
    return CatalogViews.of(catalog, control.state());
  }

  /** What every session expects: pg_settings, current_setting and their kin. */
  @Bean
  SystemObjects sessionObjects(VersionedCatalog catalog, ControlFile control, Settings settings) {
    return SessionObjects.of(
        settings, () -> CatalogViews.relations(catalog.current(), control.state()));
  }
}
