package dev.millrace.subscriber.command;

import dev.millrace.subscriber.catalog.SlotIntent;
import dev.millrace.subscriber.catalog.SlotIntent.Action;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import dev.millrace.subscriber.launcher.Launcher;
import dev.millrace.subscriber.receiver.PublisherConnector;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes what a crash or a lost connection left half done on a publisher.
 *
 * <pre>
 * intent               subscription   table          what is done
 * MAKE subscription    is there       -              nothing: the slot is in use
 * MAKE subscription    is not         -              drop the slot
 * DROP subscription    is there       -              drop the slot, then the subscription
 * DROP subscription    is not         -              drop the slot
 * any, of a table      is there       is there       nothing: its synchronization worker does it
 * any, of a table      otherwise                     drop the slot
 * </pre>
 *
 * <p>It looks at the intents found at the start and at those a failing command hands over, never at
 * those of a running command, and tries again until the publisher answers.
 */
public final class SlotReconciler implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SlotReconciler.class);
  private static final int LOCKS = 64;
  private static final String APPLICATION_NAME = "millrace slot reconciler";

  private final SlotIntents intents;
  private final SubscriptionCatalog catalog;
  private final SubscriptionStore store;
  private final PublisherConnector connector;
  private final Launcher launcher;
  private final LongSupplier retryMs;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];
  private final Set<SlotIntent> open = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "slot reconciler");
            made.setDaemon(true);
            return made;
          });

  SlotReconciler(
      SlotIntents intents,
      SubscriptionCatalog catalog,
      SubscriptionStore store,
      PublisherConnector connector,
      Launcher launcher,
      LongSupplier retryMs) {
    this.intents = intents;
    this.catalog = catalog;
    this.store = store;
    this.connector = connector;
    this.launcher = launcher;
    this.retryMs = retryMs;
    Arrays.setAll(locks, i -> new ReentrantLock());
  }

  /** Takes over the intents that the last run of this service left. */
  void start() {
    open.addAll(intents.open());
    look(0);
  }

  /** Takes over the intent of a command that failed. */
  void takeOver(SlotIntent intent) {
    open.add(intent);
    look(0);
  }

  /** Forgets all intents of a table whose slot is gone for certain. */
  void settleAll(int subscriptionOid, int relationOid) {
    for (SlotIntent intent : intents.open()) {
      if (intent.subscriptionOid() == subscriptionOid && intent.relationOid() == relationOid) {
        intents.settle(intent);
      }
    }
  }

  /** Whether something is still to be done. */
  public boolean isIdle() {
    return open.isEmpty();
  }

  /**
   * Runs a command that makes a slot, after what is still to be cleaned up under that name, and
   * keeps the reconciler off the name meanwhile: it must not drop the slot of a second attempt for
   * the first one's.
   */
  void withSlot(String slotName, Runnable command) {
    ReentrantLock lock = lock(slotName);
    lock.lock();
    try {
      for (SlotIntent intent : List.copyOf(open)) {
        if (intent.slotName().equals(slotName)) {
          reconcile(intent);
          open.remove(intent);
        }
      }
      command.run();
    } finally {
      lock.unlock();
    }
  }

  private ReentrantLock lock(String slotName) {
    return locks[Math.floorMod(slotName.hashCode(), LOCKS)];
  }

  private void look(long delayMs) {
    if (!thread.isShutdown()) {
      thread.schedule(this::reconcileAll, delayMs, TimeUnit.MILLISECONDS);
    }
  }

  private void reconcileAll() {
    for (SlotIntent intent : List.copyOf(open)) {
      if (thread.isShutdown()) {
        return;
      }
      ReentrantLock lock = lock(intent.slotName());
      lock.lock();
      try {
        if (open.contains(intent)) {
          reconcile(intent);
          open.remove(intent);
        }
      } catch (RuntimeException e) {
        // The publisher is out of reach or busy; the intent stays and is tried again.
        log.warn("could not reconcile \"{}\", will try again: {}", intent, e.getMessage());
      } finally {
        lock.unlock();
      }
    }
    if (!open.isEmpty()) {
      look(Math.max(retryMs.getAsLong(), 100));
    }
  }

  private void reconcile(SlotIntent intent) {
    Subscription subscription = catalog.subscription(intent.subscriptionOid());
    if (intent.relationOid() != 0) {
      boolean alive =
          subscription != null
              && catalog.relation(subscription.oid(), intent.relationOid()) != null;
      if (!alive) {
        drop(intent);
      }
    } else if (subscription == null) {
      drop(intent);
    } else if (intent.action() == Action.MAKE) {
      intents.settle(intent);
    } else {
      finishDrop(subscription, intent);
    }
  }

  private void finishDrop(Subscription subscription, SlotIntent intent) {
    log.info("finishing the drop of subscription \"{}\"", subscription.name());
    try (Launcher.Suspension held = launcher.suspend(subscription.oid())) {
      launcher.stopWorkers(subscription.oid());
      for (SlotIntent each : intents.open()) {
        if (each.subscriptionOid() == subscription.oid()) {
          drop(each);
        }
      }
      drop(intent);
      store.drop(subscription.oid());
    }
  }

  private void drop(SlotIntent intent) {
    try (PublisherSession publisher =
        new PublisherSession(connector.connect(intent.connection(), APPLICATION_NAME))) {
      if (publisher.dropSlotIfExists(intent.slotName())) {
        log.info("dropped replication slot \"{}\" on publisher", intent.slotName());
      }
    }
    intents.settle(intent);
  }

  @Override
  public void close() {
    // Not interrupted: an interrupt inside H2 would close its file.
    thread.shutdown();
  }
}
