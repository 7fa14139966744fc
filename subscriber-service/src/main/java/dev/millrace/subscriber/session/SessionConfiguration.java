package dev.millrace.subscriber.session;

import dev.millrace.settings.Settings;
import dev.millrace.sql.DatabaseViews;
import dev.millrace.sql.RelationViews;
import dev.millrace.sql.SessionObjects;
import dev.millrace.sql.SystemCatalog;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemObjects;
import dev.millrace.sql.SystemView;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.command.SubscriptionCommands;
import dev.millrace.subscriber.target.TargetDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;

/** The beans of SQL sessions and views. */
@Configuration(proxyBeanMethods = false)
class SessionConfiguration {

  @Bean
  Clock clock() {
    return Clock.systemUTC();
  }

  @Bean
  @DependsOn("entityManagerFactory")
  TargetUsers targetUsers(DataSource admin, DataSourceProperties properties) {
    return new TargetUsers(admin, properties.determineUrl());
  }

  @Bean
  LocalDefinitions localDefinitions(
      TargetDatabase target,
      TargetUsers users,
      LocalRelations relations,
      NodeIdentity node,
      DataSource admin,
      @Value("${millrace.database:testdb}") String databaseName) {
    return new LocalDefinitions(target, users, relations, node, admin, databaseName);
  }

  @Bean
  TargetSessions targetSessions(
      TargetUsers users,
      TargetDatabase target,
      LocalRelations relations,
      LocalDefinitions definitions,
      SubscriptionCommands commands,
      NodeIdentity node,
      DataSource admin,
      Settings settings) {
    TypeTriggers typeTriggers = new TypeTriggers(admin, target);
    return new TargetSessions(
        new SessionServices(users, target, relations, definitions, commands, typeTriggers),
        node,
        settings);
  }

  @Bean
  SystemObjects relationObjects(LocalDefinitions definitions) {
    List<SystemView> views = new ArrayList<>(RelationViews.of(definitions::source));
    views.addAll(DatabaseViews.of(definitions::source));
    return SystemObjects.views(views);
  }

  @Bean
  SystemObjects subscriberFunctions(SubscriptionCatalog catalog, Clock clock) {
    return new SystemObjects(List.of(), new SubscriberFunctions(catalog, clock).all());
  }

  @Bean
  SystemObjects sessionObjects(LocalDefinitions definitions, Settings settings) {
    return SessionObjects.of(settings, definitions::source);
  }

  /** The views and functions of all parts, once all parts are there. */
  @Bean
  SmartInitializingSingleton systemCatalog(
      DataSource admin, TargetSessions sessions, ObjectProvider<SystemObjects> objects) {
    return () -> {
      List<SystemObjects> all = objects.orderedStream().toList();
      List<SystemView> views = all.stream().flatMap(each -> each.views().stream()).toList();
      List<SystemFunction> functions =
          all.stream().flatMap(each -> each.functions().stream()).toList();
      try (Connection connection = admin.getConnection()) {
        SystemCatalog.install(connection, views, functions);
      } catch (SQLException e) {
        throw dev.millrace.sql.H2Errors.translate(e);
      }
      sessions.installed(all);
    };
  }
}
