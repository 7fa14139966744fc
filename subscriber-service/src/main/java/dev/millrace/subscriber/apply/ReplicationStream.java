package dev.millrace.subscriber.apply;

import dev.millrace.model.ByteCursor;
import dev.millrace.model.Lsn;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.model.SqlState;
import dev.millrace.replication.CopyDataReader;
import dev.millrace.replication.PrimaryKeepalive;
import dev.millrace.replication.XLogData;
import dev.millrace.settings.Settings;
import dev.millrace.subscriber.receiver.PublisherConnection;
import dev.millrace.subscriber.target.TargetDatabase;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls a started stream through a {@link TransactionApplier}: frames to messages, positions to
 * {@link Feedback}, and between transactions its {@link Watcher}. One thread.
 */
public final class ReplicationStream implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ReplicationStream.class);
  private static final long IDLE_MS = 50;

  /** Looks in between transactions; the stream goes on when it returns true. */
  public interface Watcher {

    /**
     * No transaction is open and everything before {@code lsn} is settled.
     *
     * @param heard whether the publisher has told a position since the stream began; before that,
     *     the stream may go on anywhere behind {@code lsn}
     * @return false to end the stream here
     */
    boolean between(long lsn, boolean heard);

    /**
     * A transaction with that commit LSN begins.
     *
     * @return false to end the stream before it
     */
    default boolean begins(long commitLsn) {
      return true;
    }

    /** Whether to end at the next opportunity, also inside a transaction. */
    boolean stopping();

    /** Whether to ask the publisher for its position when it has nothing to send. */
    default boolean impatient() {
      return false;
    }
  }

  private final PublisherConnection connection;
  private final TransactionApplier applier;
  private final TargetDatabase target;
  private final StreamPositions positions;
  private final Settings settings;
  private final boolean durableCommits;
  private final Clock clock;
  private final Feedback feedback;
  private final CopyDataReader copyData = new CopyDataReader();
  private final ByteCursor keepalive = new ByteCursor();
  private boolean pinged;
  private boolean heard;

  /**
   * @param durableCommits synchronous_commit is not off: each commit waits for the disk
   * @param afterSync run after each sync that covered new commits, on the feedback thread
   */
  public ReplicationStream(
      String name,
      PublisherConnection connection,
      TransactionApplier applier,
      TargetDatabase target,
      StreamPositions positions,
      Settings settings,
      boolean durableCommits,
      Runnable afterSync,
      Clock clock) {
    this.connection = connection;
    this.applier = applier;
    this.target = target;
    this.positions = positions;
    this.settings = settings;
    this.durableCommits = durableCommits;
    this.clock = clock;
    this.feedback =
        new Feedback(
            name,
            connection,
            target,
            positions,
            afterSync,
            () -> settings.getMillis("wal_receiver_status_interval"),
            clock);
  }

  /**
   * Runs until the watcher ends it; then what was applied is durable and the publisher has been
   * told.
   *
   * @throws PgException whatever went wrong; the applier must be rolled back then
   */
  public void run(Watcher watcher) throws InterruptedException {
    feedback.start();
    while (!watcher.stopping()) {
      feedback.check();
      PublisherConnection.Frame frame = connection.receive(0);
      if (frame == null) {
        feedback.inputConsumed();
        if (!applier.inTransaction() && !watcher.between(positions.settledLsn(), heard)) {
          break;
        }
        frame = connection.receive(IDLE_MS);
      }
      logNotices();
      if (frame == null) {
        watchSilence();
        if (watcher.impatient()) {
          feedback.ping();
        }
      } else if (!take(frame, watcher)) {
        break;
      }
    }
    applier.rollback();
    feedback.finish();
  }

  /** False when the watcher ended the stream. */
  private boolean take(PublisherConnection.Frame frame, Watcher watcher) {
    pinged = false;
    byte[] buffer = frame.buffer();
    copyData.wrap(buffer, frame.offset(), frame.limit() - frame.offset());
    long sendTime = 0;
    long receivedLsn = 0;
    while (copyData.next()) {
      int at = copyData.payloadOffset();
      int length = copyData.payloadLength();
      byte tag = length == 0 ? 0 : buffer[at];
      if (tag == XLogData.TAG && length > XLogData.HEADER_SIZE) {
        receivedLsn = Lsn.max(receivedLsn, longAt(buffer, at + 1));
        receivedLsn = Lsn.max(receivedLsn, longAt(buffer, at + 9));
        sendTime = longAt(buffer, at + 17);
        if (!takeMessage(
            buffer, at + XLogData.HEADER_SIZE, length - XLogData.HEADER_SIZE, watcher)) {
          return false;
        }
      } else if (tag == PrimaryKeepalive.TAG) {
        keepalive.wrap("keepalive", buffer, at, length);
        keepalive.readByte("tag");
        if (!takeKeepalive(watcher)) {
          return false;
        }
        sendTime = longAt(buffer, at + 9);
      } else {
        throw new PgException(
            SqlState.PROTOCOL_VIOLATION,
            "invalid message in the replication stream: "
                + ByteCursor.describe(tag & 0xFF)
                + " of "
                + length
                + " bytes");
      }
    }
    positions.received(receivedLsn);
    if (sendTime != 0) {
      positions.messageTimes(sendTime, PgTime.fromInstant(clock.instant()));
    }
    if (frame.done()) {
      throw new PgException(SqlState.CONNECTION_FAILURE, "data stream from publisher has ended");
    }
    return true;
  }

  private boolean takeMessage(byte[] buffer, int offset, int length, Watcher watcher) {
    TransactionApplier.Outcome outcome = applier.apply(buffer, offset, length);
    switch (outcome) {
      case COMMITTED:
        if (durableCommits) {
          target.makeDurable();
        }
        return settled(applier.endLsn(), true, watcher);
      case ENDED_EMPTY:
        return settled(applier.endLsn(), false, watcher);
      case BEGUN:
        return watcher.begins(applier.openCommitLsn());
      default:
        return true;
    }
  }

  private boolean settled(long lsn, boolean committed, Watcher watcher) {
    heard = true;
    feedback.settled(lsn, committed);
    return watcher.between(positions.settledLsn(), true);
  }

  private boolean takeKeepalive(Watcher watcher) {
    long endLsn = keepalive.readLong("end_lsn");
    keepalive.readLong("send_time");
    boolean replyRequested = keepalive.readFlags("reply_requested", 1) == 1;
    keepalive.expectEnd();
    positions.received(endLsn);
    boolean goOn = true;
    if (!applier.inTransaction()) {
      goOn = settled(endLsn, false, watcher);
    }
    if (replyRequested) {
      // The socket's thread has asked already; now the answer can include this position.
      feedback.requestReply();
    }
    return goOn;
  }

  /** Warnings come between frames, such as of a publication that is missing. */
  private void logNotices() {
    for (Notice notice : connection.takeNotices()) {
      log.warn("{} of the publisher: {}", notice.severity(), notice.message());
    }
  }

  private void watchSilence() {
    long timeoutMs = settings.getMillis("wal_receiver_timeout");
    if (timeoutMs <= 0) {
      return;
    }
    long silentMs = connection.silentMs();
    if (silentMs >= timeoutMs) {
      throw new PgException(
          SqlState.CONNECTION_FAILURE, "terminating logical replication worker due to timeout");
    }
    if (silentMs >= timeoutMs / 2 && !pinged) {
      pinged = true;
      feedback.ping();
    }
  }

  private static long longAt(byte[] buffer, int at) {
    long value = 0;
    for (int i = at; i < at + 8; i++) {
      value = value << 8 | buffer[i] & 0xFF;
    }
    return value;
  }

  @Override
  public void close() {
    feedback.close();
  }
}
