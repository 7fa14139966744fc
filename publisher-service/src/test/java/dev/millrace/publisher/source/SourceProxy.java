package dev.millrace.publisher.source;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between a publisher and PostgreSQL servers: leads to one or the other, to none, or behaves
 * as no good server would. What the server sends passes message by message.
 */
final class SourceProxy implements AutoCloseable {

  /** What becomes of a message of the server. */
  @FunctionalInterface
  interface Fate {
    /**
     * Returns what the client gets instead; null when the connection is to say nothing from now on.
     *
     * @param message type byte, length, content
     */
    byte[] of(byte[] message);
  }

  private static final Fate PASS = message -> message;

  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicLong bytesFromClients = new AtomicLong();
  private volatile int targetPort;
  private volatile Fate fate = PASS;

  /**
   * @param targetPort of the server to lead to; 0 = none
   */
  SourceProxy(int targetPort) {
    this.targetPort = targetPort;
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    thread(this::accept);
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "source proxy");
    thread.setDaemon(true);
    thread.start();
  }

  String url(String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres&sslmode=disable&gssEncMode=disable"
        .formatted(listener.getLocalPort(), database);
  }

  /** New connections go to that port; those that are there end. 0 = to none. */
  void leadTo(int port) {
    fate = PASS;
    targetPort = port;
    cut();
  }

  /** From now on, on all connections. */
  void treat(Fate treatment) {
    fate = treatment;
  }

  /** Ends the connections that are there. */
  void cut() {
    sockets.forEach(SourceProxy::close);
    sockets.clear();
  }

  /** How many connections have been made so far. */
  int connections() {
    return connections.get();
  }

  /** What the clients have sent so far. */
  long bytesFromClients() {
    return bytesFromClients.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        int port = targetPort;
        if (port == 0) {
          client.close();
          continue;
        }
        connections.incrementAndGet();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        thread(() -> up(client, server));
        thread(() -> down(server, client));
      } catch (IOException e) {
        // The listener or the server is closed: nothing to lead to.
      }
    }
  }

  private void up(Socket client, Socket server) {
    byte[] buffer = new byte[8192];
    try (client;
        server) {
      InputStream in = client.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        bytesFromClients.addAndGet(read);
        server.getOutputStream().write(buffer, 0, read);
      }
    } catch (IOException e) {
      // One of the two has gone; the other is closed with it.
    }
  }

  private void down(Socket server, Socket client) {
    try {
      DataInputStream in = new DataInputStream(server.getInputStream());
      OutputStream out = client.getOutputStream();
      while (true) {
        int type = in.readByte();
        int length = in.readInt();
        ByteBuffer message = ByteBuffer.allocate(1 + length).put((byte) type).putInt(length);
        in.readFully(message.array(), 5, length - 4);
        byte[] passed = fate.of(message.array());
        if (passed == null) {
          return; // And both ends stay open.
        }
        out.write(passed);
      }
    } catch (IOException e) {
      close(client);
      close(server);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
