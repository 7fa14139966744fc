package dev.millrace.publisher.api;

import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.decoding.SlotChanges;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotLimits;
import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.publisher.walsender.SlotCreation;
import dev.millrace.publisher.walsender.WalSenders;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemObjects;
import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.info.Info;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What REST and SQL show of slots, walsenders and the log. */
@Configuration(proxyBeanMethods = false)
class ApiConfiguration {

  @Bean
  OpenAPI openApi() {
    return new OpenAPI()
        .info(
            new Info()
                .title("Millrace publisher")
                .version("v1")
                .description(
                    "A database node whose changes are decoded from its write-ahead log and"
                        + " streamed to subscribers, managed in PostgreSQL's terms."));
  }

  @Bean
  SlotRows slotRows(
      ReplicationSlots slots,
      PublisherNode node,
      WriteAheadLog log,
      Settings settings,
      Clock clock,
      ControlFile control) {
    return new SlotRows(
        slots, node, log, new SlotLimits(settings, clock, control.state().segmentSize()));
  }

  @Bean
  SlotAdvance slotAdvance(
      ReplicationSlots slots, PublisherNode node, LogicalDecoding decoding, WriteAheadLog log) {
    return new SlotAdvance(slots, node, decoding, log);
  }

  @Bean
  SlotReading slotReading(SlotChanges changes, PublisherNode node, Settings settings) {
    return new SlotReading(changes, node, settings);
  }

  @Bean
  SystemObjects replicationObjects(
      PublisherNode node,
      SlotRows rows,
      ReplicationSlots slots,
      WalSenders walSenders,
      SlotCreation creation,
      SlotAdvance advance,
      SlotReading reading,
      WriteAheadLog log,
      Clock clock) {
    node.onSessionEnd(slots::dropTemporarySlotsOf);
    List<SystemFunction> functions =
        Stream.of(
                new SlotFunctions(node, slots, creation, advance, reading, clock).all(),
                new WalFunctions(log).all(),
                new MessageFunctions(node).all(),
                new TransactionFunctions(node).all(),
                LaterFunctions.all())
            .flatMap(List::stream)
            .toList();
    return new SystemObjects(ReplicationViews.all(node, rows, slots, walSenders), functions);
  }

  @Bean
  PublisherStatus publisherStatus(
      PublisherNode node,
      WriteAheadLog log,
      ReplicationSlots slots,
      WalSenders walSenders,
      Settings settings) {
    return new PublisherStatus(node, log, slots, walSenders, settings);
  }

  @Bean
  OriginViews replicationOriginSource(ReplicationOrigins origins) {
    return new OriginViews(origins);
  }

  @Bean
  SystemObjects originObjects(
      PublisherNode node, ReplicationOrigins origins, OriginViews views, WriteAheadLog log) {
    return new SystemObjects(views.all(), new OriginFunctions(node, origins, log).all());
  }

  @Bean
  WalHealth walHealthIndicator(WriteAheadLog log) {
    return new WalHealth(log);
  }

  @Bean
  ReplicationMetrics replicationMetrics(
      MeterRegistry registry, ReplicationSlots slots, WalSenders walSenders, WriteAheadLog log) {
    return new ReplicationMetrics(registry, slots, walSenders, log);
  }
}
