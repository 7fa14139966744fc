package dev.millrace.publisher.decoding;

import dev.millrace.model.ByteBuilder;

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
}
