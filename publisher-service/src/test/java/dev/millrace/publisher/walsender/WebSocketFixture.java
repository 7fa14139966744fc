package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.database.PublisherNode.ConsistentPoint;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotStore;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The replication WebSocket in a Tomcat of its own, over decoding that a test scripts. */
final class WebSocketFixture implements AutoCloseable {

  final ReplicationSlots slots;
  private final ConfigurableApplicationContext context;
  private final LogicalDecoding decoding;

  /** Not annotated as a configuration: the publisher's own component scan must not find it. */
  @ImportAutoConfiguration({
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class
  })
  @Import(WalSenderConfiguration.class)
  static class Application {

    @Bean
    PublisherNode node() {
      PublisherNode node = mock(PublisherNode.class);
      AtomicLong pids = new AtomicLong(100);
      when(node.databaseName()).thenReturn("testdb");
      when(node.nextPid()).thenAnswer(call -> pids.incrementAndGet());
      when(node.systemIdentifier()).thenReturn("7");
      when(node.createConsistentPoint(anyBoolean()))
          .thenReturn(new ConsistentPoint(0x300, 0x300, 740, null));
      return node;
    }

    @Bean
    CatalogStore catalog() {
      return mock(CatalogStore.class);
    }

    @Bean
    WriteAheadLog log() throws InterruptedException {
      WriteAheadLog log = mock(WriteAheadLog.class);
      when(log.flushLsn()).thenReturn(0x300L);
      when(log.awaitFlushBeyond(anyLong(), anyLong())).thenReturn(0x300L);
      return log;
    }

    @Bean
    LogicalDecoding decoding() {
      return mock(LogicalDecoding.class);
    }

    @Bean
    Settings settings() {
      return new Settings(
          SettingTable.definitions(),
          Map.of("max_wal_senders", "2", "replication_max_message_size", "64kB"));
    }

    @Bean
    Clock clock() {
      return Clock.systemUTC();
    }
  }

  WebSocketFixture(Path slotDirectory) {
    slots = SlotStore.open(slotDirectory, () -> 10, Clock.systemUTC());
    context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.SERVLET)
            .properties("server.port=0", "server.address=127.0.0.1", "spring.config.name=none")
            .initializers(it -> it.getBeanFactory().registerSingleton("replicationSlots", slots))
            .run();
    decoding = context.getBean(LogicalDecoding.class);
  }

  int port() {
    return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
  }

  WalSenders walSenders() {
    return context.getBean(WalSenders.class);
  }

  Settings settings() {
    return context.getBean(Settings.class);
  }

  /** A peer that streams a new slot named s. */
  ReplicationPeer streaming(String query) throws InterruptedException {
    ReplicationPeer peer = ReplicationPeer.connect(port(), query);
    assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')"))
        .isNull();
    assertThat(peer.run("START_REPLICATION SLOT s LOGICAL 0/0").get("mode").asString())
        .isEqualTo("both");
    return peer;
  }

  /** What the next streams decode. */
  void decodes(Consumer<ScriptedDecoding> script) {
    when(decoding.start(any(), anyLong(), any(), any(), any()))
        .thenAnswer(
            call -> {
              ScriptedDecoding scripted =
                  new ScriptedDecoding((OutputWriter) call.getArgument(3), 0x300);
              script.accept(scripted);
              return scripted;
            });
  }

  /** The pid of the session that holds the slot now; 0 = none. */
  long slotHolder() {
    return slots.find("s").activePid();
  }

  void slotIsFree() {
    Awaitility.await().until(() -> slots.find("s").activePid() == 0);
  }

  /** Waits for the sessions to end and drops the slots. */
  void clean() {
    Awaitility.await().until(() -> walSenders().views().isEmpty());
    slots.all().forEach(slot -> slots.drop(slot.name(), 1));
  }

  @Override
  public void close() {
    context.close();
  }
}
