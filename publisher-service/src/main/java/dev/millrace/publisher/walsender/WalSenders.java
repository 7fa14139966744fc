package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.decoding.ReorderBufferView;
import dev.millrace.publisher.walsender.ReplicationClient.Ending;
import dev.millrace.replication.ReplicationCommand;
import dev.millrace.settings.Settings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The walsender sessions of the node. Safe for any thread. */
public final class WalSenders {

  private static final Logger LOG = LoggerFactory.getLogger(WalSenders.class);
  private static final int WATCH_INTERVAL_MS = 100;
  private static final int ABORT_GRACE_MS = 3_000;

  private final SessionServices services;
  private final Settings settings;
  private final Function<String, ReplicationCommand> parser;
  private final Map<Long, SessionThread> sessions = new LinkedHashMap<>();
  private final ScheduledExecutorService watchdog;
  private boolean stopping;

  WalSenders(
      SessionServices services, Settings settings, Function<String, ReplicationCommand> parser) {
    this.services = services;
    this.settings = settings;
    this.parser = parser;
    this.watchdog =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "walsender watchdog");
              thread.setDaemon(true);
              return thread;
            });
    watchdog.scheduleWithFixedDelay(
        this::watch, WATCH_INTERVAL_MS, WATCH_INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  /**
   * Starts a session for a peer.
   *
   * @param sessionSettings its own view of the settings
   * @throws PgException 53300 when max_wal_senders sessions are open, 57P01 while the node stops
   */
  SessionThread open(PeerIdentity peer, ReplicationClient client, Settings sessionSettings) {
    long pid = services.node().nextPid();
    ReplicationSession session =
        new ReplicationSession(pid, peer, client, services, sessionSettings, parser);
    SessionThread thread = new SessionThread(session, client, () -> ended(pid));
    synchronized (this) {
      requireRoom();
      sessions.put(pid, thread);
    }
    thread.start();
    return thread;
  }

  /**
   * Checks that a session could be opened now.
   *
   * @throws PgException as {@link #open}
   */
  synchronized void requireRoom() {
    if (stopping) {
      throw new PgException(SqlState.CANNOT_CONNECT_NOW, "the database system is shutting down");
    }
    int limit = settings.getInt("max_wal_senders");
    if (sessions.size() >= limit) {
      throw new PgException(
          SqlState.TOO_MANY_CONNECTIONS,
          "number of requested standby connections exceeds \"max_wal_senders\" (currently "
              + limit
              + ")");
    }
  }

  private synchronized void ended(long pid) {
    sessions.remove(pid);
    notifyAll();
  }

  private void watch() {
    for (SessionThread thread : snapshot()) {
      try {
        thread.session().checkTimeout();
      } catch (RuntimeException e) {
        LOG.warn("could not end walsender {}", thread.session().pid(), e);
      }
    }
  }

  private synchronized List<SessionThread> snapshot() {
    return new ArrayList<>(sessions.values());
  }

  /** What pg_stat_replication shows, by pid. */
  public List<WalSenderView> views() {
    return snapshot().stream()
        .map(thread -> thread.session().view())
        .sorted(Comparator.comparingLong(WalSenderView::pid))
        .toList();
  }

  /** What the stream of a slot holds now; inactive when no session streams it. */
  public ReorderBufferView reorderBuffer(String slotName) {
    for (SessionThread thread : snapshot()) {
      ReorderBufferView view = thread.session().reorderBufferOf(slotName);
      if (view != null) {
        return view;
      }
    }
    return ReorderBufferView.inactive(settings.getBytes("logical_decoding_work_mem"));
  }

  /**
   * A clean stop: streams send everything and wait for their peers' confirmation, at most
   * wal_sender_shutdown_timeout; other sessions end at once. Returns when all have ended.
   */
  public void stop() {
    synchronized (this) {
      stopping = true;
    }
    snapshot().forEach(SessionThread::stop);
    long timeoutMs = settings.getMillis("wal_sender_shutdown_timeout");
    if (!awaitNone(timeoutMs < 0 ? Long.MAX_VALUE : timeoutMs)) {
      for (SessionThread thread : snapshot()) {
        LOG.warn(
            "terminating walsender {} to complete shutdown: its peer has not confirmed everything"
                + " that was sent",
            thread.session().pid());
        thread.abort(Ending.SHUTDOWN, "terminating connection due to administrator command");
      }
      awaitNone(ABORT_GRACE_MS);
    }
    watchdog.shutdown();
  }

  private synchronized boolean awaitNone(long timeoutMs) {
    long startNanos = System.nanoTime();
    while (!sessions.isEmpty()) {
      long leftMs = timeoutMs - (System.nanoTime() - startNanos) / 1_000_000;
      if (leftMs <= 0) {
        return false;
      }
      try {
        wait(Math.min(leftMs, 1000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
