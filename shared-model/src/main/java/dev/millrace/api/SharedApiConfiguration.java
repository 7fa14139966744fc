package dev.millrace.api;

import dev.millrace.settings.Settings;
import dev.millrace.sql.SqlSessionFactory;
import java.time.Clock;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.PropertySource;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * The HTTP pieces both services serve. A service imports this and gives the beans {@link
 * SqlSessionFactory}, {@link Settings}, {@link Clock}, {@link NodeStatus}, {@link
 * ReplicationOriginSource} and any number of {@link StatusContributor}s.
 */
@Configuration(proxyBeanMethods = false)
@PropertySource("classpath:dev/millrace/api/shared-api.properties")
@Import({
  ProblemAdvice.class,
  ProblemErrorController.class,
  SqlController.class,
  SessionController.class,
  SettingsController.class,
  ReplicationOriginsController.class,
  StatusController.class
})
public class SharedApiConfiguration {

  @Bean(destroyMethod = "close")
  SqlSessions sqlSessions(SqlSessionFactory factory, Settings settings, Clock clock) {
    return new SqlSessions(factory, settings, clock);
  }

  @Bean
  StatusContributor sessionStatus(SqlSessions sessions) {
    return new SessionStatus(sessions);
  }

  /** Looks before any bean is made, so before anything is opened. */
  @Bean
  static BeanFactoryPostProcessor loopbackGuard(Environment environment) {
    return beans ->
        LoopbackGuard.check(
            environment.getProperty("server.address"),
            environment.getProperty("millrace.security.allow-anonymous", Boolean.class, false));
  }

  @Bean
  FilterRegistrationBean<BodyLimitFilter> bodyLimit(
      @Value("${millrace.max-request-size}") DataSize limit) {
    FilterRegistrationBean<BodyLimitFilter> registration =
        new FilterRegistrationBean<>(new BodyLimitFilter(limit.toBytes()));
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return registration;
  }

  @Bean
  JsonRules jsonRules() {
    return new JsonRules();
  }

  @Bean
  OpenApiRules openApiRules() {
    return new OpenApiRules();
  }

  @Bean
  WebServerRules webServerRules() {
    return new WebServerRules();
  }
}
