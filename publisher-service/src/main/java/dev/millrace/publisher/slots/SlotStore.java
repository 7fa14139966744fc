package dev.millrace.publisher.slots;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * The slots under {@code <data-dir>/pg_replslot}.
 *
 * <p>One monitor guards who exists and who holds what, and is not held over I/O: a slot being made
 * or dropped keeps its name taken and its owner's pid until its directory is there or gone.
 */
public final class SlotStore implements ReplicationSlots {

  private static final int WAIT_SLICE_MS = 100;

  private final Path root;
  private final IntSupplier maxReplicationSlots;
  private final Clock clock;
  private final TreeMap<String, StoredSlot> slots = new TreeMap<>();

  private SlotStore(Path root, IntSupplier maxReplicationSlots, Clock clock) {
    this.root = root;
    this.maxReplicationSlots = maxReplicationSlots;
    this.clock = clock;
  }

  /**
   * Reads the slots on disk and removes what a crash left: half-made and half-dropped slots, spill
   * files.
   *
   * @param root {@code <data-dir>/pg_replslot}, made when missing
   * @throws PgException 58P01 when a state file is missing, XX001 when it is damaged, 53400 when
   *     there are more slots than allowed
   */
  public static SlotStore open(Path root, IntSupplier maxReplicationSlots, Clock clock) {
    SlotStore store = new SlotStore(root, maxReplicationSlots, clock);
    try {
      Files.createDirectories(root);
      List<Path> entries;
      try (Stream<Path> listed = Files.list(root)) {
        entries = listed.sorted().toList();
      }
      for (Path entry : entries) {
        store.load(entry);
      }
    } catch (IOException e) {
      throw SlotDirectory.failed("read directory", root, e);
    }
    if (store.slots.size() > maxReplicationSlots.getAsInt()) {
      throw new PgException(
              SqlState.CONFIGURATION_LIMIT_EXCEEDED,
              "too many replication slots active before shutdown")
          .withHint("Increase \"max_replication_slots\" and try again.");
    }
    return store;
  }

  private void load(Path entry) throws IOException {
    String name = entry.getFileName().toString();
    if (name.endsWith(SlotDirectory.DROPPED) || name.endsWith(SlotDirectory.MAKING)) {
      SlotDirectory.deleteTree(entry);
      return;
    }
    if (!SlotName.isLegal(name) || !Files.isDirectory(entry)) {
      return;
    }
    SlotDirectory directory = new SlotDirectory(entry);
    SlotState state = directory.read();
    if (state == null) {
      SlotDirectory.deleteTree(entry);
      return;
    }
    directory.removeLeftovers();
    slots.put(name, StoredSlot.restore(state, directory, clock.instant()));
  }

  @Override
  public ReplicationSlot create(SlotRequest request, long ownerPid) {
    SlotName.check(request.name());
    StoredSlot slot = new StoredSlot(request, new SlotDirectory(root.resolve(request.name())));
    synchronized (this) {
      if (slots.containsKey(request.name())) {
        throw new PgException(
            SqlState.DUPLICATE_OBJECT,
            "replication slot \"" + request.name() + "\" already exists");
      }
      if (slots.size() >= maxReplicationSlots.getAsInt()) {
        throw new PgException(
                SqlState.CONFIGURATION_LIMIT_EXCEEDED, "all replication slots are in use")
            .withHint("Free one or increase \"max_replication_slots\".");
      }
      slot.occupy(ownerPid);
      slots.put(request.name(), slot);
    }
    try {
      slot.prepareDirectory();
    } catch (RuntimeException e) {
      forget(slot);
      throw e;
    }
    return slot;
  }

  @Override
  public synchronized ReplicationSlot acquire(String name, long ownerPid, String database) {
    StoredSlot slot = existing(name);
    if (slot.activePid() != 0 && slot.activePid() != ownerPid) {
      throw active(slot);
    }
    if (slot.logical() && database != null && !database.equals(slot.database())) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "replication slot \"" + name + "\" was not created in this database");
    }
    Invalidation.requireNone(slot);
    slot.occupy(ownerPid);
    return slot;
  }

  @Override
  public synchronized void release(ReplicationSlot slot) {
    StoredSlot stored = slots.get(slot.name());
    if (stored != slot || stored.temporary()) {
      return;
    }
    stored.vacate(clock.instant());
    notifyAll();
  }

  @Override
  public boolean invalidate(ReplicationSlot slot, Invalidation cause) {
    synchronized (this) {
      StoredSlot stored = slots.get(slot.name());
      boolean inUse = cause == Invalidation.IDLE_TIMEOUT && slot.activePid() != 0;
      if (stored != slot || inUse || slot.invalidationReason() != null) {
        return false;
      }
      stored.invalidate(cause);
    }
    slot.save();
    return true;
  }

  @Override
  public void drop(String name, long callerPid, BooleanSupplier keepWaiting) {
    StoredSlot slot = takeForDrop(name, callerPid, keepWaiting);
    slot.remove();
    forget(slot);
  }

  private synchronized StoredSlot takeForDrop(
      String name, long callerPid, BooleanSupplier keepWaiting) {
    StoredSlot slot = existing(name);
    while (slot.activePid() != 0 && slot.activePid() != callerPid) {
      if (!keepWaiting.getAsBoolean()) {
        throw active(slot);
      }
      try {
        wait(WAIT_SLICE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new PgException(
            SqlState.QUERY_CANCELED, "canceling statement due to user request", e);
      }
      slot = existing(name);
    }
    slot.occupy(callerPid);
    return slot;
  }

  private synchronized void forget(StoredSlot slot) {
    slots.remove(slot.name(), slot);
    notifyAll();
  }

  @Override
  public void dropTemporarySlotsOf(long ownerPid) {
    for (StoredSlot slot : snapshot()) {
      if (slot.temporary() && slot.activePid() == ownerPid) {
        slot.remove();
        forget(slot);
      }
    }
  }

  private StoredSlot existing(String name) {
    StoredSlot slot = slots.get(name);
    if (slot == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "replication slot \"" + name + "\" does not exist");
    }
    return slot;
  }

  private static PgException active(StoredSlot slot) {
    return new PgException(
        SqlState.OBJECT_IN_USE,
        "replication slot \"" + slot.name() + "\" is active for PID " + slot.activePid());
  }

  @Override
  public synchronized ReplicationSlot find(String name) {
    return slots.get(name);
  }

  @Override
  public List<ReplicationSlot> all() {
    return List.copyOf(snapshot());
  }

  private synchronized List<StoredSlot> snapshot() {
    return new ArrayList<>(slots.values());
  }

  /** A slot that is being made counts with 0: its position is not known yet, so nothing may go. */
  @Override
  public long oldestRestartLsn() {
    long oldest = Long.MAX_VALUE;
    for (StoredSlot slot : snapshot()) {
      if (slot.invalidationReason() == null) {
        oldest = Lsn.min(oldest, slot.diskRestartLsn());
      }
    }
    return oldest;
  }

  /** The catalogue is read from restart_lsn on, so both hold back from the same position. */
  @Override
  public long oldestCatalogLsn() {
    return oldestRestartLsn();
  }

  @Override
  public void saveAll() {
    for (StoredSlot slot : snapshot()) {
      if (slot.ready()) {
        slot.save();
      }
    }
  }
}
