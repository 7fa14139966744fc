package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.publisher.walsender.InboundCopyData.FramingException;
import dev.millrace.publisher.walsender.ReplicationClient.Ending;
import dev.millrace.publisher.walsender.ReplicationSession.Copying;
import dev.millrace.replication.StandbyStatusUpdate;
import dev.millrace.settings.Settings;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.web.socket.BinaryMessage;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.AbstractWebSocketHandler;

/**
 * The replication WebSocket: joins the parts of text frames, reads binary frames as they come, and
 * closes with the code that says what was wrong.
 */
final class ReplicationEndpoint extends AbstractWebSocketHandler {

  private static final int MAX_COMMAND_CHARS = 1024 * 1024;

  private final WalSenders walSenders;
  private final Settings settings;
  private final Map<String, Connection> connections = new ConcurrentHashMap<>();

  ReplicationEndpoint(WalSenders walSenders, Settings settings) {
    this.walSenders = walSenders;
    this.settings = settings;
  }

  @Override
  public void afterConnectionEstablished(WebSocketSession socket) {
    WebSocketClient client = new WebSocketClient(socket);
    HandshakeParameters parameters = HandshakeParameters.of(socket.getAttributes());
    InetSocketAddress remote = socket.getRemoteAddress();
    PeerIdentity peer =
        new PeerIdentity(
            parameters.applicationName(),
            remote == null ? null : remote.getAddress().getHostAddress(),
            remote == null ? -1 : remote.getPort());
    try {
      SessionThread session = walSenders.open(peer, client, parameters.sessionSettings(settings));
      connections.put(socket.getId(), new Connection(client, session));
    } catch (PgException e) {
      client.error(e);
      client.close(Ending.POLICY, e.getMessage());
    }
  }

  @Override
  protected void handleTextMessage(WebSocketSession socket, TextMessage message) {
    Connection connection = connections.get(socket.getId());
    if (connection != null) {
      connection.text(message.getPayload(), message.isLast());
    }
  }

  @Override
  protected void handleBinaryMessage(WebSocketSession socket, BinaryMessage message) {
    Connection connection = connections.get(socket.getId());
    if (connection != null) {
      connection.binary(message.getPayload(), message.isLast());
    }
  }

  @Override
  public void afterConnectionClosed(WebSocketSession socket, CloseStatus status) {
    Connection connection = connections.remove(socket.getId());
    if (connection != null) {
      connection.session.close();
    }
  }

  @Override
  public boolean supportsPartialMessages() {
    return true;
  }

  /** One peer; used by the transport's thread of that connection. */
  private final class Connection implements InboundCopyData.Receiver {
    private final WebSocketClient client;
    private final SessionThread session;
    private final InboundCopyData copyData = new InboundCopyData(this);
    private final StringBuilder command = new StringBuilder();
    private long messageBytes;
    private boolean copied;
    private boolean refused;
    private boolean ended;

    Connection(WebSocketClient client, SessionThread session) {
      this.client = client;
      this.session = session;
    }

    void text(String part, boolean last) {
      if (ended) {
        return;
      }
      if (session.session().copying() != Copying.NONE) {
        end(Ending.PROTOCOL_ERROR, "text frame while copying");
        return;
      }
      if (command.length() + part.length() > MAX_COMMAND_CHARS) {
        end(Ending.TOO_BIG, "command longer than " + MAX_COMMAND_CHARS + " characters");
        return;
      }
      command.append(part);
      if (last) {
        String text = command.toString();
        command.setLength(0);
        copied = false;
        session.command(text);
      }
    }

    void binary(ByteBuffer part, boolean last) {
      if (ended) {
        return;
      }
      messageBytes += part.remaining();
      if (messageBytes > settings.getBytes("replication_max_message_size")) {
        end(Ending.TOO_BIG, "message larger than replication_max_message_size");
        return;
      }
      Copying copying = session.session().copying();
      if (copying == Copying.NONE && !copied) {
        refused = true;
      } else {
        copied = true;
        read(part, last, copying);
      }
      if (last) {
        if (refused) {
          session.refuse("binary frame while not copying");
        }
        messageBytes = 0;
        refused = false;
      }
    }

    /** After a copy its peer may still have sent status updates: they are read and forgotten. */
    private void read(ByteBuffer part, boolean last, Copying copying) {
      if (copying == Copying.OUT) {
        end(Ending.PROTOCOL_ERROR, "binary frame while a table is copied out");
        return;
      }
      try {
        copyData.part(part);
        if (last) {
          copyData.endOfMessage();
        }
      } catch (FramingException e) {
        end(Ending.PROTOCOL_ERROR, e.getMessage());
      }
    }

    private void end(Ending ending, String reason) {
      ended = true;
      session.abort(ending, reason);
    }

    @Override
    public void statusUpdate(StandbyStatusUpdate update) {
      session.session().statusUpdate(update);
    }

    @Override
    public void copyDone() {
      session.session().copyDone();
    }
  }
}
