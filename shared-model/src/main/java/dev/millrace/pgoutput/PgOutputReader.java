package dev.millrace.pgoutput;

import dev.millrace.model.ByteCursor;

/**
 * Reads the messages of one stream in order. It remembers whether it stands inside a stream block,
 * because only there messages carry an xid. Strict: see {@link ByteCursor}. One thread.
 */
public final class PgOutputReader {

  private final boolean parallelStreaming;
  private final ByteCursor in = new ByteCursor();
  private boolean inStream;

  /**
   * @param parallelStreaming whether the stream was asked for with streaming = parallel: Stream
   *     Abort has two more fields then
   */
  public PgOutputReader(boolean parallelStreaming) {
    this.parallelStreaming = parallelStreaming;
  }

  /**
   * Reads exactly one message. Tuples of the result refer to {@code buffer}.
   *
   * @throws dev.millrace.model.PgException 08P01 naming message, field, expected and actual
   */
  public PgOutputMessage read(byte[] buffer, int offset, int length) {
    in.wrap("logical replication", buffer, offset, length);
    MessageType type = MessageType.of(in.readByte("type"));
    in.rename(type.title());
    PgOutputMessage message = readBody(type);
    in.expectEnd();
    if (type == MessageType.STREAM_START) {
      inStream = true;
    } else if (type == MessageType.STREAM_STOP) {
      inStream = false;
    }
    return message;
  }

  private PgOutputMessage readBody(MessageType type) {
    switch (type) {
      case INSERT:
        return Insert.read(in, streamXid());
      case UPDATE:
        return Update.read(in, streamXid());
      case DELETE:
        return Delete.read(in, streamXid());
      case BEGIN:
        return Begin.read(in);
      case COMMIT:
        return Commit.read(in);
      case RELATION:
        return Relation.read(in, streamXid());
      case TYPE:
        return Type.read(in, streamXid());
      case TRUNCATE:
        return Truncate.read(in, streamXid());
      case ORIGIN:
        return Origin.read(in);
      case MESSAGE:
        return LogicalMessage.read(in, streamXid());
      case STREAM_START:
        return StreamStart.read(in);
      case STREAM_STOP:
        return new StreamStop();
      case STREAM_COMMIT:
        return StreamCommit.read(in);
      case STREAM_ABORT:
        return StreamAbort.read(in, parallelStreaming);
      case BEGIN_PREPARE:
        return BeginPrepare.read(in);
      case PREPARE:
        return Prepare.read(in);
      case COMMIT_PREPARED:
        return CommitPrepared.read(in);
      case ROLLBACK_PREPARED:
        return RollbackPrepared.read(in);
      case STREAM_PREPARE:
        return StreamPrepare.read(in);
      default:
        throw new AssertionError(type);
    }
  }

  private int streamXid() {
    return inStream ? in.readXid("stream_xid") : 0;
  }
}
