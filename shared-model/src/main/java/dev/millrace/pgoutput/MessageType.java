package dev.millrace.pgoutput;

import dev.millrace.model.ByteCursor;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/** The messages of the protocol and their first bytes. */
public enum MessageType {
  BEGIN('B', "Begin"),
  COMMIT('C', "Commit"),
  ORIGIN('O', "Origin"),
  MESSAGE('M', "Message"),
  RELATION('R', "Relation"),
  TYPE('Y', "Type"),
  INSERT('I', "Insert"),
  UPDATE('U', "Update"),
  DELETE('D', "Delete"),
  TRUNCATE('T', "Truncate"),
  STREAM_START('S', "Stream Start"),
  STREAM_STOP('E', "Stream Stop"),
  STREAM_COMMIT('c', "Stream Commit"),
  STREAM_ABORT('A', "Stream Abort"),
  BEGIN_PREPARE('b', "Begin Prepare"),
  PREPARE('P', "Prepare"),
  COMMIT_PREPARED('K', "Commit Prepared"),
  ROLLBACK_PREPARED('r', "Rollback Prepared"),
  STREAM_PREPARE('p', "Stream Prepare");

  private static final MessageType[] BY_CODE = new MessageType[128];

  static {
    for (MessageType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final byte code;
  private final String title;

  MessageType(char code, String title) {
    this.code = (byte) code;
    this.title = title;
  }

  public byte code() {
    return code;
  }

  /** The name the protocol's documentation gives it, such as {@code Stream Start}. */
  public String title() {
    return title;
  }

  /**
   * The type of that first byte.
   *
   * @throws PgException 08P01 when there is none
   */
  public static MessageType of(int code) {
    MessageType type = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    if (type == null) {
      throw new PgException(
          SqlState.PROTOCOL_VIOLATION,
          "invalid logical replication message type " + ByteCursor.describe(code));
    }
    return type;
  }
}
