package dev.millrace.subscriber.target;

import dev.millrace.heap.AtomicStores;
import dev.millrace.heap.PatientFilePath;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.h2.jdbc.JdbcConnection;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Prepares the target database before anything else in the service writes to it. */
@Configuration(proxyBeanMethods = false)
class TargetConfiguration {

  /**
   * The pool's first connection opens the database; migrations come after it. Its file gets waiting
   * writes before.
   */
  @Bean
  static BeanPostProcessor atomicTarget() {
    PatientFilePath.register();
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof DataSourceProperties properties && properties.getUrl() != null) {
          properties.setUrl(PatientFilePath.patient(properties.getUrl()));
        }
        if (bean instanceof DataSource dataSource) {
          prepare(dataSource, name);
        }
        return bean;
      }
    };
  }

  private static void prepare(DataSource dataSource, String name) {
    try (Connection connection = dataSource.getConnection()) {
      if (connection.isWrapperFor(JdbcConnection.class)) {
        AtomicStores.install(connection);
      }
    } catch (SQLException e) {
      throw new BeanCreationException(
          name, "the target database cannot be opened: " + e.getMessage(), e);
    }
  }
}
