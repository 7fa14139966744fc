package dev.millrace.replication;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/** The fixed part of what one CopyData message carries. Times as in {@link XLogData}. */
public sealed interface ReplicationFrame
    permits XLogData, PrimaryKeepalive, StandbyStatusUpdate, HotStandbyFeedback {

  /** Appends the fields in wire order, tag first. */
  void write(ByteBuilder out);

  /**
   * Reads the payload of one CopyData message. Of {@link XLogData} only the header: the pgoutput
   * message begins {@link XLogData#HEADER_SIZE} bytes after {@code offset}.
   *
   * @throws PgException 08P01 for an unknown tag, a missing field or trailing bytes
   */
  static ReplicationFrame read(byte[] buffer, int offset, int length) {
    ByteCursor in = new ByteCursor().wrap("replication", buffer, offset, length);
    int tag = in.readByte("tag");
    switch (tag) {
      case XLogData.TAG:
        in.rename("XLogData");
        return XLogData.read(in);
      case PrimaryKeepalive.TAG:
        in.rename("primary keepalive");
        return PrimaryKeepalive.read(in);
      case StandbyStatusUpdate.TAG:
        in.rename("standby status update");
        return StandbyStatusUpdate.read(in);
      case HotStandbyFeedback.TAG:
        in.rename("hot standby feedback");
        return HotStandbyFeedback.read(in);
      default:
        throw new PgException(
            SqlState.PROTOCOL_VIOLATION,
            "unexpected replication message type " + ByteCursor.describe(tag));
    }
  }
}
