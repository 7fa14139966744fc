package dev.millrace.subscriber.apply;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.pgoutput.MessageType;
import java.util.Locale;

/**
 * What is being applied right now, for the CONTEXT line that PostgreSQL adds to errors and conflict
 * reports. The finish LSN in it is what ALTER SUBSCRIPTION .. SKIP takes. One thread.
 */
final class ErrorContext {

  private final String originName;
  private MessageType messageType;
  private QualifiedName relation;
  private int xid;
  private long finishLsn;

  ErrorContext(String originName) {
    this.originName = originName;
  }

  /** A transaction begins; {@code xid} 0 means none. */
  void transaction(int newXid, long newFinishLsn) {
    xid = newXid;
    finishLsn = newFinishLsn;
  }

  /** A message is looked at; {@code null} between messages. */
  void message(MessageType type) {
    messageType = type;
    relation = null;
  }

  /** A change of that table is being written. */
  void change(MessageType type, QualifiedName table) {
    messageType = type;
    relation = table;
  }

  int xid() {
    return xid;
  }

  long finishLsn() {
    return finishLsn;
  }

  String originName() {
    return originName;
  }

  /** The error with the context line, unless it has one. */
  PgException addTo(PgException error) {
    return error.context() != null || messageType == null
        ? error
        : error.withContext(line(error.column()));
  }

  /** The line itself; {@code column} null where none is known. */
  String line(String column) {
    StringBuilder line = new StringBuilder("processing remote data for replication origin \"");
    line.append(originName).append('"');
    if (messageType != null) {
      line.append(" during message type \"");
      line.append(messageType.title().toUpperCase(Locale.ROOT)).append('"');
    }
    if (relation != null) {
      line.append(" for replication target relation \"").append(relation).append('"');
      if (column != null) {
        line.append(" column \"").append(column).append('"');
      }
    }
    if (xid != 0) {
      line.append(" in transaction ").append(Integer.toUnsignedString(xid));
      if (finishLsn != 0) {
        line.append(", finished at ").append(Lsn.format(finishLsn));
      }
    }
    return line.toString();
  }
}
