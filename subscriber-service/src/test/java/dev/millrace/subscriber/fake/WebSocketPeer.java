package dev.millrace.subscriber.fake;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** The server's end of one WebSocket, bare enough to misbehave on purpose. One reading thread. */
public final class WebSocketPeer implements AutoCloseable {

  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private String requestLine;

  /** A whole message; exactly one of the two is set. */
  public record Message(String text, byte[] binary) {}

  WebSocketPeer(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
    out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
  }

  void readRequest() throws IOException {
    requestLine = line();
    for (String header = line(); !header.isEmpty(); header = line()) {
      int colon = header.indexOf(':');
      headers.put(
          header.substring(0, colon).toLowerCase(java.util.Locale.ROOT),
          header.substring(colon + 1).trim());
    }
  }

  private String line() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException();
      }
      if (c != '\r') {
        text.append((char) c);
      }
    }
    return text.toString();
  }

  void accept(String subprotocol) throws IOException {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1")
              .digest(
                  (headers.get("sec-websocket-key") + GUID).getBytes(StandardCharsets.US_ASCII));
      raw(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Accept: "
              + Base64.getEncoder().encodeToString(digest)
              + "\r\n"
              + (subprotocol == null ? "" : "Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
              + "\r\n");
    } catch (java.security.NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  void refuse(int status, String body) throws IOException {
    raw(
        "HTTP/1.1 "
            + status
            + " No\r\nContent-Length: "
            + body.length()
            + "\r\nConnection: close\r\n\r\n"
            + body);
    socket.close();
  }

  private synchronized void raw(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  public String requestLine() {
    return requestLine;
  }

  public String header(String name) {
    return headers.get(name);
  }

  /** The next message, pings answered on the way; EOFException at a close or the socket's end. */
  public Message read() throws IOException {
    byte[] message = new byte[0];
    int opcode = 0;
    while (true) {
      int first = in.readUnsignedByte();
      int second = in.readUnsignedByte();
      long length = second & 0x7F;
      if (length == 126) {
        length = in.readUnsignedShort();
      } else if (length == 127) {
        length = in.readLong();
      }
      byte[] mask = in.readNBytes(4);
      byte[] payload = in.readNBytes((int) length);
      for (int i = 0; i < payload.length; i++) {
        payload[i] ^= mask[i & 3];
      }
      int op = first & 0xF;
      if (op == 8) {
        frame(0x88, payload, 0, payload.length);
        throw new EOFException("closed");
      }
      if (op == 9) {
        frame(0x8A, payload, 0, payload.length);
        continue;
      }
      if (op == 10) {
        continue;
      }
      if (op != 0) {
        opcode = op;
      }
      byte[] joined = java.util.Arrays.copyOf(message, message.length + payload.length);
      System.arraycopy(payload, 0, joined, message.length, payload.length);
      message = joined;
      if ((first & 0x80) != 0) {
        return opcode == 1
            ? new Message(new String(message, StandardCharsets.UTF_8), null)
            : new Message(null, message);
      }
    }
  }

  public void sendText(String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    frame(0x81, utf8, 0, utf8.length);
  }

  public void sendBinary(byte[] bytes) throws IOException {
    frame(0x82, bytes, 0, bytes.length);
  }

  /** One message in fragments of at most that size. */
  public void sendFragmented(byte[] bytes, int size) throws IOException {
    for (int at = 0; at < bytes.length; at += size) {
      int length = Math.min(size, bytes.length - at);
      boolean last = at + length == bytes.length;
      frame((at == 0 ? 2 : 0) | (last ? 0x80 : 0), bytes, at, length);
    }
  }

  public void sendClose(int status, String reason) throws IOException {
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    byte[] payload = new byte[2 + text.length];
    payload[0] = (byte) (status >>> 8);
    payload[1] = (byte) status;
    System.arraycopy(text, 0, payload, 2, text.length);
    frame(0x88, payload, 0, payload.length);
  }

  private synchronized void frame(int first, byte[] payload, int offset, int length)
      throws IOException {
    out.write(first);
    if (length < 126) {
      out.write(length);
    } else if (length < 65536) {
      out.write(126);
      out.write(length >>> 8);
      out.write(length);
    } else {
      out.write(127);
      for (int shift = 56; shift >= 0; shift -= 8) {
        out.write((int) ((long) length >>> shift));
      }
    }
    out.write(payload, offset, length);
    out.flush();
  }

  /** Ends the TCP connection without any good-bye. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
