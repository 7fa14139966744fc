package dev.millrace.subscriber.receiver;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.subscriber.fake.WebSocketPeer;
import dev.millrace.subscriber.fake.WebSocketServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebSocketConnectorTest {

  private WebSocketServer server;
  private ReceiverLimits limits = new ReceiverLimits(1 << 20, 1 << 20, 0);

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  private PublisherConnection connect(WebSocketServer.Conversation conversation) throws Exception {
    server = new WebSocketServer(conversation);
    return new WebSocketConnector(() -> limits).connect(server.connection(), "mysub");
  }

  @Test
  @DisplayName("a command's rows, its notices and its error come back as the publisher gave them")
  void commands() throws Exception {
    AtomicReference<String> request = new AtomicReference<>();
    try (PublisherConnection connection =
        connect(
            peer -> {
              request.set(peer.requestLine());
              assertThat(peer.read().text()).isEqualTo("IDENTIFY_SYSTEM");
              peer.sendText(
                  "{\"notice\":{\"severity\":\"WARNING\",\"sqlstate\":\"01000\",\"message\":\"careful\"}}");
              peer.sendText(
                  "{\"columns\":[{\"name\":\"systemid\",\"type\":\"text\"},{\"name\":\"n\",\"type\":\"int8\"}],"
                      + "\"rows\":[[\"7\",5],[null,true]]}");
              peer.read();
              peer.sendText(
                  "{\"error\":{\"sqlstate\":\"42704\",\"message\":\"replication slot \\\"s\\\" does not exist\",\"hint\":\"h\"}}");
              peer.read();
              peer.sendText("{\"command\":\"BEGIN\"}");
              peer.read();
            })) {
      PublisherConnection.QueryResult result = connection.execute("IDENTIFY_SYSTEM");
      assertThat(result.columns()).containsExactly("systemid", "n");
      assertThat(result.rows().get(0)).containsExactly("7", 5L);
      assertThat(result.rows().get(1)).containsExactly(null, true);
      assertThat(connection.takeNotices())
          .singleElement()
          .matches(n -> n.message().equals("careful"));
      assertThat(connection.takeNotices()).isEmpty();
      assertThatThrownBy(() -> connection.execute("DROP_REPLICATION_SLOT \"s\""))
          .isInstanceOfSatisfying(
              PgException.class,
              error -> {
                assertThat(error.sqlState()).isEqualTo("42704");
                assertThat(error.hint()).isEqualTo("h");
              })
          .hasMessage("replication slot \"s\" does not exist");
      assertThat(connection.execute("BEGIN").command()).isEqualTo("BEGIN");
      assertThat(request.get())
          .isEqualTo("GET /replication?application_name=mysub&dbname=testdb HTTP/1.1");
    }
  }

  @Test
  @DisplayName(
      "a copy gives whole frames, joined from fragments, and ends with CopyDone and its reply")
  void copy() throws Exception {
    byte[] large = copyData(new byte[300_000]);
    try (PublisherConnection connection =
        connect(
            peer -> {
              peer.read();
              peer.sendText("{\"command\":\"COPY\",\"mode\":\"out\"}");
              peer.sendFragmented(large, 1000);
              ByteBuilder last = new ByteBuilder(16);
              byte[] row = copyData(new byte[] {1, 2});
              last.putBytes(row, 0, row.length).putByte('c').putInt(4);
              peer.sendBinary(java.util.Arrays.copyOf(last.array(), last.size()));
              peer.sendText("{\"command\":\"COPY 2\"}");
              peer.read();
              peer.sendText("{\"command\":\"COMMIT\"}");
              peer.read();
            })) {
      connection.startCopy("COPY t TO STDOUT");
      PublisherConnection.Frame first = connection.receive(10_000);
      assertThat(first.limit() - first.offset()).isEqualTo(large.length);
      assertThat(first.done()).isFalse();
      PublisherConnection.Frame second = connection.receive(10_000);
      assertThat(second.done()).isTrue();
      assertThat(second.limit() - second.offset()).isEqualTo(7);
      assertThat(connection.execute("COMMIT").command()).isEqualTo("COMMIT");
    }
  }

  @Test
  @DisplayName("a full queue stops the reading of the socket, and an emptied one resumes it")
  void backpressure() throws Exception {
    limits = new ReceiverLimits(256 * 1024, 1 << 20, 0);
    AtomicInteger sent = new AtomicInteger();
    int frames = 2000;
    try (PublisherConnection connection =
        connect(
            peer -> {
              peer.read();
              peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
              byte[] frame = copyData(new byte[32 * 1024]);
              for (int i = 0; i < frames; i++) {
                peer.sendBinary(frame);
                sent.incrementAndGet();
              }
              peer.read();
            })) {
      connection.startCopy("START_REPLICATION");
      AtomicInteger before = new AtomicInteger(-1);
      await().until(() -> sent.get() > 0 && before.getAndSet(sent.get()) == sent.get());
      assertThat(sent.get()).isLessThan(frames);
      assertThat(connection.silentMs()).isZero();
      for (int i = 0; i < frames; i++) {
        assertThat(connection.receive(10_000)).isNotNull();
      }
      assertThat(sent.get()).isEqualTo(frames);
    }
  }

  @Test
  @DisplayName("a keepalive that asks for a reply is heard at once, before what lies unread")
  void keepaliveIsHeard() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch heard = new CountDownLatch(1);
    try (PublisherConnection connection =
        connect(
            peer -> {
              peer.read();
              peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
              go.await();
              peer.sendBinary(copyData(new byte[100]));
              peer.sendBinary(copyData(keepalive(false)));
              peer.sendBinary(copyData(keepalive(true)));
              peer.read();
            })) {
      connection.startCopy("START_REPLICATION");
      connection.onReplyRequested(heard::countDown);
      go.countDown();
      await().until(() -> heard.getCount() == 0);
    }
  }

  @Test
  @DisplayName("ending the stream answers CopyDone with CopyDone and leaves an idle session")
  void endCopy() throws Exception {
    try (PublisherConnection connection =
        connect(
            peer -> {
              peer.read();
              peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
              peer.sendBinary(copyData(new byte[100]));
              assertThat(peer.read().binary()).containsExactly('c', 0, 0, 0, 4);
              peer.sendBinary(new byte[] {'c', 0, 0, 0, 4});
              peer.sendText("{\"command\":\"START_REPLICATION\"}");
              peer.read();
              peer.sendText("{\"command\":\"DROP_REPLICATION_SLOT\"}");
              peer.read();
            })) {
      connection.startCopy("START_REPLICATION");
      connection.endCopy();
      assertThat(connection.execute("DROP_REPLICATION_SLOT \"s\"").command())
          .isEqualTo("DROP_REPLICATION_SLOT");
    }
  }

  @Test
  @DisplayName("frames with lying lengths, unknown types or too many bytes are protocol violations")
  void malformed() throws Exception {
    assertViolation(
        new byte[] {'d', 0x7F, -1, -1, -1, 1},
        "field \"length\" expected 4 to 5 in this frame, got 2147483647");
    assertViolation(new byte[] {'d', 0, 0, 0, 3, 1}, "got 3");
    assertViolation(new byte[] {'d', -1, -1, -1, -1, 1}, "got 4294967295");
    assertViolation(new byte[] {'x', 0, 0, 0, 4}, "unexpected message type 'x' while copying");
    assertViolation(new byte[] {'d', 0}, "field \"length\" expected 4 bytes, got 1 bytes");
    assertViolation(
        new byte[] {'c', 0, 0, 0, 4, 'd', 0, 0, 0, 4}, "message after CopyDone in one frame");
    assertViolation(copyData(new byte[2 << 20]), "exceeds replication_max_message_size");
  }

  private void assertViolation(byte[] frame, String message) throws Exception {
    try (PublisherConnection connection =
        connect(
            peer -> {
              peer.read();
              peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
              peer.sendBinary(frame);
              peer.read();
            })) {
      connection.startCopy("START_REPLICATION");
      assertThatThrownBy(() -> connection.receive(10_000))
          .isInstanceOfSatisfying(
              PgException.class, error -> assertThat(error.sqlState()).isEqualTo("08P01"))
          .hasMessageContaining(message);
    } finally {
      server.close();
    }
  }

  @Test
  @DisplayName("a connection that breaks or is closed is 08006 for every later call")
  void lost() throws Exception {
    try (PublisherConnection connection =
        connect(
            peer -> {
              peer.read();
              peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
              peer.sendBinary(copyData(new byte[10]));
              peer.close();
            })) {
      connection.startCopy("START_REPLICATION");
      assertThat(connection.receive(10_000)).isNotNull();
      assertConnectionFailure(() -> connection.receive(10_000));
      assertConnectionFailure(() -> connection.receive(10_000));
      assertThat(connection.isOpen()).isFalse();
    }
  }

  @Test
  @DisplayName(
      "wherever the publisher dies, the caller hears of it at once, by a probe at the latest")
  void diesAnywhere() throws Exception {
    AtomicInteger number = new AtomicInteger();
    server =
        new WebSocketServer(
            peer -> {
              int n = number.getAndIncrement();
              if (n % 3 > 0) {
                peer.read();
              }
              if (n % 3 > 1) {
                peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
              }
              java.util.concurrent.locks.LockSupport.parkNanos(n * 20_000L);
            });
    WebSocketConnector connector = new WebSocketConnector(() -> limits);
    for (int i = 0; i < 150; i++) {
      long start = System.nanoTime();
      assertConnectionFailure(
          () -> {
            try (PublisherConnection connection = connector.connect(server.connection(), "s")) {
              connection.startCopy("START_REPLICATION");
              connection.endCopy();
            }
          });
      // The HTTP client does not always tell its listener; then the probes find out, one every
      // quarter of a second.
      assertThat((System.nanoTime() - start) / 1_000_000).as("round " + i).isLessThan(2_000);
    }
  }

  @Test
  @DisplayName("a close frame's code and reason reach the error")
  void closedByPublisher() throws Exception {
    try (PublisherConnection connection =
        connect(
            peer -> {
              peer.read();
              peer.sendClose(1001, "shutdown");
              peer.read();
            })) {
      assertThatThrownBy(() -> connection.execute("IDENTIFY_SYSTEM"))
          .hasMessage("the publisher closed the connection (1001: shutdown)");
    }
  }

  @Test
  @DisplayName("a peer silent to a command and to pings counts as lost after wal_receiver_timeout")
  void silentPeer() throws Exception {
    limits = new ReceiverLimits(1 << 20, 1 << 20, 300);
    CountDownLatch never = new CountDownLatch(1);
    try (PublisherConnection connection = connect(peer -> never.await())) {
      assertConnectionFailure(() -> connection.execute("IDENTIFY_SYSTEM"));
    }
  }

  @Test
  @DisplayName("nobody listening, another protocol, no such database: 08006 with the reason")
  void cannotConnect() throws Exception {
    int free;
    try (ServerSocket probe = new ServerSocket(0)) {
      free = probe.getLocalPort();
    }
    WebSocketConnector connector = new WebSocketConnector(() -> limits);
    assertThatThrownBy(() -> connector.connect("host=127.0.0.1 port=" + free, "s"))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("08006"))
        .hasMessageStartingWith(
            "connection to server at \"127.0.0.1\", port " + free + " failed: ");
    assertThatThrownBy(() -> connector.connect("host=no.such.host.invalid", "s"))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("08006"))
        .hasMessage(
            "could not translate host name \"no.such.host.invalid\" to address: Name or service not"
                + " known");
    server = new WebSocketServer(WebSocketPeer::read);
    server.speak(null);
    assertThatThrownBy(() -> connector.connect(server.connection(), "s"))
        .hasMessageContaining("does not speak millrace.replication.v1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "404|{`status`:404,`detail`:`database x does not exist`}|database x does not exist",
        "404|<html>|there is no replication endpoint at this address",
        "401|{`status`:401,`detail`:`no such user`}|authentication failed: no such user",
        "403||authentication failed",
        "400|{`status`:400,`detail`:`bad options`}|bad options (HTTP status 400)",
        "500|{`status`:500,`detail`:`broken`}|broken (HTTP status 500)",
        "500|{`detail`:7}|the server is no Millrace publisher, it answered with HTTP status 500",
        "200|hello|the server is no Millrace publisher, it answered with HTTP status 200",
      })
  @DisplayName("an answer in place of a WebSocket is told by what it says")
  void answers(int status, String body, String reason) throws Exception {
    server = new WebSocketServer(WebSocketPeer::read);
    server.refuseWith(status, body == null ? "" : body.replace('`', '"'));
    WebSocketConnector connector = new WebSocketConnector(() -> limits);
    assertThatThrownBy(() -> connector.connect(server.connection(), "s"))
        .message()
        .matches("connection to server at \".*\", port \\d+ failed: .*")
        .endsWith("failed: " + reason);
  }

  @Test
  @DisplayName("a server of another kind and one without TLS are named as that")
  void otherServers() throws Exception {
    try (ServerSocket other = new ServerSocket(0)) {
      Thread greeter =
          new Thread(
              () -> {
                try {
                  while (true) {
                    try (Socket client = other.accept()) {
                      client.getInputStream().read(new byte[1024]);
                      client.getOutputStream().write("220 mail ready\r\n\r\n".getBytes(US_ASCII));
                    }
                  }
                } catch (IOException closed) {
                  // The test is over.
                }
              });
      greeter.setDaemon(true);
      greeter.start();
      String address = "127.0.0.1:" + other.getLocalPort() + "/replication";
      WebSocketConnector connector = new WebSocketConnector(() -> limits);
      assertThatThrownBy(() -> connector.connect("ws://" + address, "s"))
          .hasMessageEndingWith("failed: the server does not speak HTTP");
      assertThatThrownBy(() -> connector.connect("wss://" + address, "s"))
          .hasMessageContaining("failed: TLS could not be agreed on: ")
          .isInstanceOfSatisfying(
              PgException.class, error -> assertThat(error.hint()).contains("sslmode=disable"));
    }
  }

  private static void assertConnectionFailure(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("08006"));
  }

  private static byte[] keepalive(boolean replyRequested) {
    byte[] payload = new byte[18];
    payload[0] = 'k';
    payload[17] = (byte) (replyRequested ? 1 : 0);
    return payload;
  }

  private static byte[] copyData(byte[] payload) {
    ByteBuilder message = new ByteBuilder(payload.length + 5);
    message.putByte('d').putInt(payload.length + 4).putBytes(payload, 0, payload.length);
    return message.array();
  }
}
