package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;

/**
 * One message of PostgreSQL's logical replication protocol. In each record the fields stand in wire
 * order, and {@code write} and {@code read} next to each other; times are microseconds since
 * 2000-01-01 UTC.
 *
 * <p>A {@code streamXid} is there only between Stream Start and Stream Stop and is 0 elsewhere.
 */
public sealed interface PgOutputMessage
    permits Begin,
        Commit,
        Origin,
        LogicalMessage,
        Relation,
        Type,
        RowChange,
        Truncate,
        StreamStart,
        StreamStop,
        StreamCommit,
        StreamAbort,
        BeginPrepare,
        Prepare,
        CommitPrepared,
        RollbackPrepared,
        StreamPrepare {

  MessageType type();

  /** Appends the message, its type byte first. */
  void write(ByteBuilder out);

  /** Appends the type byte and, inside a stream block, the xid that made the change. */
  static ByteBuilder begin(ByteBuilder out, MessageType type, int streamXid) {
    out.putByte(type.code());
    return streamXid == 0 ? out : out.putInt(streamXid);
  }
}
