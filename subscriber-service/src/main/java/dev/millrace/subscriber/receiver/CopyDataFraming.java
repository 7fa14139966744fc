package dev.millrace.subscriber.receiver;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.replication.CopyDataReader;
import dev.millrace.replication.PrimaryKeepalive;

/**
 * Checks on the socket's thread that the CopyData messages of a WebSocket message fill it exactly,
 * so that whoever reads them later need not. One thread.
 */
final class CopyDataFraming {

  /** Byte1('d') and the length before each payload. */
  static final int HEADER_SIZE = 5;

  private final CopyDataReader reader = new CopyDataReader();
  private boolean replyRequested;

  /**
   * @throws PgException 08P01 naming what is wrong
   */
  PublisherConnection.Frame frame(byte[] buffer, int length) {
    replyRequested = false;
    reader.wrap(buffer, 0, length);
    int limit = 0;
    while (reader.next()) {
      if (reader.isCopyDone()) {
        if (reader.next()) {
          throw violation("message after CopyDone in one frame");
        }
        return new PublisherConnection.Frame(buffer, 0, limit, true);
      }
      int at = reader.payloadOffset();
      limit = at + reader.payloadLength();
      if (reader.payloadLength() == PrimaryKeepalive.SIZE && buffer[at] == PrimaryKeepalive.TAG) {
        replyRequested |= buffer[limit - 1] == 1;
      }
    }
    return new PublisherConnection.Frame(buffer, 0, length, false);
  }

  /** Whether a keepalive of the last frame asks for a reply. */
  boolean replyRequested() {
    return replyRequested;
  }

  static PgException violation(String message) {
    return new PgException(SqlState.PROTOCOL_VIOLATION, message);
  }
}
