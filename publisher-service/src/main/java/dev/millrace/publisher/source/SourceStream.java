package dev.millrace.publisher.source;

import java.nio.ByteBuffer;
import java.sql.SQLException;

/** One replication connection to the source, being read. One thread. */
interface SourceStream extends AutoCloseable {

  /** The next message of the plugin; null when there is none now, after a short wait for one. */
  ByteBuffer read() throws SQLException;

  /** The greatest position the source has named, in a message or in a keepalive. */
  long receivedLsn();

  /** Tells the source that everything before {@code lsn} is on this node's disk. */
  void confirm(long lsn) throws SQLException;

  /** The source's table definitions. */
  SourceTables tables();

  /** Whether Stream Abort carries position and time. */
  boolean parallelStreaming();

  @Override
  void close();
}
