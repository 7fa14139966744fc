package dev.millrace.tools.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A subscriber that throws everything away: starts replication on a slot, counts Insert messages
 * and measures from the first to the last one expected.
 */
final class StreamDrain implements AutoCloseable {

  private static final int XLOG_DATA_HEADER = 25;

  private final WebSocket socket;
  private final AtomicLong inserts = new AtomicLong();
  private final CountDownLatch finished = new CountDownLatch(1);
  private final long expected;
  private volatile long firstNanos;
  private volatile long lastNanos;
  private volatile String failure;

  StreamDrain(int port, String slot, long expectedInserts) {
    this(port, slot, "proto_version '1'", expectedInserts);
  }

  /**
   * @param options of START_REPLICATION besides the publication
   */
  StreamDrain(int port, String slot, String options, long expectedInserts) {
    expected = expectedInserts;
    socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .subprotocols("millrace.replication.v1")
            .buildAsync(
                URI.create(
                    "ws://127.0.0.1:" + port + "/replication?dbname=testdb&application_name=bench"),
                new Listener())
            .join();
    socket
        .sendText(
            "START_REPLICATION SLOT \""
                + slot
                + "\" LOGICAL 0/0 ("
                + options
                + ", publication_names 'bench_pub')",
            true)
        .join();
  }

  /** Rows a second from the first message to the last expected one. */
  double awaitRate(long timeoutSeconds) throws InterruptedException {
    if (!finished.await(timeoutSeconds, TimeUnit.SECONDS) || failure != null) {
      throw new IllegalStateException(
          "received " + inserts.get() + " of " + expected + " rows: " + failure);
    }
    return expected / ((lastNanos - firstNanos) / 1e9);
  }

  @Override
  public void close() {
    socket.abort();
  }

  private final class Listener implements WebSocket.Listener {
    private byte[] message = new byte[128 * 1024];
    private int length;

    @Override
    public CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
      if (firstNanos == 0) {
        firstNanos = System.nanoTime();
      }
      int size = data.remaining();
      if (length + size > message.length) {
        message = java.util.Arrays.copyOf(message, Math.max(message.length * 2, length + size));
      }
      data.get(message, length, size);
      length += size;
      if (last) {
        count();
        length = 0;
      }
      webSocket.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
      String text = data.toString();
      if (text.startsWith("{\"error\"")) {
        failure = text;
        finished.countDown();
      }
      webSocket.request(1);
      return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
      failure = error.toString();
      finished.countDown();
    }

    @Override
    public CompletionStage<?> onClose(WebSocket webSocket, int code, String reason) {
      failure = "closed with " + code + " " + reason;
      finished.countDown();
      return null;
    }

    private void count() {
      ByteBuffer frame = ByteBuffer.wrap(message, 0, length);
      long found = 0;
      int at = 0;
      while (at < length) {
        int size = frame.getInt(at + 1);
        boolean xlogData = message[at + 5] == 'w';
        if (xlogData && message[at + 5 + XLOG_DATA_HEADER] == 'I') {
          found++;
        }
        at += 1 + size;
      }
      if (inserts.addAndGet(found) >= expected && finished.getCount() > 0) {
        lastNanos = System.nanoTime();
        finished.countDown();
      }
    }
  }
}
