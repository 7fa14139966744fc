package dev.millrace.subscriber.fake;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.settings.SettingsConfiguration;
import dev.millrace.subscriber.apply.WorkerContext;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import dev.millrace.subscriber.launcher.Launcher;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A subscriber without its web side, on a real H2 file. */
public final class TestNode implements AutoCloseable {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EntityScan("dev.millrace.subscriber.catalog")
  @ComponentScan({"dev.millrace.subscriber.catalog", "dev.millrace.subscriber.launcher"})
  @Import(SettingsConfiguration.class)
  static class WithoutWeb {}

  private final ConfigurableApplicationContext context;
  private final Connection user;

  private TestNode(ConfigurableApplicationContext context) {
    this.context = context;
    this.user = bean(WorkerContext.class).target().openConnection();
    try {
      user.setAutoCommit(true);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static TestNode shared;

  /**
   * The node that tests share which clean up behind themselves; it retries workers every 100 ms and
   * reports every second. Lives until the JVM ends.
   */
  public static synchronized TestNode shared() {
    if (shared == null) {
      try {
        Path dataDir = java.nio.file.Files.createTempDirectory("millrace-subscriber");
        shared =
            start(
                dataDir,
                "--millrace.settings.wal_retrieve_retry_interval=100ms",
                "--millrace.settings.wal_receiver_status_interval=1s");
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
    return shared;
  }

  /**
   * @param arguments as on the command line, such as {@code
   *     --millrace.settings.wal_retrieve_retry_interval=100ms}
   */
  public static TestNode start(Path dataDir, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--millrace.data-dir=" + dataDir);
    return new TestNode(
        new SpringApplicationBuilder(WithoutWeb.class)
            .web(WebApplicationType.NONE)
            .properties(
                "spring.config.name=subscriber",
                "spring.main.banner-mode=off",
                // Health has contributors that are no part of this node.
                "management.endpoint.health.validate-group-membership=false")
            .run(all.toArray(String[]::new)));
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  public WorkerContext workers() {
    return bean(WorkerContext.class);
  }

  public SubscriptionCatalog catalog() {
    return bean(SubscriptionCatalog.class);
  }

  public Launcher launcher() {
    return bean(Launcher.class);
  }

  /** Runs H2 statements as a local user would; auto-commit. */
  public synchronized void sql(String... statements) {
    try (Statement statement = user.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Rows as text, columns parted by a comma, null as null. */
  public synchronized List<String> rows(String query) {
    try (Statement statement = user.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.append(i == 1 ? "" : ",").append(result.getString(i));
        }
        rows.add(row.toString());
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Drops all user tables; their OIDs are forgotten with them. */
  public void dropTables() {
    for (String table :
        rows(
            "select table_name from information_schema.tables where table_schema = 'public'"
                + " and table_type = 'BASE TABLE'")) {
      sql("drop table public." + Identifiers.alwaysQuote(table) + " cascade");
      bean(LocalRelations.class).forget(new QualifiedName("public", table));
    }
  }

  public long count(String table) {
    return Long.parseLong(rows("select count(*) from " + table).get(0));
  }

  public int oid(String table) {
    return bean(LocalRelations.class).of(new QualifiedName("public", table)).oid();
  }

  /** Stores a subscription with the given tables, all in one state. */
  public Subscription subscribe(
      String name, String connection, RelationState state, boolean enabled, String... tables) {
    return subscribe(
        new Subscription(
            bean(NodeIdentity.class).nextOid(),
            name,
            10,
            enabled,
            connection,
            name,
            List.of("pub"),
            false,
            'f',
            'd',
            false,
            true,
            false,
            false,
            "off",
            "any",
            0),
        state,
        tables);
  }

  public Subscription subscribe(Subscription subscription, RelationState state, String... tables) {
    List<SubscribedRelation> relations = new ArrayList<>();
    for (String table : tables) {
      relations.add(
          new SubscribedRelation(
              subscription.oid(), oid(table), new QualifiedName("public", table), state, 0));
    }
    bean(SubscriptionStore.class).create(subscription, relations, null);
    return subscription;
  }

  /** Stops the workers and removes all that the subscription left here. */
  public void drop(Subscription subscription) {
    try (Launcher.Suspension held = launcher().suspend(subscription.oid())) {
      launcher().stopWorkers(subscription.oid());
      bean(SubscriptionStore.class).drop(subscription.oid());
      SlotIntents intents = bean(SlotIntents.class);
      intents.open().forEach(intents::settle);
    }
  }

  /** The states of a subscription's tables, such as {@code r}; all the same or joined. */
  public String states(Subscription subscription) {
    StringBuilder states = new StringBuilder();
    for (SubscribedRelation relation : catalog().relations(subscription.oid())) {
      states.append(relation.state().code());
    }
    return states.toString();
  }

  @Override
  public void close() {
    try {
      user.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    context.close();
  }
}
