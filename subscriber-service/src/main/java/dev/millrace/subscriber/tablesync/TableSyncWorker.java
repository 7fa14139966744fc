package dev.millrace.subscriber.tablesync;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.replication.CopyDataReader;
import dev.millrace.sql.H2Errors;
import dev.millrace.subscriber.apply.ApplyOrigin;
import dev.millrace.subscriber.apply.ChangeGate;
import dev.millrace.subscriber.apply.HandOvers;
import dev.millrace.subscriber.apply.ReplicationStream;
import dev.millrace.subscriber.apply.StreamCommand;
import dev.millrace.subscriber.apply.StreamPositions;
import dev.millrace.subscriber.apply.TableCopy;
import dev.millrace.subscriber.apply.TransactionApplier;
import dev.millrace.subscriber.apply.WorkerContext;
import dev.millrace.subscriber.catalog.RelationState;
import dev.millrace.subscriber.catalog.SubscribedRelation;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.receiver.PublisherConnection;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table synchronization worker: brings one table from nothing to where the apply worker can
 * take it over, while changes to it go on.
 *
 * <h2>Contract</h2>
 *
 * {@link #run} is called once, on a thread of its own, for a table in any state, and returns when
 * the table is handed over and nothing of the synchronization is left on either side. It may be
 * killed at any point: the next worker of the table goes on from the stored state. Other tables'
 * troubles do not concern it.
 *
 * <h2>States</h2>
 *
 * <pre>
 *  state  stored  set by        means                                                   after a crash
 *  i      yes     CREATE/REFRESH nothing done                                            begin
 *  d      yes     sync worker   a slot may exist, rows are not committed                drop slot, begin
 *  f      yes     sync worker   rows as of L0 and origin pg_sub_rel = L0 are committed  stream from the origin
 *  w      no      sync worker   waits for the apply worker's position A                 f
 *  c      no      apply worker  target = max(L0, A) is known; the apply worker waits    f
 *  s      yes     sync worker   all transactions before srsublsn = target are applied   drop slot and origin
 *  r      yes     apply worker  it has passed srsublsn; slot and origin are gone        nothing
 * </pre>
 *
 * <h2>Why nothing is lost or doubled</h2>
 *
 * <pre>
 *   log  ----C1--E1----[L0]----C2--E2----[A]----C3--E3----
 *            in the copy   |  caught up here   |  apply worker
 *
 *   The slot's snapshot holds exactly the transactions that committed before L0; the slot streams
 *   those whose commit LSN is L0 or later. This worker applies the ones with L0 &lt;= commit_lsn &lt; target,
 *   the apply worker those with commit_lsn &gt;= target. A is a position between two transactions, so
 *   target splits the stream cleanly; the apply worker stands at A and waits until s is stored, so no
 *   transaction passes it meanwhile. If L0 is the later one, the apply worker leaves the table's
 *   transactions before L0 alone when it comes to them.
 * </pre>
 *
 * Rows, state f and origin are one local transaction. The slot, which remembers the log from L0, is
 * dropped only after s is durable: what the publisher then forgets is on our disk. Each command
 * that makes or drops the slot is announced by a durable intent ({@link SyncSlot}).
 *
 * <h2>Known to be naive</h2>
 *
 * A table is copied in one transaction by one worker; a failed copy begins anew.
 */
public final class TableSyncWorker {

  private static final Logger log = LoggerFactory.getLogger(TableSyncWorker.class);
  private static final long LOOK_MS = 100;

  private final WorkerContext context;
  private final Subscription subscription;
  private final SubscribedRelation table;
  private final HandOvers handOvers;
  private final SyncSlot slot;
  private final String originName;
  private final CopyCounters counters = new CopyCounters();
  private volatile StreamPositions positions = new StreamPositions(0);
  private volatile boolean stopping;
  private volatile PublisherConnection connection;

  public TableSyncWorker(
      WorkerContext context,
      Subscription subscription,
      SubscribedRelation table,
      HandOvers handOvers) {
    this.context = context;
    this.subscription = subscription;
    this.table = table;
    this.handOvers = handOvers;
    this.slot =
        new SyncSlot(context.slotIntents(), subscription, table, context.node().systemIdentifier());
    this.originName = ApplyOrigin.syncName(subscription.oid(), table.relationOid());
  }

  /**
   * Works until the table is handed over.
   *
   * @throws PgException whatever went wrong; 57P01 when stopped
   */
  public void run() throws InterruptedException {
    context.target().requireRoom();
    log.info(
        "logical replication table synchronization worker for subscription \"{}\", table \"{}\" has"
            + " started",
        subscription.name(),
        table.table());
    SubscribedRelation now = catalog().relation(subscription.oid(), table.relationOid());
    if (now == null) {
      return;
    }
    try (PublisherConnection opened = connect()) {
      connection = opened;
      switch (now.state()) {
        case INIT, DATASYNC -> handOver(opened, copy(opened));
        case FINISHED_COPY -> handOver(opened, catalog().originProgress(originName));
        default -> {}
      }
      cleanUp(opened);
    } finally {
      connection = null;
    }
    log.info(
        "logical replication table synchronization worker for subscription \"{}\", table \"{}\" has"
            + " finished",
        subscription.name(),
        table.table());
  }

  private SubscriptionCatalog catalog() {
    return context.catalog();
  }

  private PublisherConnection connect() {
    try {
      return context.connector().connect(subscription.connection(), slot.name());
    } catch (PgException failed) {
      throw new PgException(
          failed.sqlState(),
          "table synchronization worker for subscription \""
              + subscription.name()
              + "\" could not connect to the publisher: "
              + failed.getMessage(),
          failed);
    }
  }

  /** From i or d to f; returns L0. */
  private long copy(PublisherConnection opened) throws InterruptedException {
    catalog().storeState(subscription.oid(), table.relationOid(), RelationState.DATASYNC, 0);
    moved("d", 0);
    slot.drop(opened);
    slot.settle();
    catalog().dropOrigin(originName);
    opened.execute("BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ");
    long consistentLsn = slot.create(opened);
    FaultPoint.hit("tablesync.after-slot");
    PublishedTable published =
        PublishedTable.fetch(opened, table.table(), subscription.publications());
    RelationDefinition local = context.target().relation(table.table());
    if (local == null) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "logical replication target relation \"" + table.table() + "\" does not exist");
    }
    context.target().skipForeignKeyChecks(table.table());
    int originNumber = catalog().ensureOrigin(originName);
    try (Connection writing = context.target().openConnection()) {
      try (TableCopy copy =
          new TableCopy(writing, context.target().firstWrites(), local, published.columns())) {
        counters.total(published.count(opened));
        opened.startCopy(published.copyCommand());
        receive(opened, copy);
        copy.finish();
        counters.copied(copy.rows(), 0);
        finishCopy(writing, originNumber, consistentLsn);
      } catch (SQLException | RuntimeException failed) {
        writing.rollback();
        throw failed;
      }
    } catch (SQLException error) {
      throw H2Errors.translate(error);
    }
    opened.execute("COMMIT");
    context.target().makeDurable();
    slot.settle();
    return consistentLsn;
  }

  private void receive(PublisherConnection opened, TableCopy copy) throws InterruptedException {
    CopyDataReader copyData = new CopyDataReader();
    long timeoutMs = context.settings().getMillis("wal_receiver_timeout");
    while (true) {
      requireGoingOn();
      PublisherConnection.Frame frame = opened.receive(LOOK_MS);
      if (frame == null) {
        if (timeoutMs > 0 && opened.silentMs() >= timeoutMs) {
          throw new PgException(
              SqlState.CONNECTION_FAILURE, "terminating logical replication worker due to timeout");
        }
        continue;
      }
      copyData.wrap(frame.buffer(), frame.offset(), frame.limit() - frame.offset());
      while (copyData.next()) {
        copy.write(frame.buffer(), copyData.payloadOffset(), copyData.payloadLength());
      }
      counters.copied(copy.rows(), frame.limit() - frame.offset());
      if (frame.done()) {
        return;
      }
    }
  }

  /** Rows, state f and the origin's position become visible together. */
  private void finishCopy(Connection writing, int originNumber, long consistentLsn)
      throws SQLException {
    long now = PgTime.fromInstant(context.clock().instant());
    catalog()
        .storeState(
            writing,
            subscription.oid(),
            table.relationOid(),
            RelationState.FINISHED_COPY,
            consistentLsn);
    catalog().storeProgress(writing, originNumber, consistentLsn, now);
    FaultPoint.hit("tablesync.before-finished-copy");
    writing.commit();
    FaultPoint.hit("tablesync.after-finished-copy");
    moved("f", consistentLsn);
  }

  /** From f over w and c to s. */
  private void handOver(PublisherConnection opened, long copiedLsn) throws InterruptedException {
    moved("w", copiedLsn);
    long targetLsn = handOvers.awaitTarget(table.relationOid(), copiedLsn, () -> stopping);
    moved("c", targetLsn);
    if (Lsn.isBefore(copiedLsn, targetLsn)) {
      catchUp(opened, copiedLsn, targetLsn);
      requireGoingOn();
    }
    catalog()
        .storeState(subscription.oid(), table.relationOid(), RelationState.SYNC_DONE, targetLsn);
    context.target().makeDurable();
    moved("s", targetLsn);
    FaultPoint.hit("tablesync.after-sync-done");
    handOvers.done(table.relationOid());
  }

  private void catchUp(PublisherConnection opened, long fromLsn, long targetLsn)
      throws InterruptedException {
    ApplyOrigin origin = new ApplyOrigin(originName, catalog().ensureOrigin(originName), fromLsn);
    positions = new StreamPositions(fromLsn);
    QualifiedName own = table.table();
    ChangeGate ownTable =
        (name, commitLsn) ->
            name.equals(own) && Lsn.isBefore(commitLsn, targetLsn)
                ? ChangeGate.Verdict.APPLY
                : ChangeGate.Verdict.LEAVE;
    opened.startCopy(StreamCommand.start(slot.name(), fromLsn, subscription.publications()));
    try (TransactionApplier applier =
            new TransactionApplier(
                context.target().openConnection(),
                context.target(),
                catalog(),
                context.conflicts(),
                subscription.oid(),
                origin,
                ownTable,
                context.clock());
        ReplicationStream stream =
            new ReplicationStream(
                slot.name(),
                opened,
                applier,
                context.target(),
                positions,
                context.settings(),
                false,
                () -> {},
                context.clock())) {
      stream.run(new CatchUp(targetLsn));
    }
    opened.endCopy();
  }

  /** Ends the stream at the target. */
  private final class CatchUp implements ReplicationStream.Watcher {

    private final long targetLsn;

    CatchUp(long targetLsn) {
      this.targetLsn = targetLsn;
    }

    @Override
    public boolean between(long lsn, boolean heard) {
      return Lsn.isBefore(lsn, targetLsn);
    }

    @Override
    public boolean begins(long commitLsn) {
      return Lsn.isBefore(commitLsn, targetLsn);
    }

    @Override
    public boolean stopping() {
      return stopping;
    }

    @Override
    public boolean impatient() {
      return true;
    }
  }

  /** Nothing of the synchronization stays behind: slot first, then the origin that tells of it. */
  private void cleanUp(PublisherConnection opened) {
    slot.intendToDrop();
    slot.drop(opened);
    FaultPoint.hit("tablesync.after-slot-drop");
    catalog().dropOrigin(originName);
    slot.settle();
  }

  private void moved(String state, long lsn) {
    log.info(
        "table \"{}\" of subscription \"{}\" moves to state {} at {}",
        table.table(),
        subscription.name(),
        state,
        Lsn.format(lsn));
  }

  private void requireGoingOn() {
    if (stopping) {
      throw new PgException(
          SqlState.ADMIN_SHUTDOWN,
          "terminating logical replication worker due to administrator command");
    }
  }

  /** Asks {@link #run} to end. Any thread. */
  public void stop() {
    stopping = true;
  }

  /** Cuts the connection of a worker that does not end by itself. Any thread. */
  public void abort() {
    stopping = true;
    PublisherConnection open = connection;
    if (open != null) {
      open.abort();
    }
  }

  public boolean isStopping() {
    return stopping;
  }

  public QualifiedName table() {
    return table.table();
  }

  public StreamPositions positions() {
    return positions;
  }

  /** Rows and bytes so far. */
  public CopyCounters progress() {
    return counters;
  }
}
