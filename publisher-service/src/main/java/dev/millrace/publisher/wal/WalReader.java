package dev.millrace.publisher.wal;

/**
 * Reads records in log order, never past the flushed position. One thread; a flyweight: the
 * accessors speak of the current record, whose bytes stay valid until the next {@link #next}.
 */
public interface WalReader extends AutoCloseable {

  /**
   * Moves to the next record.
   *
   * @return false when the flushed end is reached; a later call may succeed
   * @throws dev.millrace.model.PgException XX001 naming the LSN when a record is damaged
   */
  boolean next();

  /** Position of the current record. */
  long lsn();

  /** Position after the current record. */
  long endLsn();

  /** Where the next record will be read: the end of the current one, or the start position. */
  long position();

  WalRecordType type();

  int flags();

  int xid();

  int topXid();

  int databaseOid();

  int originId();

  /**
   * The array that holds the record; the body lies at {@link #bodyOffset} with {@link #bodyLength}.
   */
  byte[] buffer();

  int bodyOffset();

  int bodyLength();

  @Override
  void close();
}
