package dev.millrace.publisher.decoding;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/**
 * An output plugin that takes prepared transactions at their PREPARE. Without these callbacks, or
 * on a slot without two_phase, they come at COMMIT PREPARED as ordinary transactions.
 *
 * <p>Of a {@link DecodedTransaction} handed to {@link #beginPrepare}, the changes behind it and
 * {@link #prepare}, final LSN, end LSN and time are those of the PREPARE record; the ends carry
 * those of their own.
 */
public interface TwoPhaseOutputPlugin extends OutputPlugin {

  /** Whether the options ask for two-phase decoding, so that the slot gets it; after startup. */
  default boolean asksForTwoPhase() {
    return false;
  }

  /** Whether that transaction is held back until COMMIT PREPARED. */
  default boolean filterPrepare(int xid, String gid) {
    return false;
  }

  void beginPrepare(DecodedTransaction transaction, String gid);

  void prepare(DecodedTransaction transaction, String gid);

  /** The end of a transaction that was prepared before, perhaps in an earlier session. */
  void commitPrepared(DecodedTransaction transaction, String gid);

  /**
   * The end of a transaction that was prepared before; its consumer may never have seen it.
   *
   * @param prepareEndLsn the position after its PREPARE record
   * @param prepareTime microseconds since 2000-01-01 UTC
   */
  void rollbackPrepared(
      DecodedTransaction transaction, String gid, long prepareEndLsn, long prepareTime);

  /** The PREPARE of a transaction that was streamed; plugins that stream have it. */
  default void streamPrepare(DecodedTransaction transaction, String gid) {
    throw new PgException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "logical streaming at prepare time requires a stream_prepare_cb callback");
  }
}
