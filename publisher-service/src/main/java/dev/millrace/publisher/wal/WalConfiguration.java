package dev.millrace.publisher.wal;

import dev.millrace.model.DataDirectoryLock;
import dev.millrace.settings.Settings;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The data directory's lock, the control file and the log: the first beans made, the last to go.
 */
@Configuration(proxyBeanMethods = false)
class WalConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(WalConfiguration.class);

  /** Nothing in the data directory is opened before it is ours, the catalogue's file included. */
  @Bean
  static BeanFactoryPostProcessor dataSourceAfterLock() {
    return factory -> {
      if (factory.containsBeanDefinition("dataSource")) {
        factory.getBeanDefinition("dataSource").setDependsOn("dataDirectoryLock");
      }
    };
  }

  @Bean
  DataDirectoryLock dataDirectoryLock(@Value("${millrace.data-dir}") Path dataDirectory) {
    return DataDirectoryLock.acquire(dataDirectory);
  }

  @Bean
  ControlFile controlFile(
      DataDirectoryLock lock,
      @Value("${millrace.data-dir}") Path dataDirectory,
      @Value("${millrace.database}") String database,
      Settings settings) {
    return ControlFile.open(dataDirectory, database, options(settings));
  }

  @Bean(destroyMethod = "close")
  NodeLog nodeLog(
      ControlFile control, @Value("${millrace.data-dir}") Path dataDirectory, Settings settings) {
    NodeLog node = NodeLog.open(dataDirectory, control, options(settings), WalConfiguration::halt);
    settings.onChange(
        name -> {
          if (name.equals("wal_writer_delay")) {
            node.log().writerDelayMs(settings.getMillis(name));
          }
        });
    return node;
  }

  @Bean(destroyMethod = "")
  WriteAheadLog writeAheadLog(NodeLog log) {
    return log.log();
  }

  private static WalOptions options(Settings settings) {
    return WalOptions.defaults()
        .withSegmentSize((int) settings.getBytes("wal_segment_size"))
        .withWriterDelayMs(settings.getMillis("wal_writer_delay"));
  }

  /** Nothing may run on: what is on disk is not known any more, and only a new start can tell. */
  private static void halt(Throwable failure) {
    LOG.error("PANIC: could not write the write-ahead log, stopping at once", failure);
    Runtime.getRuntime().halt(1);
  }
}
