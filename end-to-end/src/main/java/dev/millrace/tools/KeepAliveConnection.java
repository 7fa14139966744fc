package dev.millrace.tools;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One HTTP/1.1 connection that posts JSON on the calling thread, one call at a time. The JDK's
 * client hands every call through three threads; measuring small calls from the machine that serves
 * them, that would be most of what is measured.
 */
final class KeepAliveConnection implements AutoCloseable {

  private static final int CONNECT_TIMEOUT_MS = 10_000;
  private static final int READ_TIMEOUT_MS = 600_000;
  private static final int BUFFER_BYTES = 16 * 1024;

  private final String host;
  private final int port;
  private Socket socket;
  private InputStream in;

  KeepAliveConnection(String host, int port) {
    this.host = host;
    this.port = port;
  }

  /** An answer's status and its body, empty where there was none. */
  record Response(int status, boolean json, byte[] body) {}

  Response post(String path, byte[] json) throws IOException {
    if (socket == null) {
      open();
    }
    try {
      socket.getOutputStream().write(request(path, json));
      return read();
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private void open() throws IOException {
    socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(READ_TIMEOUT_MS);
    socket.connect(new InetSocketAddress(InetAddress.getByName(host), port), CONNECT_TIMEOUT_MS);
    in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
  }

  /** Head and body in one piece, so that they leave in one segment. */
  private byte[] request(String path, byte[] json) {
    byte[] head =
        ("POST "
                + path
                + " HTTP/1.1\r\nHost: "
                + host
                + ":"
                + port
                + "\r\nContent-Type: application/json\r\nContent-Length: "
                + json.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    byte[] request = new byte[head.length + json.length];
    System.arraycopy(head, 0, request, 0, head.length);
    System.arraycopy(json, 0, request, head.length, json.length);
    return request;
  }

  private Response read() throws IOException {
    int status = Integer.parseInt(line().split(" ", 3)[1]);
    long length = 0;
    boolean chunked = false;
    boolean keep = true;
    boolean json = false;
    for (String header = line(); !header.isEmpty(); header = line()) {
      int colon = header.indexOf(':');
      String value = header.substring(colon + 1).strip();
      switch (header.substring(0, colon).toLowerCase(Locale.ROOT)) {
        case "content-length" -> length = Long.parseLong(value);
        case "transfer-encoding" -> chunked = value.equalsIgnoreCase("chunked");
        case "connection" -> keep = !value.equalsIgnoreCase("close");
        case "content-type" -> json = value.contains("json");
        default -> {}
      }
    }
    byte[] body = chunked ? chunks() : exactly(length);
    if (!keep) {
      close();
    }
    return new Response(status, json, body);
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      String size = line();
      int extension = size.indexOf(';');
      int length = Integer.parseInt(extension < 0 ? size : size.substring(0, extension), 16);
      body.writeBytes(exactly(length));
      line();
      if (length == 0) {
        return body.toByteArray();
      }
    }
  }

  private byte[] exactly(long length) throws IOException {
    byte[] bytes = in.readNBytes(Math.toIntExact(length));
    if (bytes.length < length) {
      throw new EOFException("connection closed after " + bytes.length + " of " + length);
    }
    return bytes;
  }

  /** A line of the head without its CR LF. */
  private String line() throws IOException {
    StringBuilder line = new StringBuilder(64);
    while (true) {
      int value = in.read();
      if (value < 0) {
        throw new EOFException("connection closed in the head of an answer");
      }
      if (value == '\n') {
        return line.toString();
      }
      if (value != '\r') {
        line.append((char) value);
      }
    }
  }

  @Override
  public void close() {
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException e) {
        // Nothing more is read from it or written to it, so nothing is lost.
        in = null;
      }
      socket = null;
    }
  }
}
