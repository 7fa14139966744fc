package dev.millrace.subscriber.receiver;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/**
 * The socket's side of a connection: joins the parts of a message, checks it, queues it, and asks
 * the socket for more as long as the queue has room. Called by the WebSocket's threads, one call at
 * a time.
 */
final class FrameListener implements WebSocket.Listener {

  private static final int FIRST_BUFFER_BYTES = 64 * 1024;
  static final int PROTOCOL_ERROR = 1002;
  static final int MESSAGE_TOO_BIG = 1009;

  private final FrameQueue queue;
  private final long maxMessageBytes;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CopyDataFraming framing = new CopyDataFraming();
  private final StringBuilder text = new StringBuilder();
  private byte[] message;
  private int messageSize;
  private volatile long lastReceiptNanos = System.nanoTime();
  private volatile long lastSignNanos = System.nanoTime();
  private volatile Runnable replyRequested = () -> {};

  FrameListener(FrameQueue queue, long maxMessageBytes) {
    this.queue = queue;
    this.maxMessageBytes = maxMessageBytes;
  }

  @Override
  public void onOpen(WebSocket socket) {
    socket.request(1);
  }

  @Override
  public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
    received();
    if (text.length() + data.length() > maxMessageBytes) {
      fail(socket, MESSAGE_TOO_BIG, tooBig());
      return null;
    }
    text.append(data);
    boolean more = true;
    if (last) {
      more = queue.add(new FrameQueue.Text(text.toString()));
      text.setLength(0);
    }
    if (more) {
      socket.request(1);
    }
    return null;
  }

  @Override
  public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
    received();
    if ((long) messageSize + data.remaining() > maxMessageBytes) {
      fail(socket, MESSAGE_TOO_BIG, tooBig());
      return null;
    }
    append(data, last);
    boolean more = true;
    if (last) {
      try {
        PublisherConnection.Frame frame = framing.frame(message, messageSize);
        more = queue.add(new FrameQueue.Binary(frame, message.length));
        if (framing.replyRequested()) {
          replyRequested.run();
        }
      } catch (PgException malformed) {
        fail(socket, PROTOCOL_ERROR, malformed);
        return null;
      }
      message = null;
      messageSize = 0;
    }
    if (more) {
      socket.request(1);
    }
    return null;
  }

  private void append(ByteBuffer data, boolean last) {
    int needed = messageSize + data.remaining();
    if (message == null) {
      message = new byte[last ? needed : Math.max(FIRST_BUFFER_BYTES, needed)];
    } else if (needed > message.length) {
      message = Arrays.copyOf(message, (int) Math.max(needed, message.length * 2L));
    }
    int length = data.remaining();
    data.get(message, messageSize, length);
    messageSize += length;
  }

  @Override
  public CompletionStage<?> onPing(WebSocket socket, ByteBuffer data) {
    lastSignNanos = System.nanoTime();
    socket.request(1);
    return null;
  }

  @Override
  public CompletionStage<?> onPong(WebSocket socket, ByteBuffer data) {
    lastSignNanos = System.nanoTime();
    socket.request(1);
    return null;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
    end(
        new PgException(
            SqlState.CONNECTION_FAILURE,
            "the publisher closed the connection ("
                + status
                + (reason.isEmpty() ? "" : ": " + reason)
                + ")"));
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable error) {
    String message =
        error instanceof IOException
            ? error.getMessage()
            : PgException.unexpected(error).getMessage();
    end(
        new PgException(
            SqlState.CONNECTION_FAILURE, "lost connection to the publisher: " + message, error));
  }

  private void fail(WebSocket socket, int status, PgException reason) {
    end(reason);
    socket.sendClose(
        status, reason.getMessage().substring(0, Math.min(60, reason.getMessage().length())));
  }

  /** Ends the connection for its reader; whatever arrived before is still given out. */
  void end(RuntimeException reason) {
    queue.add(new FrameQueue.Ended(reason));
    ended.countDown();
  }

  private PgException tooBig() {
    return CopyDataFraming.violation(
            "message of the publisher exceeds replication_max_message_size ("
                + maxMessageBytes
                + " bytes)")
        .withHint("A sixteenth of the heap (-Xmx) is the limit where that is less.");
  }

  private void received() {
    lastReceiptNanos = System.nanoTime();
    lastSignNanos = lastReceiptNanos;
  }

  /** Restarts the clock of silence, for the time in which the socket was not read. */
  void reopened() {
    received();
  }

  /** Milliseconds without a message of the walsender. */
  long silentMs() {
    return queue.isFull() ? 0 : (System.nanoTime() - lastReceiptNanos) / 1_000_000;
  }

  /** Milliseconds without any frame, the answers to pings included. */
  long deadMs() {
    return queue.isFull() ? 0 : (System.nanoTime() - lastSignNanos) / 1_000_000;
  }

  void onReplyRequested(Runnable action) {
    replyRequested = action;
  }

  CountDownLatch ended() {
    return ended;
  }
}
