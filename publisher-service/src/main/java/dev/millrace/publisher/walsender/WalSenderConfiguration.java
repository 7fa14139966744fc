package dev.millrace.publisher.walsender;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.database.StopPhases;
import dev.millrace.publisher.database.StopStep;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.replication.ReplicationCommandParser;
import dev.millrace.settings.Settings;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.server.support.DefaultHandshakeHandler;

/** The walsender sessions and the WebSocket they are reached by. */
@Configuration(proxyBeanMethods = false)
@EnableWebSocket
class WalSenderConfiguration {

  @Bean
  SlotCreation slotCreation(
      ReplicationSlots slots,
      PublisherNode node,
      WriteAheadLog log,
      LogicalDecoding decoding,
      Settings settings) {
    return new SlotCreation(slots, node, log, decoding, settings);
  }

  @Bean
  SlotAlteration slotAlteration(ReplicationSlots slots, WriteAheadLog log) {
    return new SlotAlteration(slots, log);
  }

  @Bean(destroyMethod = "stop")
  WalSenders walSenders(
      PublisherNode node,
      CatalogStore catalog,
      WriteAheadLog log,
      ReplicationSlots slots,
      SlotCreation slotCreation,
      LogicalDecoding decoding,
      Settings settings,
      Clock clock) {
    SessionServices services =
        new SessionServices(node, catalog, log, slots, slotCreation, decoding, clock);
    return new WalSenders(services, settings, ReplicationCommandParser::parse);
  }

  @Bean
  WebSocketConfigurer replicationWebSocket(
      PublisherNode node, WalSenders walSenders, Settings settings) {
    DefaultHandshakeHandler handshake = new DefaultHandshakeHandler();
    handshake.setSupportedProtocols(ReplicationHandshake.SUBPROTOCOL);
    return registry ->
        registry
            .addHandler(new ReplicationEndpoint(walSenders, settings), "/replication")
            .setHandshakeHandler(handshake)
            .addInterceptors(new ReplicationHandshake(node, walSenders, settings));
  }

  @Bean
  StopStep stopWalSenders(WalSenders walSenders, ReplicationSlots slots) {
    return new StopStep(
        StopPhases.WAL_SENDERS,
        () -> {
          walSenders.stop();
          slots.saveAll();
        });
  }
}
