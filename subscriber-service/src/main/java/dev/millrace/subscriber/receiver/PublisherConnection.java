package dev.millrace.subscriber.receiver;

import dev.millrace.model.Notice;
import java.util.List;

/** A replication connection to a publisher: one walsender session. One thread drives it. */
public interface PublisherConnection extends AutoCloseable {

  /**
   * Runs a replication command or a SELECT and returns its rows (empty for a bare command).
   *
   * @throws dev.millrace.model.PgException the publisher's own error with its SQLSTATE; 08006 when
   *     the connection is lost
   */
  QueryResult execute(String command);

  record QueryResult(List<String> columns, List<List<Object>> rows, String command) {}

  /** NOTICEs and WARNINGs since the last call, in order. */
  List<Notice> takeNotices();

  /**
   * Starts COPY .. TO STDOUT or START_REPLICATION; {@link #receive} then gives its CopyData
   * payloads.
   */
  void startCopy(String command);

  /**
   * The next frame's CopyData messages, or null when the time is over. The queue behind it is
   * bounded in bytes; full, the socket is not read.
   *
   * @throws dev.millrace.model.PgException errors as {@link #execute}; 08P01 for malformed frames
   */
  Frame receive(long timeoutMs) throws InterruptedException;

  /**
   * One WebSocket message: whole CopyData messages from {@code offset} to {@code limit}, checked to
   * fill it exactly; {@code done} after CopyDone.
   */
  record Frame(byte[] buffer, int offset, int limit, boolean done) {}

  /** Sends one CopyData payload (a status update). Safe beside {@link #receive}. */
  void send(byte[] payload);

  /** Ends copying from this side and waits for the publisher's end. */
  void endCopy();

  /**
   * Run on the socket's thread as soon as a keepalive that asks for a reply arrives, however much
   * lies unread before it; so a busy or blocked reader is not taken for dead.
   */
  void onReplyRequested(Runnable action);

  /**
   * Milliseconds since the walsender said anything (answers to pings do not count); 0 while a full
   * queue keeps the socket from being read.
   */
  long silentMs();

  boolean isOpen();

  /**
   * Ends the connection without a word, from any thread: whatever call the driving thread is in
   * fails with 08006. Frames that had arrived are still given out before.
   */
  void abort();

  /** Ends the session; returns when the publisher has let go of it or after a short wait. */
  @Override
  void close();
}
