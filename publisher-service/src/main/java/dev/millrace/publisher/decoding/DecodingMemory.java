package dev.millrace.publisher.decoding;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The memory that all ReorderBuffers of the node share (decoding_memory_limit, bytes). Safe for any
 * thread.
 *
 * <p>A buffer can only spill its own transactions, so one that holds next to nothing is not asked
 * to: it would write a file per change while another one has the memory. The node therefore stays
 * below the limit plus {@link #leastShare} per walsender.
 */
public final class DecodingMemory {

  private static final long LARGEST_LEAST_SHARE = 1 << 20;

  private final LongSupplier limit;
  private final AtomicLong used = new AtomicLong();

  /**
   * @param limit bytes, read whenever a buffer grows, so that the setting can be changed
   */
  public DecodingMemory(LongSupplier limit) {
    this.limit = limit;
  }

  /** No limit beside each buffer's own. */
  public static DecodingMemory unlimited() {
    return new DecodingMemory(() -> Long.MAX_VALUE);
  }

  void add(long bytes) {
    used.addAndGet(bytes);
  }

  /** Whether a buffer that holds {@code own} bytes has to give some of them up. */
  boolean isPassed(long own) {
    long now = limit.getAsLong();
    return used.get() >= now && own >= leastShare(now);
  }

  private static long leastShare(long limit) {
    return Math.min(LARGEST_LEAST_SHARE, limit / 16);
  }

  /** Bytes held by all buffers together. */
  public long used() {
    return used.get();
  }

  public long limit() {
    return limit.getAsLong();
  }
}
