package dev.millrace.publisher.walsender;

import dev.millrace.replication.CopyDataReader;
import dev.millrace.replication.CopyDataWriter;
import dev.millrace.replication.PrimaryKeepalive;
import dev.millrace.replication.ReplicationFrame;
import dev.millrace.replication.StandbyStatusUpdate;
import dev.millrace.replication.XLogData;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A peer on the replication WebSocket, written with the JDK's client: it does what a test says. */
public final class ReplicationPeer implements WebSocket.Listener, AutoCloseable {

  public static final String SUBPROTOCOL = "millrace.replication.v1";
  private static final long WAIT_SECONDS = 20;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** One CopyData payload; CopyDone has none. */
  public record Copied(byte[] payload) {
    public boolean done() {
      return payload == null;
    }

    public boolean isKeepalive() {
      return payload != null && payload[0] == PrimaryKeepalive.TAG;
    }

    public boolean isData() {
      return payload != null && payload[0] == XLogData.TAG;
    }

    public ReplicationFrame frame() {
      return ReplicationFrame.read(payload, 0, payload.length);
    }

    /** The plugin's message of XLogData. */
    public byte[] message() {
      return Arrays.copyOfRange(payload, XLogData.HEADER_SIZE, payload.length);
    }
  }

  public final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
  public final BlockingQueue<Copied> copied = new LinkedBlockingQueue<>();
  public final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private final StringBuilder text = new StringBuilder();
  private final ByteArrayOutputStream binary = new ByteArrayOutputStream();
  private final boolean reading;
  private WebSocket socket;

  private ReplicationPeer(boolean reading) {
    this.reading = reading;
  }

  /**
   * @param query of the URL, such as {@code dbname=testdb}
   */
  public static ReplicationPeer connect(int port, String query) {
    return connect(port, query, true);
  }

  /** A peer that never reads what it is sent. */
  public static ReplicationPeer connectWithoutReading(int port, String query) {
    return connect(port, query, false);
  }

  private static ReplicationPeer connect(int port, String query, boolean reading) {
    ReplicationPeer peer = new ReplicationPeer(reading);
    peer.socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .subprotocols(SUBPROTOCOL)
            .buildAsync(URI.create("ws://127.0.0.1:" + port + "/replication?" + query), peer)
            .join();
    return peer;
  }

  @Override
  public void onOpen(WebSocket webSocket) {
    if (reading) {
      webSocket.request(1);
    }
  }

  /** For a peer that does not read by itself: takes one more part. */
  public void readOnePart() {
    socket.request(1);
  }

  @Override
  public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      answers.add(JSON.readTree(text.toString()));
      text.setLength(0);
    }
    more(webSocket);
    return null;
  }

  @Override
  public CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
    byte[] part = new byte[data.remaining()];
    data.get(part);
    binary.writeBytes(part);
    if (last) {
      byte[] frame = binary.toByteArray();
      CopyDataReader reader = new CopyDataReader().wrap(frame, 0, frame.length);
      while (reader.next()) {
        copied.add(
            new Copied(
                reader.isCopyDone()
                    ? null
                    : Arrays.copyOfRange(
                        frame,
                        reader.payloadOffset(),
                        reader.payloadOffset() + reader.payloadLength())));
      }
      binary.reset();
    }
    more(webSocket);
    return null;
  }

  private void more(WebSocket webSocket) {
    if (reading) {
      webSocket.request(1);
    }
  }

  @Override
  public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
    closed.complete(statusCode);
    return null;
  }

  @Override
  public void onError(WebSocket webSocket, Throwable error) {
    closed.complete(1006);
  }

  public void sendText(String command) {
    socket.sendText(command, true).join();
  }

  public void sendTextPart(String part, boolean last) {
    socket.sendText(part, last).join();
  }

  public void sendBinary(byte[] bytes) {
    socket.sendBinary(ByteBuffer.wrap(bytes), true).join();
  }

  public void sendBinaryPart(byte[] bytes, boolean last) {
    socket.sendBinary(ByteBuffer.wrap(bytes), last).join();
  }

  public void report(long writeLsn, long flushLsn, boolean replyRequested) {
    CopyDataWriter writer = new CopyDataWriter();
    writer.add(new StandbyStatusUpdate(writeLsn, flushLsn, flushLsn, 0, replyRequested));
    sendBinary(writer.take());
  }

  public void sendCopyDone() {
    CopyDataWriter writer = new CopyDataWriter();
    writer.addCopyDone();
    sendBinary(writer.take());
  }

  /** Sends a command and waits for its answer. */
  public JsonNode run(String command) throws InterruptedException {
    sendText(command);
    return answer();
  }

  public JsonNode answer() throws InterruptedException {
    JsonNode answer = answers.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer; closed: " + closed.getNow(null));
    }
    return answer;
  }

  /** The error's SQLSTATE, or null when the command was answered without one. */
  public String errorOf(String command) throws InterruptedException {
    JsonNode error = run(command).get("error");
    return error == null ? null : error.get("sqlstate").asString();
  }

  public Copied nextCopied() throws InterruptedException {
    Copied next = copied.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError(
          "nothing copied; answers " + answers + ", closed " + closed.getNow(null));
    }
    return next;
  }

  /** The next message of the plugin, keepalives skipped. */
  public Copied nextData() throws InterruptedException {
    Copied next = nextCopied();
    while (next.isKeepalive()) {
      next = nextCopied();
    }
    return next;
  }

  public int closeCode() throws Exception {
    return closed.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    socket.abort();
  }

  /** The type letters of the next messages. */
  public String letters(int count) throws InterruptedException {
    StringBuilder letters = new StringBuilder();
    for (int i = 0; i < count; i++) {
      letters.append((char) nextData().message()[0]);
    }
    return letters.toString();
  }
}
