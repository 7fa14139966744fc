package dev.millrace.publisher.wal;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * Sizes and times of a log.
 *
 * @param segmentSize bytes per segment file, a power of two from 64 kB to 1 GB; fixed when the log
 *     is made
 * @param bufferSize bytes of the ring between append and write, a power of two
 * @param writerDelayMs the longest time records wait to be written when nobody asks for a flush
 * @param timeline the first eight digits of a segment's name
 */
public record WalOptions(int segmentSize, int bufferSize, long writerDelayMs, int timeline) {

  private static final int MIN_SEGMENT_SIZE = 64 * 1024;
  private static final int MAX_SEGMENT_SIZE = 1 << 30;

  public WalOptions {
    if (Integer.bitCount(segmentSize) != 1
        || segmentSize < MIN_SEGMENT_SIZE
        || segmentSize > MAX_SEGMENT_SIZE) {
      throw new PgException(
              SqlState.INVALID_PARAMETER_VALUE,
              "invalid WAL segment size (" + segmentSize + " bytes)")
          .withDetail("The WAL segment size must be a power of two between 64 kB and 1 GB.");
    }
    if (Integer.bitCount(bufferSize) != 1) {
      throw new IllegalArgumentException("buffer size must be a power of two: " + bufferSize);
    }
  }

  /** 16 MiB segments, an 8 MiB ring, 10 ms. */
  public static WalOptions defaults() {
    return new WalOptions(16 << 20, 8 << 20, 10, 1);
  }

  public WalOptions withSegmentSize(int newSegmentSize) {
    return new WalOptions(newSegmentSize, bufferSize, writerDelayMs, timeline);
  }

  public WalOptions withBufferSize(int newBufferSize) {
    return new WalOptions(segmentSize, newBufferSize, writerDelayMs, timeline);
  }

  public WalOptions withWriterDelayMs(long newWriterDelayMs) {
    return new WalOptions(segmentSize, bufferSize, newWriterDelayMs, timeline);
  }
}
