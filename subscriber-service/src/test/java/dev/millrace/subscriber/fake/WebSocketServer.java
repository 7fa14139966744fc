package dev.millrace.subscriber.fake;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Listens on a free port and hands each upgraded connection to a conversation of its own thread.
 */
public final class WebSocketServer implements AutoCloseable {

  /** What the server says on one connection; its end ends the connection. */
  public interface Conversation {
    void run(WebSocketPeer peer) throws Exception;
  }

  private final ServerSocket listener;
  private final Conversation conversation;
  private final List<WebSocketPeer> peers = new CopyOnWriteArrayList<>();
  private volatile String subprotocol = "millrace.replication.v1";
  private volatile int refuseWith;
  private volatile String refusal = "";
  private volatile boolean dead;

  public WebSocketServer(Conversation conversation) throws IOException {
    this(conversation, 0);
  }

  public WebSocketServer(Conversation conversation, int port) throws IOException {
    this.conversation = conversation;
    listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::acceptAll, "fake-publisher");
    thread.setDaemon(true);
    thread.start();
  }

  public int port() {
    return listener.getLocalPort();
  }

  public String connection() {
    return "host=127.0.0.1 port=" + port() + " dbname=testdb";
  }

  public void speak(String otherSubprotocol) {
    subprotocol = otherSubprotocol;
  }

  public void refuseWith(int status, String body) {
    refusal = body;
    refuseWith = status;
  }

  /** While dead, each connection is cut as soon as it is made. */
  public void dead(boolean isDead) throws IOException {
    dead = isDead;
    cutAll();
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        if (dead) {
          socket.close();
          continue;
        }
        Thread thread = new Thread(() -> serve(socket), "fake-walsender");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (WebSocketPeer peer = new WebSocketPeer(socket)) {
      peer.readRequest();
      if (refuseWith != 0) {
        peer.refuse(refuseWith, refusal);
        return;
      }
      peers.add(peer);
      peer.accept(subprotocol);
      conversation.run(peer);
    } catch (Exception ended) {
      // The other side went away, which tests see on their side.
    }
  }

  /** Cuts every connection, as a killed process would. */
  public void cutAll() throws IOException {
    for (WebSocketPeer peer : peers) {
      peer.close();
    }
    peers.clear();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cutAll();
  }
}
