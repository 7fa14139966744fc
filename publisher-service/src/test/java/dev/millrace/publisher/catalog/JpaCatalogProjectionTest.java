package dev.millrace.publisher.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.RelationDefinition;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@DisplayName("The catalogue's projection")
class JpaCatalogProjectionTest {

  @TempDir Path directory;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableJpaRepositories(basePackageClasses = CatalogVersion.class)
  @EntityScan(basePackageClasses = CatalogVersion.class)
  static class Application {
    @Bean
    CatalogProjection projection(
        CatalogVersionRepository versions,
        CatalogPositionRepository positions,
        PlatformTransactionManager transactions,
        JdbcTemplate jdbc) {
      return new JpaCatalogProjection(
          versions, positions, new TransactionTemplate(transactions), jdbc);
    }
  }

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties("spring.config.name=publisher")
        .run(
            "--millrace.data-dir=" + directory,
            "--management.endpoint.health.validate-group-membership=false");
  }

  private static CatalogProjection.Version version(long lsn, RelationDefinition relation) {
    return new CatalogProjection.Version(lsn, new CatalogChange.PutRelation(relation));
  }

  @Test
  @DisplayName("keeps versions and position over a restart and drops what is not needed")
  void versionsSurvive() {
    RelationDefinition first = CatalogFixture.table(16390, 1, "t", "id");
    RelationDefinition second = CatalogFixture.table(16390, 2, "t", "id", "a");
    RelationDefinition third = CatalogFixture.table(16390, 3, "Mixed \"Case\"", "id", "a", "b");
    RelationDefinition other = CatalogFixture.table(16391, 1, "gone", "id");
    CatalogProjection.Version drop =
        new CatalogProjection.Version(250, new CatalogChange.Drop(CatalogChange.RELATION, 16391));
    PublicationDefinition publication = CatalogFixture.publication(16400, "p", 16390);
    CatalogProjection.Version published =
        new CatalogProjection.Version(300, new CatalogChange.PutPublication(publication));
    try (ConfigurableApplicationContext context = start()) {
      CatalogProjection projection = context.getBean(CatalogProjection.class);
      assertThat(projection.load().appliedLsn()).isZero();
      projection.write(List.of(version(100, first), version(100, other)), 100);
      projection.write(List.of(version(200, first), version(200, second), drop), 250);
      projection.write(List.of(version(300, third), published), 300);
      projection.sync();
    }
    try (ConfigurableApplicationContext context = start()) {
      CatalogProjection projection = context.getBean(CatalogProjection.class);
      CatalogProjection.Contents loaded = projection.load();
      assertThat(loaded.appliedLsn()).isEqualTo(300);
      assertThat(loaded.versions())
          .containsExactly(
              version(100, first),
              version(100, other),
              version(200, second),
              drop,
              published,
              version(300, third));
      projection.forgetBefore(260);
      loaded = projection.load();
      assertThat(loaded.oldestLsn()).isEqualTo(260);
      assertThat(loaded.versions())
          .containsExactly(version(200, second), published, version(300, third));
      assertThat(
              context
                  .getBean(JdbcTemplate.class)
                  .queryForList("select name from current_objects order by name", String.class))
          .containsExactly("Mixed \"Case\"", "p");
    }
  }
}
