package dev.millrace.publisher.walsender;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.sql.ResultColumn;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.web.socket.BinaryMessage;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.adapter.NativeWebSocketSession;
import tools.jackson.databind.json.JsonMapper;

/**
 * A peer behind a WebSocket: answers are JSON text frames, CopyData goes into binary messages, a
 * large one in fragments.
 *
 * <p>Sends block as long as the peer does not read; Tomcat's own limit on that is switched off,
 * because a peer that is merely slow is no error. A dead one is found by its silence, and then a
 * send that hangs is interrupted: closing the socket alone would not wake it. The interrupt is kept
 * to the send; anywhere else it could close a file of the log or of H2 under everybody's feet.
 */
final class WebSocketClient implements ReplicationClient {

  private static final int FRAGMENT_BYTES = 64 * 1024;
  private static final int MAX_REASON_LENGTH = 120;
  private static final String BLOCKING_SEND_TIMEOUT =
      "org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final long CLOSE_TIMEOUT_MS = 1000;

  private final WebSocketSession socket;
  private final jakarta.websocket.Session nativeSession;
  private final Object sending = new Object();
  private Thread sender;
  private boolean aborted;

  WebSocketClient(WebSocketSession socket) {
    this.socket = socket;
    this.nativeSession =
        ((NativeWebSocketSession) socket).getNativeSession(jakarta.websocket.Session.class);
    nativeSession.getUserProperties().put(BLOCKING_SEND_TIMEOUT, -1L);
  }

  @Override
  public void notice(Notice notice) {
    sendText(Map.of("notice", fields(notice)));
  }

  private static Map<String, Object> fields(Notice notice) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("severity", notice.severity());
    fields.put("sqlstate", notice.sqlstate());
    fields.put("message", notice.message());
    fields.put("detail", notice.detail());
    fields.put("hint", notice.hint());
    return fields;
  }

  @Override
  public void result(List<ResultColumn> columns, List<List<Object>> rows) {
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put("columns", columns);
    reply.put("rows", rows);
    sendText(reply);
  }

  @Override
  public void copyStarted(boolean both) {
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put("command", "COPY");
    reply.put("mode", both ? "both" : "out");
    sendText(reply);
  }

  @Override
  public void commandComplete(String tag) {
    sendText(Map.of("command", tag));
  }

  @Override
  public void error(PgException error) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("sqlstate", error.sqlState());
    fields.put("message", error.getMessage());
    fields.put("detail", error.detail());
    fields.put("hint", error.hint());
    if (error.context() != null) {
      fields.put("context", error.context());
    }
    if (error.position() > 0) {
      fields.put("position", error.position());
    }
    sendText(Map.of("error", fields));
  }

  private void sendText(Map<String, Object> reply) {
    send(() -> socket.sendMessage(new TextMessage(JSON.writeValueAsString(reply))));
  }

  @Override
  public void copyData(byte[] frame, int offset, int length) {
    send(
        () -> {
          int sent = 0;
          while (sent < length) {
            int part = length - sent <= FRAGMENT_BYTES * 2 ? length - sent : FRAGMENT_BYTES;
            ByteBuffer payload = ByteBuffer.wrap(frame, offset + sent, part);
            sent += part;
            socket.sendMessage(new BinaryMessage(payload, sent == length));
          }
        });
  }

  @FunctionalInterface
  private interface Send {
    void run() throws IOException;
  }

  private void send(Send send) {
    synchronized (sending) {
      if (aborted) {
        throw new PeerGoneException("connection aborted", null);
      }
      sender = Thread.currentThread();
    }
    try {
      send.run();
    } catch (IOException | IllegalStateException e) {
      throw new PeerGoneException("could not send to client: " + e.getMessage(), e);
    } finally {
      synchronized (sending) {
        sender = null;
        Thread.interrupted();
      }
    }
  }

  @Override
  public void close(Ending ending, String reason) {
    try {
      CloseStatus status = status(ending);
      socket.close(reason.isEmpty() ? status : status.withReason(shortened(reason)));
    } catch (IOException e) {
      throw new PeerGoneException("could not close: " + e.getMessage(), e);
    }
  }

  /** The close frame has to pass a send that may hang: it gets a second, then the socket goes. */
  @Override
  public void abort(Ending ending, String reason) {
    nativeSession.getUserProperties().put(BLOCKING_SEND_TIMEOUT, CLOSE_TIMEOUT_MS);
    try {
      close(ending, reason);
    } finally {
      synchronized (sending) {
        aborted = true;
        if (sender != null) {
          sender.interrupt();
        }
      }
    }
  }

  private static CloseStatus status(Ending ending) {
    return switch (ending) {
      case NORMAL -> CloseStatus.NORMAL;
      case SHUTDOWN -> CloseStatus.GOING_AWAY;
      case PROTOCOL_ERROR -> CloseStatus.PROTOCOL_ERROR;
      case TOO_BIG -> CloseStatus.TOO_BIG_TO_PROCESS;
      case POLICY -> CloseStatus.POLICY_VIOLATION;
    };
  }

  /** A close frame has room for 123 bytes of reason. */
  private static String shortened(String reason) {
    return reason.length() <= MAX_REASON_LENGTH ? reason : reason.substring(0, MAX_REASON_LENGTH);
  }
}
