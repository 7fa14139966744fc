package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.database.PublisherNode.ConsistentPoint;
import dev.millrace.publisher.database.PublisherNode.PinnedSnapshot;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.ReplicationSlots.SlotRequest;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.settings.Settings;

/**
 * Makes logical slots: reserves the name, finds a consistent point, and has the state on disk
 * before anybody hears of it. Creation does not wait for running transactions: those that commit
 * after the point are decoded whole from restart_lsn on, and the snapshot shows nothing of them.
 *
 * <p>The name is reserved before the point is taken, so that from then on nothing removes log. Safe
 * for any thread.
 */
public final class SlotCreation {

  private final ReplicationSlots slots;
  private final PublisherNode node;
  private final WriteAheadLog log;
  private final LogicalDecoding decoding;
  private final Settings settings;

  public SlotCreation(
      ReplicationSlots slots,
      PublisherNode node,
      WriteAheadLog log,
      LogicalDecoding decoding,
      Settings settings) {
    this.slots = slots;
    this.node = node;
    this.log = log;
    this.decoding = decoding;
    this.settings = settings;
  }

  /**
   * A slot just made; still its creator's.
   *
   * @param snapshot the database at the slot's consistent point, null when not asked for
   */
  public record NewSlot(ReplicationSlot slot, PinnedSnapshot snapshot) {}

  /** What is asked of a new slot; the features are those of CREATE_REPLICATION_SLOT. */
  public record SlotOptions(boolean temporary, boolean twoPhase, boolean failover) {}

  /**
   * @param ownerPid the session that holds the slot until it releases it
   * @param pinSnapshot whether to keep the database as of the consistent point
   * @throws PgException 42602, 42710, 53400 for the name; 58P01 for the plugin; 0A000 for what is
   *     not built; 55000 when wal_level is below logical. Nothing is left behind then
   */
  public NewSlot create(
      String name, String plugin, SlotOptions options, long ownerPid, boolean pinSnapshot) {
    refuseLaterFeatures(options);
    if (!settings.get("wal_level").equals("logical")) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "logical decoding requires \"wal_level\" >= \"logical\"");
    }
    decoding.requirePlugin(plugin);
    ReplicationSlot slot =
        slots.create(
            new SlotRequest(
                name,
                true,
                plugin,
                node.databaseName(),
                options.temporary(),
                options.twoPhase(),
                false),
            ownerPid);
    try {
      return new NewSlot(slot, findConsistentPoint(slot, pinSnapshot));
    } catch (RuntimeException e) {
      slots.drop(name, ownerPid);
      throw e;
    }
  }

  /**
   * Makes a slot that stands where another stands.
   *
   * @param plugin null for the source's
   * @param temporary null for the source's
   * @throws PgException as {@link #create}; 42704 for the source, 0A000 when it is physical, 55000
   *     when it is invalid or of another database
   */
  public ReplicationSlot copy(
      String source, String name, Boolean temporary, String plugin, long ownerPid) {
    ReplicationSlot from = copyable(source);
    String copyPlugin = plugin == null ? from.plugin() : plugin;
    decoding.requirePlugin(copyPlugin);
    boolean ends = temporary == null ? from.temporary() : temporary;
    ReplicationSlot slot =
        slots.create(
            new SlotRequest(name, true, copyPlugin, from.database(), ends, false, false), ownerPid);
    try {
      // From here on no log is removed; what the source holds now is there.
      copyable(source);
      // The source may move meanwhile: an older restart_lsn fits a later position, not the reverse.
      long catalogXmin = from.catalogXmin();
      long restartLsn = from.restartLsn();
      slot.makeReady(from.confirmedFlushLsn(), restartLsn, catalogXmin);
      return slot;
    } catch (RuntimeException e) {
      slots.drop(name, ownerPid);
      throw e;
    }
  }

  private ReplicationSlot copyable(String name) {
    ReplicationSlot slot = slots.find(name);
    if (slot == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "replication slot \"" + name + "\" does not exist");
    }
    if (!slot.logical()) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cannot copy physical replication slot \"" + name + "\" as a logical replication slot");
    }
    if (slot.invalidationReason() != null) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "cannot copy invalidated replication slot \"" + name + "\"");
    }
    if (slot.restartLsn() == 0) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "cannot copy a replication slot that doesn't reserve WAL");
    }
    return slot;
  }

  private PinnedSnapshot findConsistentPoint(ReplicationSlot slot, boolean pinSnapshot) {
    ConsistentPoint point = node.createConsistentPoint(pinSnapshot);
    try {
      // A crash must not leave a slot ahead of the log: the LSNs would be given out again.
      log.flush(point.lsn());
      slot.makeReady(point.lsn(), point.restartLsn(), Integer.toUnsignedLong(point.nextXid()));
    } catch (RuntimeException e) {
      if (point.snapshot() != null) {
        point.snapshot().close();
      }
      throw e;
    }
    return point.snapshot();
  }

  private static void refuseLaterFeatures(SlotOptions options) {
    if (options.failover()) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "failover replication slots are not supported yet");
    }
  }
}
