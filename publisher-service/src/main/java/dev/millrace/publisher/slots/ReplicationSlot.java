package dev.millrace.publisher.slots;

import java.nio.file.Path;
import java.time.Instant;

/**
 * One slot. Positions never move back. The walsender's thread moves it; any thread may read it.
 *
 * <p>restart_lsn belongs to the confirmed position: the decoder notes candidates (restart_lsn,
 * valid from X) as it reads; one is adopted when confirmed_flush_lsn reaches X, and is on disk
 * before it frees anything.
 */
public interface ReplicationSlot {

  String name();

  boolean logical();

  /** Null for a physical slot. */
  String plugin();

  String database();

  boolean temporary();

  /** Whether prepared transactions are decoded at PREPARE. */
  boolean twoPhase();

  /**
   * From where on they are: what was prepared before comes whole at COMMIT PREPARED. 0 without
   * {@link #twoPhase}.
   */
  long twoPhaseAt();

  /** Decodes at PREPARE what is prepared at or after {@code lsn}; on disk when it returns. */
  void enableTwoPhase(long lsn);

  /** Decodes at COMMIT PREPARED again; on disk when it returns. */
  void disableTwoPhase();

  boolean failover();

  /** The pid of the consumer, 0 when inactive. */
  long activePid();

  /** Null while in use. */
  Instant inactiveSince();

  /** 0 until {@link #makeReady}. */
  long restartLsn();

  long confirmedFlushLsn();

  /** The next xid at the time of restart_lsn, shown as catalog_xmin. */
  long catalogXmin();

  /** Null while valid, else the reason of an {@link Invalidation}. */
  String invalidationReason();

  /** Where spill files lie: {@code <data-dir>/pg_replslot/<name>}. */
  Path directory();

  /**
   * Gives a new slot its first positions and saves it. {@code catalogXmin} is the next xid at the
   * consistent point.
   */
  void makeReady(long confirmedFlushLsn, long restartLsn, long catalogXmin);

  /**
   * Notes that once {@code validFrom} is confirmed, decoding may start at {@code restartLsn}.
   * Called by the decoder in log order; a bounded number is kept.
   */
  void noteRestartCandidate(long restartLsn, long validFrom, long catalogXmin);

  /**
   * The consumer holds everything before {@code lsn} safely; adopts candidates. Never moves back.
   */
  void confirm(long lsn);

  /** Writes the state file if it changed. */
  void save();

  /** Statistics of decoding through this slot, surviving restarts. */
  SlotStatistics statistics();
}
