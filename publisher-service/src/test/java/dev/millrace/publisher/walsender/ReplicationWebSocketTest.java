package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The replication WebSocket itself, over decoding of the test's own (R2, T1, T2). */
class ReplicationWebSocketTest {

  @TempDir static Path slotDirectory;
  private static WebSocketFixture fixture;

  @BeforeAll
  static void start() {
    fixture = new WebSocketFixture(slotDirectory);
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  @AfterEach
  void clean() {
    fixture.clean();
  }

  @Test
  @DisplayName("commands are answered in JSON, a bad one with an error, and the session goes on")
  void commands() throws InterruptedException {
    try (ReplicationPeer peer = ReplicationPeer.connect(fixture.port(), "dbname=testdb")) {
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
    try (ReplicationPeer peer = ReplicationPeer.connect(fixture.port(), query)) {
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
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + fixture.port() + "/replication?" + query))
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
    try (ReplicationPeer first = ReplicationPeer.connect(fixture.port(), "dbname=testdb");
        ReplicationPeer second = ReplicationPeer.connect(fixture.port(), "dbname=testdb")) {
      first.run("IDENTIFY_SYSTEM");
      second.run("IDENTIFY_SYSTEM");
      HttpResponse<String> response = handshake("dbname=testdb", ReplicationPeer.SUBPROTOCOL);
      assertThat(response.statusCode()).isEqualTo(429);
      assertThat(response.body()).contains("\"sqlstate\":\"53300\"");
    }
    Awaitility.await().until(() -> fixture.walSenders().views().isEmpty());
    ReplicationPeer.connect(fixture.port(), "dbname=testdb").close();
  }

  @Test
  @DisplayName("a stream's data, keepalive, confirmation and end travel as on PostgreSQL's wire")
  void stream() throws Exception {
    fixture.decodes(it -> it.commit(0x400, 0x310, "B", 0x400, "C").record(0x500));
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
      assertThat(new String(peer.nextCopied().message(), StandardCharsets.UTF_8)).isEqualTo("B");
      assertThat(new String(peer.nextCopied().message(), StandardCharsets.UTF_8)).isEqualTo("C");
      assertThat(peer.nextCopied().isKeepalive()).isTrue();
      peer.report(0x500, 0x500, true);
      assertThat(peer.nextCopied().isKeepalive()).isTrue();
      assertThat(fixture.slots.find("s").confirmedFlushLsn()).isEqualTo(0x500);
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
    fixture.decodes(it -> it.commit(0x400, 0x310, large, 0x400, "C"));
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
      assertThat(peer.nextCopied().message()).hasSize(20_000_000);
      assertThat(peer.nextCopied().message()).hasSize(1);
    }
  }

  @Test
  @DisplayName("R2: a text frame while copying closes with 1002 and releases the slot at once")
  void textWhileCopying() throws Exception {
    fixture.decodes(it -> {});
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
      peer.sendText("IDENTIFY_SYSTEM");
      assertThat(peer.closeCode()).isEqualTo(1002);
      assertThat(fixture.slotHolder()).as("who holds the slot when the code is read").isZero();
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
    fixture.decodes(it -> {});
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
      peer.sendBinary(java.util.HexFormat.of().parseHex(hex));
      assertThat(peer.closeCode()).isEqualTo(1002);
      assertThat(fixture.slotHolder()).as("who holds the slot when the code is read").isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"8182 00000000 C328, 1007", "8102 4142, 1002", "8382 00000000 4142, 1002"})
  @DisplayName("R2: invalid UTF-8 closes with 1007, an unmasked or unknown frame with 1002")
  void badWebSocketFrames(String hex, int code) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", fixture.port())) {
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
    Awaitility.await().until(() -> fixture.walSenders().views().isEmpty());
  }

  @Test
  @DisplayName("R2: a binary frame without a copy gets an error and the session stays")
  void binaryWithoutCopy() throws Exception {
    try (ReplicationPeer peer = ReplicationPeer.connect(fixture.port(), "dbname=testdb")) {
      peer.report(0, 0, false);
      assertThat(peer.answer().get("error").get("sqlstate").asString()).isEqualTo("08P01");
      assertThat(peer.run("IDENTIFY_SYSTEM").has("rows")).isTrue();
    }
  }

  @Test
  @DisplayName("R2: a message above the limit closes with 1009")
  void tooBig() throws Exception {
    fixture.decodes(it -> {});
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
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
      fixture.slotIsFree();
    }
  }

  @Test
  @DisplayName("R2: a command of more than a million characters closes with 1009")
  void commandTooBig() throws Exception {
    try (ReplicationPeer peer = ReplicationPeer.connect(fixture.port(), "dbname=testdb")) {
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
    fixture.decodes(it -> {});
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
      peer.report(0x900, 0x900, false);
      assertThat(peer.answer().get("error").get("sqlstate").asString()).isEqualTo("08P01");
      assertThat(fixture.slots.find("s").confirmedFlushLsn()).isEqualTo(0x300);
      fixture.slotIsFree();
      peer.report(0x300, 0x300, false);
      assertThat(peer.run("IDENTIFY_SYSTEM").has("rows")).isTrue();
    }
  }

  @Test
  @DisplayName("T2: a peer that is silent for wal_sender_timeout is closed with 1008")
  void silentPeer() throws Exception {
    fixture.decodes(it -> {});
    String query = "dbname=testdb&options=-c%20wal_sender_timeout%3D400ms";
    try (ReplicationPeer peer = fixture.streaming(query)) {
      assertThat(peer.closeCode()).isEqualTo(1008);
      fixture.slotIsFree();
    }
  }

  @Test
  @DisplayName("T2: a peer that does not read holds its sender back and, silent, loses its slot")
  void peerThatDoesNotRead() throws Exception {
    AtomicLong sent = new AtomicLong();
    String row = "x".repeat(8000);
    fixture.decodes(
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
    try (ReplicationPeer peer = ReplicationPeer.connectWithoutReading(fixture.port(), query)) {
      peer.sendText("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')");
      peer.sendText("START_REPLICATION SLOT s LOGICAL 0/0");
      Awaitility.await()
          .until(() -> fixture.slots.find("s") != null && fixture.slots.find("s").activePid() != 0);
      fixture.slotIsFree();
      assertThat(sent.get()).isLessThan(200_000);
      Awaitility.await().until(() -> fixture.walSenders().views().isEmpty());
    }
  }

  @Test
  @DisplayName("a peer that goes away without a word frees its slot at once")
  void peerGone() throws Exception {
    fixture.decodes(it -> {});
    ReplicationPeer peer = fixture.streaming("dbname=testdb");
    peer.close();
    fixture.slotIsFree();
  }
}
