package dev.millrace.subscriber.receiver;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A walsender session over the replication WebSocket.
 *
 * <p>The session is idle, or copying out (a table copy), or copying in both directions (the
 * stream). Commands are sent only while it is idle; each waits for its reply, and a peer that is
 * silent for longer than wal_receiver_timeout, also to WebSocket pings, counts as lost.
 */
final class WebSocketPublisherConnection implements PublisherConnection {

  private static final long CLOSE_WAIT_MS = 3_000;
  private static final long SEND_TIMEOUT_MS = 30_000;

  /**
   * A dead socket shows itself at the second send at the latest: the first may still be taken by a
   * kernel that has not heard of the end. So a loss is noticed within four of these.
   */
  private static final long PROBE_MS = 250;

  private enum CopyMode {
    NONE,
    OUT,
    BOTH
  }

  private final FrameQueue queue;
  private final FrameListener listener;
  private final LongSupplier receiverTimeoutMs;
  private final ReentrantLock sending = new ReentrantLock();
  private final List<Notice> notices = new ArrayList<>();
  private WebSocket socket;
  private CopyMode mode = CopyMode.NONE;
  private boolean doneSent;
  private long lastProbeNanos = System.nanoTime();
  private volatile boolean closed;

  /**
   * @param receiverTimeoutMs wal_receiver_timeout, 0 = none
   */
  WebSocketPublisherConnection(
      FrameQueue queue, FrameListener listener, LongSupplier receiverTimeoutMs) {
    this.queue = queue;
    this.listener = listener;
    this.receiverTimeoutMs = receiverTimeoutMs;
  }

  /** Binds the opened socket; before it nothing else may be called. */
  WebSocketPublisherConnection on(WebSocket opened) {
    socket = opened;
    return this;
  }

  @Override
  public QueryResult execute(String command) {
    requireIdle(command);
    sendText(command);
    CommandReply reply = awaitReply();
    if (reply instanceof CommandReply.Rows rows) {
      return rows.result();
    }
    CommandReply.Command done = (CommandReply.Command) reply;
    if (done.mode() != null) {
      mode = "both".equals(done.mode()) ? CopyMode.BOTH : CopyMode.OUT;
      throw CopyDataFraming.violation("unexpected copy in answer to a command");
    }
    return new QueryResult(List.of(), List.of(), done.tag());
  }

  @Override
  public void startCopy(String command) {
    requireIdle(command);
    sendText(command);
    if (!(awaitReply() instanceof CommandReply.Command start) || start.mode() == null) {
      throw CopyDataFraming.violation("the publisher did not start to copy");
    }
    mode = "both".equals(start.mode()) ? CopyMode.BOTH : CopyMode.OUT;
    doneSent = false;
  }

  private void requireIdle(String command) {
    if (mode != CopyMode.NONE) {
      throw new IllegalStateException("command while copying: " + command);
    }
  }

  @Override
  public Frame receive(long timeoutMs) throws InterruptedException {
    FrameQueue.Event event = poll(timeoutMs);
    if (event == null) {
      return null;
    }
    if (event instanceof FrameQueue.Binary binary) {
      if (mode == CopyMode.NONE) {
        throw CopyDataFraming.violation("binary frame while not copying");
      }
      if (binary.frame().done()) {
        finishCopy();
      }
      return binary.frame();
    }
    CommandReply reply = CommandReply.parse(((FrameQueue.Text) event).text());
    if (reply instanceof CommandReply.Noticed noticed) {
      notices.add(noticed.notice());
      return new Frame(new byte[0], 0, 0, false);
    }
    mode = CopyMode.NONE;
    if (reply instanceof CommandReply.Failed failed) {
      throw failed.error();
    }
    throw CopyDataFraming.violation("command reply without CopyDone before it");
  }

  /** After the publisher's CopyDone: answer it where the copy went both ways, take the reply. */
  private void finishCopy() {
    if (mode == CopyMode.BOTH && !doneSent) {
      sendCopyDone();
    }
    mode = CopyMode.NONE;
    awaitReply();
  }

  @Override
  public void endCopy() {
    if (mode == CopyMode.NONE) {
      return;
    }
    try {
      if (mode == CopyMode.BOTH && !doneSent) {
        sendCopyDone();
      }
      while (mode != CopyMode.NONE) {
        if (receive(PROBE_MS) == null) {
          requireSigns();
        }
      }
    } catch (InterruptedException interrupted) {
      throw interrupted(interrupted);
    }
  }

  private void sendCopyDone() {
    doneSent = true;
    sendBinary(new byte[] {'c', 0, 0, 0, 4});
  }

  @Override
  public void send(byte[] payload) {
    byte[] message = new byte[CopyDataFraming.HEADER_SIZE + payload.length];
    message[0] = 'd';
    ByteBuffer.wrap(message).putInt(1, payload.length + 4);
    System.arraycopy(payload, 0, message, CopyDataFraming.HEADER_SIZE, payload.length);
    sendBinary(message);
  }

  /** Waits for the reply of a command, keeping notices and proving the peer alive by pings. */
  private CommandReply awaitReply() {
    try {
      while (true) {
        FrameQueue.Event event = poll(PROBE_MS);
        if (event == null) {
          requireSigns();
          continue;
        }
        if (!(event instanceof FrameQueue.Text text)) {
          throw CopyDataFraming.violation("binary frame in place of a command's reply");
        }
        CommandReply reply = CommandReply.parse(text.text());
        if (reply instanceof CommandReply.Failed failed) {
          throw failed.error();
        }
        if (!(reply instanceof CommandReply.Noticed noticed)) {
          return reply;
        }
        notices.add(noticed.notice());
      }
    } catch (InterruptedException interrupted) {
      throw interrupted(interrupted);
    }
  }

  private FrameQueue.Event poll(long timeoutMs) throws InterruptedException {
    long leftMs = timeoutMs;
    while (true) {
      FrameQueue.Event event = queue.poll(Math.min(leftMs, PROBE_MS), this::readOn);
      if (event instanceof FrameQueue.Ended ended) {
        throw ended.reason();
      }
      if (event != null) {
        return event;
      }
      probe();
      leftMs -= PROBE_MS;
      if (leftMs <= 0) {
        return null;
      }
    }
  }

  private void readOn() {
    listener.reopened();
    socket.request(1);
  }

  /**
   * Pings a publisher that has been silent for a while. The HTTP client does not always tell its
   * listener when the peer has closed or reset the connection; a send into it fails in any case.
   */
  private void probe() {
    long now = System.nanoTime();
    boolean silent = listener.deadMs() >= PROBE_MS;
    if (silent && now - lastProbeNanos >= PROBE_MS * 1_000_000) {
      lastProbeNanos = now;
      deliver(() -> socket.sendPing(ByteBuffer.allocate(0)));
    }
  }

  private void sendText(String text) {
    deliver(() -> socket.sendText(text, true));
  }

  private void sendBinary(byte[] message) {
    deliver(() -> socket.sendBinary(ByteBuffer.wrap(message), true));
  }

  private interface Sending {
    CompletableFuture<WebSocket> start();
  }

  /** One send at a time, as the WebSocket demands. */
  private void deliver(Sending send) {
    sending.lock();
    try {
      if (closed) {
        throw new PgException(SqlState.CONNECTION_FAILURE, "the connection is closed");
      }
      send.start().get(SEND_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      throw lost(String.valueOf(failed.getCause().getMessage()), failed.getCause());
    } catch (TimeoutException stuck) {
      throw lost("time-out", stuck);
    } catch (InterruptedException interrupted) {
      throw interrupted(interrupted);
    } finally {
      sending.unlock();
    }
  }

  /** A socket that does not take what is sent is dead for its reader too. */
  private PgException lost(String why, Throwable cause) {
    PgException failure =
        new PgException(
            SqlState.CONNECTION_FAILURE, "could not send to the publisher: " + why, cause);
    listener.end(failure);
    return failure;
  }

  private void requireSigns() {
    long timeoutMs = receiverTimeoutMs.getAsLong();
    if (timeoutMs > 0 && listener.deadMs() >= timeoutMs) {
      throw timedOut();
    }
  }

  private static PgException timedOut() {
    return new PgException(
        SqlState.CONNECTION_FAILURE, "the publisher does not answer (wal_receiver_timeout)");
  }

  private static PgException interrupted(InterruptedException interrupted) {
    Thread.currentThread().interrupt();
    return new PgException(
        SqlState.ADMIN_SHUTDOWN,
        "terminating connection due to administrator command",
        interrupted);
  }

  @Override
  public List<Notice> takeNotices() {
    if (notices.isEmpty()) {
      return List.of();
    }
    List<Notice> taken = List.copyOf(notices);
    notices.clear();
    return taken;
  }

  @Override
  public void onReplyRequested(Runnable action) {
    listener.onReplyRequested(action);
  }

  @Override
  public long silentMs() {
    return listener.silentMs();
  }

  @Override
  public boolean isOpen() {
    return !closed && listener.ended().getCount() > 0;
  }

  @Override
  public void abort() {
    socket.abort();
    listener.end(new PgException(SqlState.CONNECTION_FAILURE, "the connection was aborted"));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    // The wait below must work for a worker that is being interrupted too.
    boolean interrupted = Thread.interrupted();
    try {
      sending.lock();
      try {
        closed = true;
      } finally {
        sending.unlock();
      }
      if (listener.ended().getCount() > 0) {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS);
        drainUntilClosed();
      }
    } catch (InterruptedException again) {
      interrupted = true;
    } catch (ExecutionException | TimeoutException deadSocket) {
      // Nobody is there to say good-bye to.
    } finally {
      socket.abort();
      listener.end(new PgException(SqlState.CONNECTION_FAILURE, "the connection is closed"));
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The peer's close frame comes after what it had sent before: read on until it is there. */
  private void drainUntilClosed() throws InterruptedException {
    long deadline = System.nanoTime() + CLOSE_WAIT_MS * 1_000_000;
    while (listener.ended().getCount() > 0 && System.nanoTime() < deadline) {
      queue.poll(20, () -> socket.request(1));
    }
  }
}
