package dev.millrace.publisher.decoding;

import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.ControlState;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Decoding's beans. */
@Configuration(proxyBeanMethods = false)
class DecodingConfiguration {

  @Bean
  DecodingMemory decodingMemory(Settings settings) {
    return new DecodingMemory(() -> settings.getBytes("decoding_memory_limit"));
  }

  @Bean
  LogicalDecoding logicalDecoding(
      WriteAheadLog log,
      CatalogHistory history,
      ControlFile control,
      DecodingMemory memory,
      ReplicationOrigins origins) {
    ControlState node = control.state();
    return new SlotDecoding(
        log,
        history,
        name -> name.equals(node.databaseName()) ? node.databaseOid() : 0,
        origins::nameOf,
        memory,
        node.segmentSize());
  }

  @Bean
  SlotChanges slotChanges(ReplicationSlots slots, LogicalDecoding decoding, WriteAheadLog log) {
    return new SlotChanges(slots, decoding, log);
  }
}
