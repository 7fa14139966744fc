package dev.millrace.publisher.decoding;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Notice;

/**
 * Where a plugin's output goes: a walsender's frames or the rows of a SQL function. One message:
 * {@link #prepare}, bytes written to the returned buffer, {@link #write}.
 */
public interface OutputWriter {

  /**
   * Begins a message.
   *
   * @param lsn the message's LSN as XLogData carries it (0 for R and Y)
   * @param xid the transaction's xid, for the SQL functions
   */
  ByteBuilder prepare(long lsn, int xid);

  /** Ends the message and hands it on; may block while the consumer is slow. */
  void write();

  /**
   * Called now and then during long work that writes nothing, so that keepalives and replies get
   * through.
   */
  void progress(long lsn);

  /** Takes a warning of the plugin; without a consumer for it the server's log gets it. */
  default void notice(Notice notice) {
    System.getLogger(OutputWriter.class.getName())
        .log(System.Logger.Level.WARNING, notice.message());
  }
}
