package dev.millrace.publisher.slots;

import dev.millrace.model.DataDirectoryLock;
import dev.millrace.settings.Settings;
import java.nio.file.Path;
import java.time.Clock;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The slots, loaded before anything can remove log they need. */
@Configuration(proxyBeanMethods = false)
class SlotsConfiguration {

  @Bean(destroyMethod = "saveAll")
  ReplicationSlots replicationSlots(
      DataDirectoryLock lock,
      @Value("${millrace.data-dir}") Path dataDirectory,
      Settings settings,
      Clock clock) {
    return SlotStore.open(
        dataDirectory.resolve("pg_replslot"),
        () -> settings.getInt("max_replication_slots"),
        clock);
  }
}
