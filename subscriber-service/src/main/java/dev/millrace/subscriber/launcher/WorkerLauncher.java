package dev.millrace.subscriber.launcher;

import dev.millrace.model.PgTime;
import dev.millrace.model.QualifiedName;
import dev.millrace.subscriber.apply.ApplyOrigin;
import dev.millrace.subscriber.apply.ApplyWorker;
import dev.millrace.subscriber.apply.StreamPositions;
import dev.millrace.subscriber.apply.WorkerContext;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.SlotIntent;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionError;
import dev.millrace.subscriber.catalog.SubscriptionStatistics;
import dev.millrace.subscriber.tablesync.TableSyncWorker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The launcher: compares the workers that run with those that the catalogue wants, and starts and
 * stops the difference. It looks at every change it is told of, whenever a worker ends, and once a
 * second.
 *
 * <p>Decisions are made on its own thread; other threads only wake it, hold it off ({@link
 * #suspend}) or ask workers to stop and wait for them. The lock guards the table of workers and is
 * not held while anybody waits for a worker.
 */
final class WorkerLauncher implements Launcher, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WorkerLauncher.class);
  private static final long LOOK_MS = 1_000;
  private static final long POLITE_STOP_MS = 10_000;
  private static final long JOIN_MS = 1_000;

  private final WorkerContext context;
  private final Map<Integer, SubscriptionWorkers> subscriptions = new HashMap<>();
  private final Thread thread = new Thread(this::run, "logical replication launcher");
  private boolean awake = true;
  private boolean closed;
  private boolean outOfWorkers;

  /** How long until the first worker that waits for its interval may start. */
  private long nextStartNanos = Long.MAX_VALUE;

  WorkerLauncher(WorkerContext context) {
    this.context = context;
    thread.setDaemon(true);
    context.catalog().onChange(this::subscriptionChanged);
  }

  void start() {
    thread.start();
  }

  private synchronized void subscriptionChanged(int subscriptionOid) {
    SubscriptionWorkers workers = subscriptions.get(subscriptionOid);
    if (workers != null && workers.apply != null) {
      workers.apply.invalidateStates();
    }
    wake();
  }

  @Override
  public synchronized void wake() {
    awake = true;
    notifyAll();
  }

  private void run() {
    while (awaitWork()) {
      try {
        look();
      } catch (RuntimeException error) {
        if (context.target().hasClosedItself()) {
          reportEnd(error);
          return;
        }
        // The catalogue could not be read; the next look comes in a second.
        log.error("logical replication launcher could not look at the catalogue", error);
      }
    }
  }

  /** Once: nothing can run until the service is started again, and a full disk needs no log. */
  private synchronized void reportEnd(RuntimeException error) {
    if (!closed) {
      log.error(
          "the target database has closed itself; no worker runs until the service is started again",
          error);
    }
  }

  private synchronized boolean awaitWork() {
    try {
      if (!awake && !closed) {
        wait(Math.min(LOOK_MS, nextStartNanos / 1_000_000 + 1));
      }
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
    awake = false;
    return !closed;
  }

  /** One comparison of what runs with what should. */
  private void look() {
    Map<Integer, Subscription> wanted = new HashMap<>();
    Map<Integer, List<SubscribedRelation>> tables = new HashMap<>();
    Set<QualifiedName> subscribed = new HashSet<>();
    for (Subscription subscription : context.catalog().subscriptions()) {
      List<SubscribedRelation> relations = context.catalog().relations(subscription.oid());
      relations.forEach(relation -> subscribed.add(relation.table()));
      if (subscription.enabled()) {
        wanted.put(subscription.oid(), subscription);
        tables.put(subscription.oid(), relations);
      }
    }
    Set<Long> unclean = uncleanTables(tables);
    synchronized (this) {
      if (closed) {
        return;
      }
      stopUnwanted(wanted, tables);
      outOfWorkers = false;
      nextStartNanos = Long.MAX_VALUE;
      wanted.values().forEach(this::startApply);
      wanted
          .values()
          .forEach(
              subscription -> startSyncs(subscription, tables.get(subscription.oid()), unclean));
      subscriptions
          .entrySet()
          .removeIf(entry -> !wanted.containsKey(entry.getKey()) && entry.getValue().isEmpty());
    }
    context.target().checkForeignKeysExcept(subscribed);
  }

  private void stopUnwanted(
      Map<Integer, Subscription> wanted, Map<Integer, List<SubscribedRelation>> tables) {
    for (Map.Entry<Integer, SubscriptionWorkers> entry : subscriptions.entrySet()) {
      Subscription subscription = wanted.get(entry.getKey());
      Set<Integer> relations = new HashSet<>();
      tables
          .getOrDefault(entry.getKey(), List.of())
          .forEach(table -> relations.add(table.relationOid()));
      for (RunningWorker worker : entry.getValue().all()) {
        boolean changed = !worker.subscription().equals(subscription);
        boolean tableGone = !worker.isApply() && !relations.contains(worker.relationOid());
        if ((changed || tableGone) && !worker.isStopping()) {
          if (worker.isApply()) {
            log.info(
                "logical replication worker for subscription \"{}\" will {} because of a parameter"
                    + " change",
                worker.subscription().name(),
                subscription == null ? "stop" : "restart");
          }
          worker.stop();
          entry.getValue().forgetStartTimes();
        }
      }
    }
  }

  private void startApply(Subscription subscription) {
    SubscriptionWorkers workers =
        subscriptions.computeIfAbsent(subscription.oid(), oid -> new SubscriptionWorkers());
    long now = System.nanoTime();
    if (workers.apply != null
        || workers.suspensions > 0
        || mustWait(workers.applyWaitNanos(now, retryNanos()))
        || !freeWorker()) {
      return;
    }
    ApplyWorker worker = new ApplyWorker(context, subscription, workers.handOvers);
    RunningWorker running =
        RunningWorker.applying(context.node().nextPid(), subscription, worker, this::ended);
    workers.applyStarted(running, now);
    running.start();
  }

  private void startSyncs(
      Subscription subscription, List<SubscribedRelation> tables, Set<Long> unclean) {
    SubscriptionWorkers workers = subscriptions.get(subscription.oid());
    int limit = context.settings().getInt("max_sync_workers_per_subscription");
    long now = System.nanoTime();
    for (SubscribedRelation table : tables) {
      if (workers.apply == null
          || workers.apply.isStopping()
          || workers.suspensions > 0
          || workers.syncs.size() >= limit) {
        return;
      }
      if (!needsSync(table, unclean)
          || workers.syncs.containsKey(table.relationOid())
          || mustWait(workers.syncWaitNanos(table.relationOid(), now, retryNanos()))) {
        continue;
      }
      if (!freeWorker()) {
        return;
      }
      workers.handOvers.entered(table.relationOid());
      TableSyncWorker worker = new TableSyncWorker(context, subscription, table, workers.handOvers);
      RunningWorker running =
          RunningWorker.synchronizing(
              context.node().nextPid(), subscription, table.relationOid(), worker, this::ended);
      workers.syncStarted(running, now);
      running.start();
    }
  }

  private boolean mustWait(long nanos) {
    if (nanos > 0) {
      nextStartNanos = Math.min(nextStartNanos, nanos);
    }
    return nanos > 0;
  }

  private static boolean needsSync(SubscribedRelation table, Set<Long> unclean) {
    return table.state() != RelationState.SYNC_DONE && table.state() != RelationState.READY
        || unclean.contains(key(table.subscriptionOid(), table.relationOid()));
  }

  /** Tables whose synchronization is over and has left an origin or a slot command behind. */
  private Set<Long> uncleanTables(Map<Integer, List<SubscribedRelation>> tables) {
    Set<Long> unclean = new HashSet<>();
    for (SlotIntent intent : context.slotIntents().open()) {
      if (intent.relationOid() != 0) {
        unclean.add(key(intent.subscriptionOid(), intent.relationOid()));
      }
    }
    Set<String> origins = Set.copyOf(context.catalog().originNames());
    for (List<SubscribedRelation> some : tables.values()) {
      for (SubscribedRelation table : some) {
        if (origins.contains(ApplyOrigin.syncName(table.subscriptionOid(), table.relationOid()))) {
          unclean.add(key(table.subscriptionOid(), table.relationOid()));
        }
      }
    }
    return unclean;
  }

  private static long key(int subscriptionOid, int relationOid) {
    return (long) subscriptionOid << 32 | relationOid & 0xFFFFFFFFL;
  }

  private long retryNanos() {
    return context.settings().getMillis("wal_retrieve_retry_interval") * 1_000_000;
  }

  private boolean freeWorker() {
    int running = subscriptions.values().stream().mapToInt(workers -> workers.all().size()).sum();
    boolean free = running < context.settings().getInt("max_logical_replication_workers");
    if (!free && !outOfWorkers) {
      outOfWorkers = true;
      log.warn(
          "out of logical replication worker slots\n"
              + "HINT:  You might need to increase \"max_logical_replication_workers\".");
    }
    return free;
  }

  /** On the worker's thread, as the last thing it does. */
  private void ended(RunningWorker worker, Throwable error) {
    Subscription subscription = worker.subscription();
    WorkerEnd end = WorkerEnd.of(error, worker.isStopping(), worker.isStreaming());
    WorkerEndReport.log(worker, end, error);
    if (end.counted()) {
      SubscriptionStatistics statistics = context.catalog().statistics(subscription.oid());
      (worker.isApply() ? statistics.applyErrors : statistics.syncErrors).increment();
    }
    synchronized (this) {
      SubscriptionWorkers workers = subscriptions.get(subscription.oid());
      workers.remove(worker);
      String message =
          end == WorkerEnd.STOPPED || error == null ? null : WorkerEndReport.message(error);
      if (worker.isApply()) {
        workers.applyError = message;
      } else {
        workers.handOvers.left(worker.relationOid());
        workers.syncErrors.put(worker.relationOid(), message);
      }
      if (workers.apply != null) {
        workers.apply.invalidateStates();
      }
      wake();
    }
    if (end.disables() && subscription.disableOnError()) {
      context
          .catalog()
          .disable(
              subscription.oid(),
              new SubscriptionError(
                  WorkerEndReport.textOf(worker, error),
                  context.clock().instant(),
                  worker.failedLsn()));
    }
  }

  @Override
  public void stopWorkers(int subscriptionOid) {
    stop(subscriptionOid, worker -> true);
  }

  @Override
  public void stopSyncWorker(int subscriptionOid, int relationOid) {
    stop(subscriptionOid, worker -> !worker.isApply() && worker.relationOid() == relationOid);
  }

  private void stop(int subscriptionOid, Predicate<RunningWorker> which) {
    try (Held held = suspend(subscriptionOid)) {
      List<RunningWorker> stopped;
      synchronized (this) {
        stopped = new ArrayList<>(held.workers.all().stream().filter(which).toList());
        held.workers.forgetStartTimes();
      }
      stopAndJoin(stopped);
    }
  }

  private static void stopAndJoin(List<RunningWorker> workers) {
    workers.forEach(RunningWorker::stop);
    boolean interrupted = false;
    long politeUntil = System.nanoTime() + POLITE_STOP_MS * 1_000_000;
    for (RunningWorker worker : workers) {
      boolean gone = false;
      while (!gone) {
        try {
          gone = worker.join(JOIN_MS);
        } catch (InterruptedException later) {
          interrupted = true;
        }
        if (!gone && System.nanoTime() > politeUntil) {
          worker.abort();
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized Held suspend(int subscriptionOid) {
    SubscriptionWorkers workers =
        subscriptions.computeIfAbsent(subscriptionOid, oid -> new SubscriptionWorkers());
    workers.suspensions++;
    return new Held(workers);
  }

  /** Holds the launcher off one subscription until it is closed. */
  final class Held implements Suspension {

    private final SubscriptionWorkers workers;
    private boolean over;

    private Held(SubscriptionWorkers workers) {
      this.workers = workers;
    }

    @Override
    public void close() {
      synchronized (WorkerLauncher.this) {
        if (!over) {
          over = true;
          workers.suspensions--;
          wake();
        }
      }
    }
  }

  @Override
  public synchronized List<WorkerView> workers() {
    List<WorkerView> views = new ArrayList<>();
    for (SubscriptionWorkers workers : subscriptions.values()) {
      for (RunningWorker worker : workers.all()) {
        views.add(view(worker, workers));
      }
    }
    return views;
  }

  private static WorkerView view(RunningWorker worker, SubscriptionWorkers workers) {
    StreamPositions positions = worker.positions();
    return new WorkerView(
        worker.subscription().oid(),
        worker.subscription().name(),
        worker.isApply() ? "apply" : "table synchronization",
        worker.pid(),
        0,
        worker.relationOid(),
        positions.receivedLsn(),
        instant(positions.lastSendTime()),
        instant(positions.lastReceiptTime()),
        positions.reportedLsn(),
        instant(positions.reportedTime()),
        positions.settledLsn(),
        positions.flushedLsn(),
        worker.isApply()
            ? workers.currentApplyError()
            : workers.syncErrors.get(worker.relationOid()));
  }

  private static Instant instant(long micros) {
    return micros == 0 ? null : PgTime.toInstant(micros);
  }

  @Override
  public synchronized String lastError(int subscriptionOid, int relationOid) {
    SubscriptionWorkers workers = subscriptions.get(subscriptionOid);
    if (workers == null) {
      return null;
    }
    return relationOid == 0 ? workers.currentApplyError() : workers.syncErrors.get(relationOid);
  }

  @Override
  public synchronized CopyProgress copyProgress(int subscriptionOid, int relationOid) {
    SubscriptionWorkers workers = subscriptions.get(subscriptionOid);
    RunningWorker worker = workers == null ? null : workers.syncs.get(relationOid);
    return worker == null ? null : worker.progress();
  }

  /** Stops all workers and returns when they are gone. */
  @Override
  public void close() {
    List<RunningWorker> all = new ArrayList<>();
    synchronized (this) {
      closed = true;
      notifyAll();
      subscriptions.values().forEach(workers -> all.addAll(workers.all()));
    }
    stopAndJoin(all);
  }
}
