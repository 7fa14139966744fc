package dev.millrace.publisher.decoding;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Decoding over the node's log and catalogue. */
@Configuration(proxyBeanMethods = false)
class DecodingConfiguration {

  @Bean
  DecodingMemory decodingMemory(Settings settings) {
    return new DecodingMemory(settings.getBytes("decoding_memory_limit"));
  }

  @Bean
  LogicalDecoding logicalDecoding(
      WriteAheadLog log,
      CatalogStore catalog,
      PublisherNode node,
      DecodingMemory memory,
      Settings settings) {
    DatabaseOids databases = name -> name.equals(node.databaseName()) ? node.databaseOid() : 0;
    return new SlotDecoding(log, catalog, databases, memory, settings.getBytes("wal_segment_size"));
  }

  @Bean
  SlotChanges slotChanges(ReplicationSlots slots, LogicalDecoding decoding, WriteAheadLog log) {
    return new SlotChanges(slots, decoding, log);
  }
}
