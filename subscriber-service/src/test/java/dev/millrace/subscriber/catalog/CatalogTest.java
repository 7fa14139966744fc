package dev.millrace.subscriber.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@DisplayName("The catalogue in the target database")
class CatalogTest {

  private static final QualifiedName TABLE = new QualifiedName("public", "tbl_1");

  @TempDir static Path dataDir;
  private static ConfigurableApplicationContext context;
  private static SubscriptionCatalog catalog;
  private static SubscriptionStore store;
  private static LocalRelations relations;
  private static NodeIdentity node;

  @BeforeAll
  static void start() {
    context =
        new SpringApplicationBuilder(CatalogOnly.class)
            .web(WebApplicationType.NONE)
            .properties("spring.config.name=subscriber")
            .run(
                "--millrace.data-dir=" + dataDir,
                "--management.endpoint.health.validate-group-membership=false");
    catalog = context.getBean(SubscriptionCatalog.class);
    store = context.getBean(SubscriptionStore.class);
    relations = context.getBean(LocalRelations.class);
    node = context.getBean(NodeIdentity.class);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @AfterEach
  void clear() {
    catalog.subscriptions().forEach(subscription -> store.drop(subscription.oid()));
    catalog.origins().forEach(origin -> catalog.dropOrigin(origin.name()));
    relations.all().forEach(relation -> relations.forget(relation.name()));
  }

  private static void restart() {
    stop();
    start();
  }

  @Test
  @DisplayName("keeps a subscription with its tables and its origin across a restart")
  void keepsSubscription() {
    Subscription made = subscription("mysub");
    int relid = relations.of(TABLE).oid();
    store.create(made, List.of(relation(made, relid, RelationState.INIT)), null);

    restart();

    assertThat(catalog.subscriptions()).containsExactly(made);
    assertThat(catalog.subscription("mysub")).isEqualTo(made);
    assertThat(catalog.relations(made.oid()))
        .containsExactly(relation(made, relid, RelationState.INIT));
    assertThat(catalog.origins())
        .extracting(ReplicationOrigin::name)
        .containsExactly("pg_" + made.oid());
  }

  @Test
  @DisplayName("refuses a second subscription of the same name and leaves nothing of it")
  void refusesDuplicate() {
    store.create(subscription("mysub"), List.of(), null);
    Subscription second = subscription("mysub");

    assertThatThrownBy(() -> store.create(second, List.of(), null))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42710"))
        .hasMessage("subscription \"mysub\" already exists");
    assertThat(catalog.subscription(second.oid())).isNull();
    assertThat(catalog.origins()).hasSize(1);
  }

  @Test
  @DisplayName("stores a state and progress in the worker's own transaction, or neither")
  void storesInWorkersTransaction() throws Exception {
    Subscription made = subscription("mysub");
    int relid = relations.of(TABLE).oid();
    store.create(made, List.of(relation(made, relid, RelationState.DATASYNC)), null);
    int origin = catalog.ensureOrigin(made.syncOriginName(relid));
    try (Connection worker = context.getBean(DataSource.class).getConnection()) {
      worker.setAutoCommit(false);
      catalog.storeState(worker, made.oid(), relid, RelationState.FINISHED_COPY, 0x100);
      catalog.storeProgress(worker, origin, 0x100, 1);
      worker.rollback();
      assertThat(catalog.relation(made.oid(), relid).state()).isEqualTo(RelationState.DATASYNC);
      assertThat(catalog.originProgress(made.syncOriginName(relid))).isZero();

      catalog.storeState(worker, made.oid(), relid, RelationState.FINISHED_COPY, 0x100);
      catalog.storeProgress(worker, origin, 0x100, 1);
      catalog.storeProgress(worker, origin, 0x90, 1);
      worker.commit();
    }
    assertThat(catalog.relation(made.oid(), relid))
        .isEqualTo(
            new SubscribedRelation(made.oid(), relid, TABLE, RelationState.FINISHED_COPY, 0x100));
    assertThat(catalog.originProgress(made.syncOriginName(relid))).isEqualTo(0x100);

    catalog.pruneProgress(origin);
    assertThat(catalog.originProgress(made.syncOriginName(relid))).isEqualTo(0x100);
    assertThat(progressRows()).isEqualTo(1);
  }

  private int progressRows() throws Exception {
    try (Connection connection = context.getBean(DataSource.class).getConnection();
        var rows =
            connection
                .createStatement()
                .executeQuery("select count(*) from millrace.replication_progress")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Test
  @DisplayName("a state for a table that left the subscription is an error, not a silent nothing")
  void stateOfMissingTable() {
    assertThatThrownBy(() -> catalog.storeState(1, 2, RelationState.READY, 0))
        .hasMessage("subscription table 2 in subscription 1 does not exist");
  }

  @Test
  @DisplayName("S12: dropping takes tables, origins, progress and statistics with it")
  void dropsEverything() throws Exception {
    Subscription made = subscription("mysub");
    int relid = relations.of(TABLE).oid();
    store.create(made, List.of(relation(made, relid, RelationState.READY)), null);
    int origin = catalog.ensureOrigin(made.syncOriginName(relid));
    catalog.statistics(made.oid()).applyErrors.increment();
    try (Connection worker = context.getBean(DataSource.class).getConnection()) {
      catalog.storeProgress(worker, origin, 7, 1);
    }
    List<Integer> told = new ArrayList<>();
    catalog.onChange(told::add);

    store.drop(made.oid());

    assertThat(told).containsExactly(made.oid());
    assertThat(catalog.subscriptions()).isEmpty();
    assertThat(catalog.relations(made.oid())).isEmpty();
    assertThat(catalog.origins()).isEmpty();
    assertThat(progressRows()).isZero();
    assertThat(catalog.statistics(made.oid()).applyErrors.sum()).isZero();
  }

  @Test
  @DisplayName("S45: counters and the reset time survive a clean restart")
  void keepsStatistics() {
    Subscription made = subscription("mysub");
    store.create(made, List.of(), null);
    SubscriptionStatistics counted = catalog.statistics(made.oid());
    counted.reset(Instant.parse("2026-05-13T22:03:45Z"));
    counted.applyErrors.add(3);
    counted.conflicts(SubscriptionStatistics.Conflict.UPDATE_MISSING).add(2);

    restart();

    SubscriptionStatistics kept = catalog.statistics(made.oid());
    assertThat(kept.applyErrors.sum()).isEqualTo(3);
    assertThat(kept.conflicts(SubscriptionStatistics.Conflict.UPDATE_MISSING).sum()).isEqualTo(2);
    assertThat(kept.statsReset()).isEqualTo(Instant.parse("2026-05-13T22:03:45Z"));
  }

  @Test
  @DisplayName("hands out no OID and no pid twice, and keeps its system identifier")
  void numbersAreUnique() {
    String identifier = node.systemIdentifier();
    int firstOid = node.nextOid();
    long firstPid = node.nextPid();
    assertThat(firstOid).isGreaterThanOrEqualTo(16384);

    restart();

    assertThat(node.systemIdentifier()).isEqualTo(identifier);
    assertThat(node.nextOid()).isGreaterThan(firstOid);
    assertThat(node.nextPid()).isGreaterThan(firstPid);
  }

  @Test
  @DisplayName(
      "a table keeps its OID through a rename and a restart, and its successor gets another")
  void relationOids() {
    int oid = relations.of(TABLE).oid();
    QualifiedName renamed = new QualifiedName("public", "Mixed Case.t\"q");
    relations.rename(TABLE, renamed);
    relations.setReplicaIdentity(renamed, ReplicaIdentity.INDEX, "t_k_key");

    restart();

    assertThat(relations.of(renamed))
        .isEqualTo(new LocalRelation(oid, renamed, ReplicaIdentity.INDEX, "t_k_key"));
    relations.forget(renamed);
    assertThat(relations.byOid(oid)).isNull();
    assertThat(relations.of(renamed).oid()).isNotEqualTo(oid);
  }

  @Test
  @DisplayName("origins asked for at the same time get different numbers")
  void originsSideBySide() {
    List<Integer> numbers =
        java.util.stream.IntStream.range(0, 40)
            .parallel()
            .mapToObj(i -> catalog.ensureOrigin("pg_" + i))
            .toList();
    assertThat(numbers).doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("an intent is there after a restart and settled with the subscription it belongs to")
  void intents() {
    SlotIntents intents = context.getBean(SlotIntents.class);
    Subscription made = subscription("mysub");
    intents.note(made.oid(), 0, "mysub", made.connection(), SlotIntent.Action.MAKE);

    restart();

    intents = context.getBean(SlotIntents.class);
    assertThat(intents.open()).extracting(SlotIntent::slotName).containsExactly("mysub");
    assertThat(intents.open().get(0).toString()).doesNotContain("secret");
    store.create(made, List.of(), intents.open().get(0));
    assertThat(intents.open()).isEmpty();
  }

  @Test
  @DisplayName("changes publications, options and tables in one step")
  void refreshes() {
    Subscription made = subscription("mysub");
    int relid = relations.of(TABLE).oid();
    store.create(made, List.of(relation(made, relid, RelationState.READY)), null);
    catalog.ensureOrigin(made.syncOriginName(relid));
    int other = relations.of(new QualifiedName("s", "other")).oid();
    Subscription changed = made.withPublications(List.of("c", "a"));
    SubscriptionError error = new SubscriptionError("no", Instant.parse("2026-01-02T03:04:05Z"), 7);
    catalog.disable(made.oid(), error);

    store.refresh(changed, List.of(relation(made, other, RelationState.INIT)), List.of(relid));

    assertThat(catalog.subscription("mysub"))
        .as("what disable_on_error did meanwhile stays done")
        .isEqualTo(changed.withEnabled(false));
    assertThat(catalog.relations(made.oid()))
        .extracting(SubscribedRelation::relationOid)
        .containsExactly(other);
    assertThat(catalog.origins()).hasSize(1);
    store.alter(made);
    assertThat(catalog.subscription("mysub")).isEqualTo(made.withEnabled(false));
    assertThat(catalog.disableError(made.oid())).isEqualTo(error);
    store.update(made);
    assertThat(catalog.subscription("mysub").enabled()).isTrue();
    assertThat(catalog.disableError(made.oid())).isNull();
  }

  private SubscribedRelation relation(Subscription subscription, int relid, RelationState state) {
    return new SubscribedRelation(
        subscription.oid(), relid, relations.byOid(relid).name(), state, 0);
  }

  private Subscription subscription(String name) {
    return new Subscription(
        node.nextOid(),
        name,
        10,
        true,
        "host=localhost port=8080 password=secret",
        name,
        List.of("b", "a"),
        false,
        'f',
        'd',
        false,
        true,
        false,
        false,
        "off",
        "any",
        0);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EntityScan(basePackageClasses = CatalogConfiguration.class)
  @Import(CatalogConfiguration.class)
  static class CatalogOnly {}
}
