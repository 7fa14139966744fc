package dev.millrace.publisher.decoding;

import java.util.Map;

/**
 * An output plugin that can also send transactions while they are open, in blocks: PostgreSQL's
 * stream callbacks. A plugin without them gets whole transactions only.
 *
 * <p>Blocks of several transactions alternate and never nest. Aborts come between blocks, for those
 * (sub)transactions only of which something was in a block.
 */
public interface StreamingOutputPlugin extends OutputPlugin {

  /**
   * Whether the consumer wants it; asked once, after {@link #startup(Map, OutputWriter)}. Without
   * it none of the other callbacks is called.
   */
  boolean streams();

  /**
   * A block of the transaction begins.
   *
   * @param transaction known so far: xid, the block's first LSN, origin
   * @param firstSegment nothing of it has been sent before
   */
  void streamStart(DecodedTransaction transaction, boolean firstSegment);

  /**
   * The block ends.
   *
   * @param lastLsn LSN of the block's last change
   */
  void streamStop(DecodedTransaction transaction, long lastLsn);

  /** As {@link #change}, inside a block; {@link DecodedChange#xid} tells whose it is. */
  void streamChange(DecodedTransaction transaction, DecodedChange change);

  /** As {@link #truncate}, inside a block. */
  void streamTruncate(DecodedTransaction transaction, DecodedChange change);

  /** As {@link #message} for a transactional one, inside a block. */
  void streamMessage(DecodedTransaction transaction, DecodedChange change);

  /** What was sent of a transaction or subtransaction is void. */
  void streamAbort(StreamedAbort abort);

  /** All blocks of the transaction have been sent and it has committed. */
  void streamCommit(DecodedTransaction transaction);

  /**
   * The end of something that was streamed.
   *
   * @param xid the top-level transaction
   * @param subxid what aborted: a subtransaction of it, or itself
   * @param abortLsn the position after the abort record
   * @param abortTime microseconds since 2000-01-01 UTC
   */
  record StreamedAbort(int xid, int subxid, long abortLsn, long abortTime) {}
}
