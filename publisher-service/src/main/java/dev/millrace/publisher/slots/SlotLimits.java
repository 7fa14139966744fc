package dev.millrace.publisher.slots;

import dev.millrace.model.Lsn;
import dev.millrace.settings.Settings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much log a slot may hold back and how long it may lie idle (C4).
 *
 * <p>Limits count whole segments, as log is removed in whole segments. They are applied at each
 * checkpoint, before log is removed: a slot beyond its limit is invalidated, and whoever holds it
 * then is ended by the walsender's watchdog. Between two checkpoints a slot may be beyond its limit
 * and come back ("unreserved"). Safe for any thread.
 */
public final class SlotLimits {

  private static final Logger LOG = LoggerFactory.getLogger(SlotLimits.class);

  private final Settings settings;
  private final Clock clock;
  private final long segmentSize;

  /**
   * @param segmentSize of the log, in bytes
   */
  public SlotLimits(Settings settings, Clock clock, long segmentSize) {
    this.settings = settings;
    this.clock = clock;
    this.segmentSize = segmentSize;
  }

  /**
   * Invalidates the slots beyond a limit.
   *
   * @param redoLsn log from here on is kept anyway, so it invalidates nobody
   * @param insertLsn the end of the log
   */
  public void apply(ReplicationSlots slots, long redoLsn, long insertLsn) {
    long oldestAllowed = Lsn.min(segmentStart(redoLsn), oldestAllowedLsn(insertLsn));
    for (ReplicationSlot slot : slots.all()) {
      if (slot.invalidationReason() == null && slot.restartLsn() != 0) {
        if (Lsn.isBefore(slot.restartLsn(), oldestAllowed)) {
          long bytes = oldestAllowed - slot.restartLsn();
          invalidate(
              slots,
              slot,
              Invalidation.WAL_REMOVED,
              "its restart_lsn "
                  + Lsn.format(slot.restartLsn())
                  + " exceeds the limit by "
                  + bytes
                  + " bytes");
        } else {
          invalidateIdle(slots, slot);
        }
      }
    }
  }

  private void invalidateIdle(ReplicationSlots slots, ReplicationSlot slot) {
    long timeoutMs = settings.getMillis("idle_replication_slot_timeout");
    Instant since = slot.inactiveSince();
    if (timeoutMs > 0 && since != null) {
      Duration idle = Duration.between(since, clock.instant());
      if (idle.toMillis() >= timeoutMs) {
        invalidate(
            slots,
            slot,
            Invalidation.IDLE_TIMEOUT,
            "it has been idle for " + idle.toSeconds() + " s");
      }
    }
  }

  private static void invalidate(
      ReplicationSlots slots, ReplicationSlot slot, Invalidation cause, String why) {
    long pid = slot.activePid();
    if (slots.invalidate(slot, cause)) {
      LOG.warn(
          "invalidating obsolete replication slot \"{}\"{}: {}. You might need to increase \"{}\".",
          slot.name(),
          pid == 0 ? "" : " and ending its process " + pid,
          why,
          cause.setting());
    }
  }

  /** The oldest log that slots may hold back now; 0 without a limit. */
  private long oldestAllowedLsn(long insertLsn) {
    long limit = settings.getBytes("max_slot_wal_keep_size");
    if (limit < 0) {
      return 0;
    }
    long segments = segments(Math.max(limit, settings.getBytes("wal_keep_size")));
    return segmentsBack(insertLsn, segments);
  }

  private long segments(long bytes) {
    return bytes / segmentSize;
  }

  private long segmentStart(long lsn) {
    return lsn - Long.remainderUnsigned(lsn, segmentSize);
  }

  private long segmentsBack(long lsn, long segments) {
    long back = segments * segmentSize;
    long start = segmentStart(lsn);
    return Lsn.isBefore(start, back) ? 0 : start - back;
  }

  /**
   * pg_replication_slots.wal_status.
   *
   * @param oldestLsn the oldest log that is still there
   * @return null while the slot has no position
   */
  public String walStatus(ReplicationSlot slot, long oldestLsn, long insertLsn) {
    if (slot.invalidationReason() != null) {
      return "lost";
    }
    long restartLsn = slot.restartLsn();
    if (restartLsn == 0) {
      return null;
    }
    if (Lsn.isBefore(restartLsn, oldestLsn)) {
      return "lost";
    }
    if (Lsn.isBefore(restartLsn, oldestAllowedLsn(insertLsn))) {
      return "unreserved";
    }
    long ordinary = segments(settings.getBytes("max_wal_size")) + 1;
    return Lsn.isBefore(restartLsn, segmentsBack(insertLsn, ordinary)) ? "extended" : "reserved";
  }

  /**
   * pg_replication_slots.safe_wal_size: how much log may be written before the slot may be lost;
   * negative when it may be lost now, null without a limit or when it is lost.
   */
  public Long safeWalSize(ReplicationSlot slot, long oldestLsn, long insertLsn) {
    long limit = settings.getBytes("max_slot_wal_keep_size");
    String status = walStatus(slot, oldestLsn, insertLsn);
    if (limit < 0 || status == null || status.equals("lost")) {
      return null;
    }
    long segments = segments(Math.max(limit, settings.getBytes("wal_keep_size"))) + 1;
    return segmentStart(slot.restartLsn()) + segments * segmentSize - insertLsn;
  }
}
