package dev.millrace.subscriber.receiver;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/** Opens walsender sessions over WebSocket. Safe for any thread. */
public final class WebSocketConnector implements PublisherConnector {

  static final String SUBPROTOCOL = "millrace.replication.v1";
  private static final int DEFAULT_CONNECT_TIMEOUT_SECONDS = 10;

  private final HttpClient client = HttpClient.newBuilder().build();
  private final Supplier<ReceiverLimits> limits;

  /**
   * @param limits asked for each new connection
   */
  public WebSocketConnector(Supplier<ReceiverLimits> limits) {
    this.limits = limits;
  }

  @Override
  public void check(String connection) {
    ConnectionString.parse(connection);
  }

  @Override
  public PublisherConnection connect(String connection, String applicationName) {
    ConnectionString target = ConnectionString.parse(connection);
    ReceiverLimits limit = limits.get();
    FrameQueue queue = new FrameQueue(limit.queueBytes());
    FrameListener listener = new FrameListener(queue, limit.maxMessageBytes());
    WebSocket socket = open(target, applicationName, listener);
    if (!SUBPROTOCOL.equals(socket.getSubprotocol())) {
      socket.abort();
      throw failed(target, "the server does not speak " + SUBPROTOCOL, null);
    }
    return new WebSocketPublisherConnection(queue, listener, () -> limits.get().receiverTimeoutMs())
        .on(socket);
  }

  private WebSocket open(
      ConnectionString target, String applicationName, WebSocket.Listener listener) {
    int timeoutSeconds =
        target.connectTimeoutSeconds() > 0
            ? target.connectTimeoutSeconds()
            : DEFAULT_CONNECT_TIMEOUT_SECONDS;
    WebSocket.Builder builder =
        client
            .newWebSocketBuilder()
            .subprotocols(SUBPROTOCOL)
            .connectTimeout(Duration.ofSeconds(timeoutSeconds));
    if (target.user() != null && target.password() != null) {
      byte[] login = (target.user() + ':' + target.password()).getBytes(StandardCharsets.UTF_8);
      builder.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(login));
    }
    URI endpoint = target.endpoint(applicationName);
    try {
      return builder.buildAsync(endpoint, listener).get(timeoutSeconds, TimeUnit.SECONDS);
    } catch (ExecutionException | CompletionException error) {
      throw refused(target, error.getCause());
    } catch (TimeoutException slow) {
      throw failed(target, "timeout expired", slow);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new PgException(
          SqlState.ADMIN_SHUTDOWN,
          "terminating connection due to administrator command",
          interrupted);
    }
  }

  private static PgException refused(ConnectionString target, Throwable cause) {
    if (cause instanceof WebSocketHandshakeException handshake && handshake.getResponse() != null) {
      return failed(target, HandshakeAnswer.reason(handshake.getResponse()), cause);
    }
    if (cause instanceof ProtocolException) {
      return failed(target, "the server does not speak HTTP", cause);
    }
    if (cause instanceof SSLException) {
      return failed(target, "TLS could not be agreed on: " + cause.getMessage(), cause)
          .withHint("Without TLS, use ws:// or sslmode=disable.");
    }
    if (cause.getCause() instanceof UnresolvedAddressException) {
      return new PgException(
          SqlState.CONNECTION_FAILURE,
          "could not translate host name \""
              + target.host()
              + "\" to address: Name or service not known",
          cause);
    }
    String reason = cause.getMessage();
    return failed(target, reason == null ? "Connection refused" : reason, cause);
  }

  private static PgException failed(ConnectionString target, String reason, Throwable cause) {
    return new PgException(
        SqlState.CONNECTION_FAILURE,
        "connection to server at \""
            + target.host()
            + "\", port "
            + target.port()
            + " failed: "
            + reason,
        cause);
  }
}
