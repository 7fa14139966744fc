package dev.millrace.publisher.walsender;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.sql.ResultColumn;
import java.util.List;

/**
 * The peer of a replication session as the session sees it, whatever the transport. The session's
 * thread alone speaks; {@link #abort} may come from any thread. A call may block while the peer is
 * slow, and that is the backpressure; it throws {@link PeerGoneException} once the peer has gone.
 */
interface ReplicationClient {

  /** Something the peer should know, before the reply it belongs to. */
  void notice(Notice notice);

  void result(List<ResultColumn> columns, List<List<Object>> rows);

  /** Copying starts, in both directions or from here to the peer. */
  void copyStarted(boolean both);

  /** A command without rows, or a copy, has ended. */
  void commandComplete(String tag);

  void error(PgException error);

  /** One frame of whole CopyData messages. */
  void copyData(byte[] frame, int offset, int length);

  /** Ends the conversation; does nothing when it has ended. */
  void close(Ending ending, String reason);

  /** As {@link #close}, also when a send hangs: the peer is taken for dead. */
  void abort(Ending ending, String reason);

  /** Why a conversation ends; a transport maps it to its own codes. */
  enum Ending {
    /** The session did what was asked and nothing more is expected. */
    NORMAL,
    /** The node stops. */
    SHUTDOWN,
    /** The peer broke the framing: text while copying, an unknown CopyData type, a bad length. */
    PROTOCOL_ERROR,
    /** A message above the limit. */
    TOO_BIG,
    /** The peer was refused or did not answer in time. */
    POLICY
  }

  /** The peer has gone; nobody is left to tell. */
  final class PeerGoneException extends RuntimeException {
    PeerGoneException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
