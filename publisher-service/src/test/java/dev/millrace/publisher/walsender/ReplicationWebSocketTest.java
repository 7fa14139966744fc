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
import java.io.DataInputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The replication WebSocket itself, over decoding of the test's own (R2, T1, T2). */
class ReplicationWebSocketTest {

  @TempDir Path root;
  private ConfigurableApplicationContext context;
  private int port;
  private ReplicationSlots slots;
  private LogicalDecoding decoding;

  @Configuration(proxyBeanMethods = false)
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

  @BeforeEach
  void start() {
    slots = SlotStore.open(root, () -> 10, Clock.systemUTC());
    context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.SERVLET)
            .properties("server.port=0", "server.address=127.0.0.1", "spring.config.name=none")
            .initializers(it -> it.getBeanFactory().registerSingleton("replicationSlots", slots))
            .run();
    port = Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    decoding = context.getBean(LogicalDecoding.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  private ReplicationPeer streaming(String query) throws InterruptedException {
    ReplicationPeer peer = ReplicationPeer.connect(port, query);
    begin(peer);
    return peer;
  }

  private void begin(ReplicationPeer peer) throws InterruptedException {
    assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')"))
        .isNull();
    assertThat(peer.run("START_REPLICATION SLOT s LOGICAL 0/0").get("mode").asString())
        .isEqualTo("both");
  }

  private void decodes(java.util.function.Consumer<ScriptedDecoding> script) {
    when(decoding.start(any(), anyLong(), any(), any(), any()))
        .thenAnswer(
            call -> {
              ScriptedDecoding scripted =
                  new ScriptedDecoding((OutputWriter) call.getArgument(3), 0x300);
              script.accept(scripted);
              return scripted;
            });
  }

  @Test
  @DisplayName("commands are answered in JSON, a bad one with an error, and the session goes on")
  void commands() throws InterruptedException {
    try (ReplicationPeer peer = ReplicationPeer.connect(port, "dbname=testdb")) {
      assertThat(peer.run("IDENTIFY_SYSTEM").toString())
          .isEqualTo(
              "{\"columns\":[{\"name\":\"systemid\",\"type\":\"text\"},"
                  + "{\"name\":\"timeline\",\"type\":\"int8\"},"
                  + "{\"name\":\"xlogpos\",\"type\":\"text\"},"
                  + "{\"name\":\"dbname\",\"type\":\"text\"}],"
                  + "\"rows\":[[\"7\",1,\"0/300\",\"testdb\"]]}");
      assertThat(peer.errorOf("NONSENSE")).isEqualTo("42601");
      peer.sendTextPart("SHOW wal_", false);
      peer.sendTextPart("sender_timeout", true);
      assertThat(peer.answer().get("rows").toString()).isEqualTo("[[\"1min\"]]");
    }
  }

  @Test
  @DisplayName("S11: settings of the URL hold in the session")
  void sessionSettings() throws InterruptedException {
    String query = "dbname=testdb&application_name=a&options=-c%20wal_sender_timeout%3D5s";
    try (ReplicationPeer peer = ReplicationPeer.connect(port, query)) {
      assertThat(peer.run("SHOW wal_sender_timeout").get("rows").toString())
          .isEqualTo("[[\"5s\"]]");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "dbname=elsewhere,404,3D000",
    "dbname=testdb&options=-c%20nonsense%3D1,400,42704",
    "dbname=testdb&options=-c%20wal_sender_timeout%3Dsoon,400,22023",
    "dbname=testdb&options=nonsense,400,42601"
  })
  @DisplayName("R2: what is wrong with the URL is said before the upgrade")
  void refusedBeforeUpgrade(String query, int status, String sqlState) throws Exception {
    HttpResponse<String> response = handshake(query, ReplicationPeer.SUBPROTOCOL);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(response.body()).contains("\"sqlstate\":\"" + sqlState + "\"");
  }

  @Test
  @DisplayName("R2: another subprotocol is refused before the upgrade")
  void otherSubprotocol() throws Exception {
    assertThat(handshake("dbname=testdb", "mqtt").statusCode()).isEqualTo(400);
  }

  /** The JDK's HTTP client does not let us set the upgrade headers, so a plain socket does. */
  private HttpResponse<String> handshake(String query, String subprotocol) throws Exception {
    System.setProperty("jdk.httpclient.allowRestrictedHeaders", "connection,upgrade");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/replication?" + query))
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
            .header("Sec-WebSocket-Protocol", subprotocol)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  @DisplayName("max_wal_senders bounds the sessions: 53300 before the upgrade")
  void tooMany() throws Exception {
    try (ReplicationPeer first = ReplicationPeer.connect(port, "dbname=testdb");
        ReplicationPeer second = ReplicationPeer.connect(port, "dbname=testdb")) {
      first.run("IDENTIFY_SYSTEM");
      second.run("IDENTIFY_SYSTEM");
      HttpResponse<String> response = handshake("dbname=testdb", ReplicationPeer.SUBPROTOCOL);
      assertThat(response.statusCode()).isEqualTo(429);
      assertThat(response.body()).contains("\"sqlstate\":\"53300\"");
    }
    Awaitility.await().until(() -> context.getBean(WalSenders.class).views().isEmpty());
    ReplicationPeer.connect(port, "dbname=testdb").close();
  }

  @Test
  @DisplayName("a stream's data, keepalive, confirmation and end travel as on PostgreSQL's wire")
  void stream() throws Exception {
    decodes(it -> it.commit(0x400, 0x310, "B", 0x400, "C").record(0x500));
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      assertThat(new String(peer.nextCopied().message(), StandardCharsets.UTF_8)).isEqualTo("B");
      assertThat(new String(peer.nextCopied().message(), StandardCharsets.UTF_8)).isEqualTo("C");
      assertThat(peer.nextCopied().isKeepalive()).isTrue();
      peer.report(0x500, 0x500, true);
      assertThat(peer.nextCopied().isKeepalive()).isTrue();
      assertThat(slots.find("s").confirmedFlushLsn()).isEqualTo(0x500);
      peer.sendCopyDone();
      while (!peer.nextCopied().done()) {
        // Keepalives on their way.
      }
      assertThat(peer.answer().get("command").asString()).isEqualTo("START_REPLICATION");
      peer.report(0x500, 0x500, false);
      assertThat(peer.run("IDENTIFY_SYSTEM").has("rows")).isTrue();
    }
  }

  @Test
  @DisplayName("a message of many megabytes arrives whole, in fragments")
  void largeMessage() throws Exception {
    String large = "x".repeat(20_000_000);
    decodes(it -> it.commit(0x400, 0x310, large, 0x400, "C"));
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      assertThat(peer.nextCopied().message()).hasSize(20_000_000);
      assertThat(peer.nextCopied().message()).hasSize(1);
    }
  }

  @Test
  @DisplayName("R2: a text frame while copying closes with 1002 and releases the slot at once")
  void textWhileCopying() throws Exception {
    decodes(it -> {});
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      peer.sendText("IDENTIFY_SYSTEM");
      assertThat(peer.closeCode()).isEqualTo(1002);
      slotIsFree();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "7800000004",
    "640000000571",
    "647FFFFFFF72",
    "64FFFFFFFF72",
    "6400000004",
    "64000000",
    "6300000005",
    "64000000056B"
  })
  @DisplayName("R2: unknown CopyData types and bad lengths close with 1002, the slot is released")
  void badFrames(String hex) throws Exception {
    decodes(it -> {});
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      peer.sendBinary(java.util.HexFormat.of().parseHex(hex));
      assertThat(peer.closeCode()).isEqualTo(1002);
      slotIsFree();
    }
  }

  @ParameterizedTest
  @CsvSource({"8182 00000000 C328, 1007", "8102 4142, 1002", "8382 00000000 4142, 1002"})
  @DisplayName("R2: invalid UTF-8 closes with 1007, an unmasked or unknown frame with 1002")
  void badWebSocketFrames(String hex, int code) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(10_000);
      String upgrade =
          "GET /replication?dbname=testdb HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
              + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
              + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
              + "Sec-WebSocket-Protocol: millrace.replication.v1\r\n\r\n";
      socket.getOutputStream().write(upgrade.getBytes(StandardCharsets.US_ASCII));
      DataInputStream in = new DataInputStream(socket.getInputStream());
      StringBuilder head = new StringBuilder();
      while (!head.toString().endsWith("\r\n\r\n")) {
        head.append((char) in.readUnsignedByte());
      }
      assertThat(head.toString()).startsWith("HTTP/1.1 101");
      socket.getOutputStream().write(HexFormat.of().parseHex(hex.replace(" ", "")));
      assertThat(in.readUnsignedByte()).isEqualTo(0x88);
      in.readUnsignedByte();
      assertThat(in.readUnsignedShort()).isEqualTo(code);
    }
    Awaitility.await().until(() -> context.getBean(WalSenders.class).views().isEmpty());
  }

  @Test
  @DisplayName("R2: a binary frame without a copy gets an error and the session stays")
  void binaryWithoutCopy() throws Exception {
    try (ReplicationPeer peer = ReplicationPeer.connect(port, "dbname=testdb")) {
      peer.report(0, 0, false);
      assertThat(peer.answer().get("error").get("sqlstate").asString()).isEqualTo("08P01");
      assertThat(peer.run("IDENTIFY_SYSTEM").has("rows")).isTrue();
    }
  }

  @Test
  @DisplayName("R2: a message above the limit closes with 1009")
  void tooBig() throws Exception {
    decodes(it -> {});
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      byte[] updates = new byte[39 * 500];
      for (int i = 0; i < 500; i++) {
        updates[39 * i] = 'd';
        updates[39 * i + 4] = 38;
        updates[39 * i + 5] = 'r';
      }
      peer.sendBinary(updates);
      for (int i = 0; i < 4; i++) {
        peer.sendBinaryPart(updates, false);
      }
      assertThat(peer.closeCode()).isEqualTo(1009);
      slotIsFree();
    }
  }

  @Test
  @DisplayName("R2: a command of more than a million characters closes with 1009")
  void commandTooBig() throws Exception {
    try (ReplicationPeer peer = ReplicationPeer.connect(port, "dbname=testdb")) {
      String part = "x".repeat(100_000);
      for (int i = 0; i < 10; i++) {
        peer.sendTextPart(part, false);
      }
      peer.sendTextPart(part, true);
      assertThat(peer.closeCode()).isEqualTo(1009);
    }
  }

  @Test
  @DisplayName("T1: a confirmation beyond what was sent is an error and not stored")
  void confirmsTooMuch() throws Exception {
    decodes(it -> {});
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      peer.report(0x900, 0x900, false);
      assertThat(peer.answer().get("error").get("sqlstate").asString()).isEqualTo("08P01");
      assertThat(slots.find("s").confirmedFlushLsn()).isEqualTo(0x300);
      slotIsFree();
      peer.report(0x300, 0x300, false);
      assertThat(peer.run("IDENTIFY_SYSTEM").has("rows")).isTrue();
    }
  }

  @Test
  @DisplayName("T2: a peer that is silent for wal_sender_timeout is closed with 1008")
  void silentPeer() throws Exception {
    decodes(it -> {});
    String query = "dbname=testdb&options=-c%20wal_sender_timeout%3D400ms";
    try (ReplicationPeer peer = streaming(query)) {
      assertThat(peer.closeCode()).isEqualTo(1008);
      slotIsFree();
    }
  }

  @Test
  @DisplayName("T2: a peer that does not read holds its sender back and, silent, loses its slot")
  void peerThatDoesNotRead() throws Exception {
    AtomicLong sent = new AtomicLong();
    String row = "x".repeat(8000);
    decodes(
        it ->
            it.commit(
                0x900000,
                () -> {
                  for (int i = 0; i < 200_000; i++) {
                    it.message(0x310 + i, row);
                    sent.incrementAndGet();
                  }
                }));
    String query = "dbname=testdb&options=-c%20wal_sender_timeout%3D2s";
    try (ReplicationPeer peer = ReplicationPeer.connectWithoutReading(port, query)) {
      peer.sendText("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')");
      peer.sendText("START_REPLICATION SLOT s LOGICAL 0/0");
      Awaitility.await().until(() -> slots.find("s") != null && slots.find("s").activePid() != 0);
      slotIsFree();
      assertThat(sent.get()).isLessThan(200_000);
      Awaitility.await().until(() -> context.getBean(WalSenders.class).views().isEmpty());
    }
  }

  @Test
  @DisplayName("a peer that goes away without a word frees its slot at once")
  void peerGone() throws Exception {
    decodes(it -> {});
    ReplicationPeer peer = streaming("dbname=testdb");
    peer.close();
    slotIsFree();
  }

  @Test
  @DisplayName("a stop closes an idle session with 1001")
  void stopOfIdleSession() throws Exception {
    try (ReplicationPeer peer = ReplicationPeer.connect(port, "dbname=testdb")) {
      peer.run("IDENTIFY_SYSTEM");
      context.getBean(WalSenders.class).stop();
      assertThat(peer.closeCode()).isEqualTo(1001);
    }
  }

  @Test
  @DisplayName("T2: a clean stop waits until a stream's peer has confirmed everything, then 1001")
  void stopOfStream() throws Exception {
    decodes(it -> it.commit(0x400, 0x310, "B", 0x400, "C"));
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      Thread stopping = new Thread(() -> context.getBean(WalSenders.class).stop());
      peer.nextData();
      peer.nextData();
      stopping.start();
      ReplicationPeer.Copied next = peer.nextCopied();
      assertThat(next.isKeepalive()).isTrue();
      assertThat(slots.find("s").activePid()).isNotZero();
      peer.report(0x400, 0x400, false);
      while (!next.done()) {
        next = peer.nextCopied();
      }
      assertThat(peer.answer().get("command").asString()).isEqualTo("START_REPLICATION");
      assertThat(peer.closeCode()).isEqualTo(1001);
      stopping.join();
    }
  }

  @Test
  @DisplayName(
      "S44: a peer that never confirms delays a stop by wal_sender_shutdown_timeout at most")
  void stopWithoutConfirmation() throws Exception {
    decodes(it -> it.commit(0x400, 0x310, "B", 0x400, "C"));
    context.getBean(Settings.class).set("wal_sender_shutdown_timeout", "500ms");
    try (ReplicationPeer peer = streaming("dbname=testdb")) {
      peer.nextData();
      peer.nextData();
      context.getBean(WalSenders.class).stop();
      assertThat(peer.closeCode()).isEqualTo(1001);
      assertThat(context.getBean(WalSenders.class).views()).isEmpty();
      assertThat(slots.find("s").confirmedFlushLsn()).isEqualTo(0x300);
      slotIsFree();
    }
  }

  @Test
  @DisplayName("S44: nor does a peer with a full receive buffer")
  void stopWithoutReading() throws Exception {
    String row = "x".repeat(8000);
    decodes(
        it ->
            it.commit(
                0x900000,
                () -> {
                  for (int i = 0; i < 200_000; i++) {
                    it.message(0x310 + i, row);
                  }
                }));
    context.getBean(Settings.class).set("wal_sender_shutdown_timeout", "500ms");
    try (ReplicationPeer peer = ReplicationPeer.connectWithoutReading(port, "dbname=testdb")) {
      peer.sendText("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')");
      peer.sendText("START_REPLICATION SLOT s LOGICAL 0/0");
      Awaitility.await().until(() -> slots.find("s") != null && slots.find("s").activePid() != 0);
      context.getBean(WalSenders.class).stop();
      assertThat(context.getBean(WalSenders.class).views()).isEmpty();
      slotIsFree();
    }
  }

  private void slotIsFree() {
    Awaitility.await().until(() -> slots.find("s").activePid() == 0);
  }
}
