package dev.millrace.publisher.wal;

/**
 * The node's log. Appending assigns positions in call order; flushing is shared by everyone who
 * waits (group commit). Safe for any number of threads.
 *
 * <p>A failed write or force stops the process ({@link #failure()} tells why): whether the bytes
 * are on disk cannot be known any more, and a second force may lie.
 */
public interface WriteAheadLog extends AutoCloseable {

  /**
   * Appends the records of {@code batch}, which may be reused after the call.
   *
   * @return the position after the last record
   * @throws dev.millrace.model.PgException 53100 when there is no room on the disk; nothing was
   *     appended then
   */
  long append(WalBatch batch);

  /**
   * As {@link #append(WalBatch)}, running {@code hook} after the positions are assigned and before
   * any of the records can become flushed, so that memory shared with readers is ready when they
   * meet the records. The hook must be short and must not call the log.
   */
  long append(WalBatch batch, AppendHook hook);

  /** Told the position of the first record and the position after the last. */
  @FunctionalInterface
  interface AppendHook {
    void appended(long startLsn, long endLsn);
  }

  /** Returns when everything before {@code lsn} is on disk. */
  void flush(long lsn);

  /** The position the next record gets. */
  long insertLsn();

  /** Everything before it was handed to the operating system. */
  long writeLsn();

  /** Everything before it is on disk. Nothing beyond it is ever shown to a consumer. */
  long flushLsn();

  /** Waits until {@code flushLsn() > lsn} or the time is over; returns the flush position. */
  long awaitFlushBeyond(long lsn, long timeoutMs) throws InterruptedException;

  /** What readers may know of aborts that lie before them. */
  AbortedTransactions abortedTransactions();

  /** The oldest position that can still be read. */
  long oldestLsn();

  /**
   * A reader that begins at {@code lsn}, which must be the start of a record or the flushed end.
   *
   * @throws dev.millrace.model.PgException 58P01 when the segment has been removed
   */
  WalReader openReader(long lsn);

  /** Removes the segments that lie wholly before {@code lsn}; returns how many. */
  int removeSegmentsBefore(long lsn);

  /** The segment file's name that holds {@code lsn}: 24 hexadecimal digits, as pg_walfile_name. */
  String segmentName(long lsn);

  /** Names of the segment files kept, oldest first. */
  java.util.List<String> segments();

  /**
   * Why appends are refused now: the disk is full (53100) or no segment can be made. Null when
   * there is room, also again; readers go on meanwhile.
   */
  dev.millrace.model.PgException refusal();

  /** Why the log stopped, or null while it works. */
  Throwable failure();

  @Override
  void close();
}
