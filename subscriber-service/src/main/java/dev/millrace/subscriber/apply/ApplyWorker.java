package dev.millrace.subscriber.apply;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.receiver.PublisherConnection;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The apply worker of one subscription: it connects, starts the stream where the origin stands, and
 * applies what comes until it is stopped or something fails.
 *
 * <h2>Contract</h2>
 *
 * {@link #run} is called once, on a thread of its own, and returns after {@link #stop} or throws
 * what ended the worker; restarting is the launcher's business, and always safe: the origin in the
 * database says where to go on. When it has returned or thrown, the connection to the publisher,
 * the one to the target and the feedback thread are gone.
 *
 * <h2>Threads</h2>
 *
 * <pre>
 *   socket's thread --FrameQueue (16 MB)--&gt; this thread --JDBC--&gt; target
 *         |                                     | positions
 *         +-- reply requested --&gt; feedback thread --&gt; 'r' to the publisher, CHECKPOINT SYNC
 * </pre>
 *
 * This thread does everything in stream order: messages, batches, commits, and between transactions
 * the hand-over of tables. A queue that is full stops the socket, and through TCP the walsender;
 * feedback goes on meanwhile, so neither side takes the other for dead.
 *
 * <h2>Between transactions</h2>
 *
 * After each transaction and each keepalive the worker stands at an exact position: everything
 * before it is settled. Only there it answers table synchronization workers that wait for its
 * position, waits for them to catch up, takes their tables over and moves them from s to r ({@link
 * HandOvers}). Which changes are its own is judged per table and transaction, by commit LSN.
 *
 * <h2>Stopping</h2>
 *
 * {@link #stop} is noticed between two frames; the open local transaction is rolled back, what was
 * committed is made durable and confirmed, and the stream is ended in order, so that the slot is
 * free when {@code run} returns. The thread is never interrupted: an interrupt would close the
 * files of an embedded target database.
 */
public final class ApplyWorker {

  private static final Logger log = LoggerFactory.getLogger(ApplyWorker.class);

  private final WorkerContext context;
  private final Subscription subscription;
  private final HandOvers handOvers;
  private final TableStates states;
  private volatile StreamPositions positions = new StreamPositions(0);
  private volatile boolean stopping;
  private volatile boolean streaming;
  private volatile long failedLsn;
  private volatile PublisherConnection connection;

  public ApplyWorker(WorkerContext context, Subscription subscription, HandOvers handOvers) {
    this.context = context;
    this.subscription = subscription;
    this.handOvers = handOvers;
    this.states =
        new TableStates(context.catalog(), subscription.oid(), subscription.name(), handOvers);
  }

  /**
   * Works until stopped.
   *
   * @throws PgException what ended the worker, with PostgreSQL's context line where a change was
   *     being applied
   */
  public void run() throws InterruptedException {
    if (subscription.slotName() == null) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "subscription has no replication slot set");
    }
    context.target().requireRoom();
    log.info(
        "logical replication apply worker for subscription \"{}\" has started",
        subscription.name());
    handOvers.awaitCaughtUp(() -> stopping);
    ApplyOrigin origin = origin();
    try (PublisherConnection opened = connect()) {
      connection = opened;
      opened.execute("IDENTIFY_SYSTEM");
      try (TransactionApplier applier = applier(origin)) {
        stream(opened, applier, origin);
      }
      if (opened.isOpen()) {
        opened.endCopy();
      }
    } finally {
      connection = null;
    }
  }

  private ApplyOrigin origin() {
    SubscriptionCatalog catalog = context.catalog();
    int number = catalog.ensureOrigin(subscription.originName());
    long remoteLsn = catalog.originProgress(subscription.originName());
    positions = new StreamPositions(remoteLsn);
    return new ApplyOrigin(subscription.originName(), number, remoteLsn);
  }

  private PublisherConnection connect() {
    try {
      return context.connector().connect(subscription.connection(), subscription.name());
    } catch (PgException failed) {
      throw new PgException(
          failed.sqlState(),
          "subscription \""
              + subscription.name()
              + "\" could not connect to the publisher: "
              + failed.getMessage(),
          failed);
    }
  }

  private TransactionApplier applier(ApplyOrigin origin) {
    return new TransactionApplier(
        context.target().openConnection(),
        context.target(),
        context.catalog(),
        context.conflicts(),
        subscription.oid(),
        origin,
        states,
        context.clock());
  }

  private void stream(PublisherConnection opened, TransactionApplier applier, ApplyOrigin origin)
      throws InterruptedException {
    opened.startCopy(
        StreamCommand.start(
            subscription.slotName(), origin.remoteLsn(), subscription.publications()));
    streaming = true;
    try (ReplicationStream stream =
        new ReplicationStream(
            "subscription " + subscription.name(),
            opened,
            applier,
            context.target(),
            positions,
            context.settings(),
            !"off".equals(subscription.synchronousCommit()),
            new ProgressPruner(context.catalog(), origin.number()),
            context.clock())) {
      stream.run(new TableHandOver());
    } catch (RuntimeException failed) {
      failedLsn = applier.openCommitLsn();
      throw failed;
    }
  }

  /** What the worker does between transactions. */
  private final class TableHandOver implements ReplicationStream.Watcher {

    @Override
    public boolean between(long lsn, boolean heard) {
      try {
        if (heard && handOvers.anyWaiting()) {
          Set<Integer> answered = handOvers.answer(lsn);
          handOvers.awaitDone(answered, () -> stopping);
          states.invalidate();
        }
      } catch (InterruptedException unexpected) {
        throw new IllegalStateException(unexpected);
      }
      if (states.mayMakeReady()) {
        states.makeReady(lsn);
      }
      return !stopping;
    }

    @Override
    public boolean stopping() {
      return stopping;
    }

    @Override
    public boolean impatient() {
      return handOvers.anyWaiting();
    }
  }

  /** The catalogue's table states have changed. Any thread. */
  public void invalidateStates() {
    states.invalidate();
  }

  /** Asks {@link #run} to return. Any thread. */
  public void stop() {
    stopping = true;
  }

  /** Cuts the connection of a worker that does not stop by itself. Any thread. */
  public void abort() {
    stopping = true;
    PublisherConnection open = connection;
    if (open != null) {
      open.abort();
    }
  }

  /** Whether the stream has begun, as opposed to connecting and starting it. */
  public boolean isStreaming() {
    return streaming;
  }

  /** The commit LSN of the transaction in which {@link #run} failed; 0 for none. */
  public long failedLsn() {
    return failedLsn;
  }

  public boolean isStopping() {
    return stopping;
  }

  public StreamPositions positions() {
    return positions;
  }
}
