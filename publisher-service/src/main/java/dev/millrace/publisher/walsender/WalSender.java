package dev.millrace.publisher.walsender;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.decoding.LogicalDecoding.DecodingSession;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.decoding.ReorderBufferView;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.replication.CopyDataWriter;
import dev.millrace.replication.PrimaryKeepalive;
import dev.millrace.replication.StandbyStatusUpdate;
import java.time.Clock;

/**
 * One stream of one slot: decoded messages out, the peer's confirmations into the slot.
 *
 * <p><b>Contract.</b> The session's thread calls {@link #doWork} until it returns false or throws.
 * The transport's thread calls {@link #reported} and {@link #finish}; a watchdog calls {@link
 * #checkTimeout}. Nothing here knows threads or sockets: {@link ReplicationClient} blocks when the
 * peer is slow, and that alone slows the decoder down, so no queue can grow.
 *
 * <p><b>What a keepalive may say.</b> A keepalive carries the end of the last record completely
 * dealt with, never a position inside or beyond a transaction that is still being sent: the peer
 * may report it as flushed, and the slot would then skip the rest of that transaction after a
 * reconnect. It is put into the same frame behind the messages it covers, so it cannot overtake
 * them, which is why only the session's thread makes keepalives.
 *
 * <p><b>Quiet streams.</b> Having caught up, a keepalive goes out when the peer's write and flush
 * are behind, so that a stream whose every transaction was filtered out still moves
 * confirmed_flush_lsn. So it does behind a block of an open transaction, which carries no end. The
 * log gets a mark with each flush, so on a busy node there is always something new to say; such
 * keepalives are therefore at least {@value #IDLE_KEEPALIVE_MS} ms apart.
 *
 * <p><b>Timeouts.</b> Any status update proves that the peer is alive. After half of
 * wal_sender_timeout without one a reply is asked for, after all of it the peer is taken for dead.
 * The watchdog does the latter, because the session's thread may hang in a send just then.
 *
 * <p><b>Stopping.</b> {@link #finish} ends the stream at once, also in the middle of a transaction:
 * the peer asked for it. {@link #stop} ends it when everything flushed has been sent and confirmed.
 *
 * <p><b>Rejected:</b> sending from the feedback thread (two senders would need a lock held over a
 * blocking send) and a sender thread with a queue (a second place for memory to grow).
 */
final class WalSender implements OutputWriter {

  static final int IDLE_KEEPALIVE_MS = 10;
  private static final int IDLE_WAIT_MS = 20;
  private static final int MESSAGES_BETWEEN_LOOKS = 100;

  /** 2000-01-01 UTC; send times are cheap milliseconds, shown in microseconds. */
  private static final long POSTGRES_EPOCH_MS = 946_684_800_000L;

  private final ReplicationClient client;
  private final ReplicationSlot slot;
  private final WriteAheadLog log;
  private final Clock clock;
  private final long walSenderTimeoutMs;
  private final PeerPositions positions;
  private final CopyDataWriter frame = new CopyDataWriter();

  private DecodingSession decoding;
  private volatile WalSenderState state = WalSenderState.STARTUP;
  private volatile boolean finishing;
  private volatile boolean stopping;
  private volatile boolean replyWanted;
  private volatile long lastReplyNanos = System.nanoTime();
  private volatile PgException failure;

  private boolean askedForReply;
  private long dealtWithLsn;
  private long announcedLsn;
  private long lastMessageLsn;
  private long lastIdleKeepaliveNanos;
  private long messages;
  private boolean unfinished;

  WalSender(
      ReplicationClient client,
      ReplicationSlot slot,
      WriteAheadLog log,
      Clock clock,
      long startLsn,
      long walSenderTimeoutMs) {
    this.client = client;
    this.slot = slot;
    this.log = log;
    this.clock = clock;
    this.walSenderTimeoutMs = walSenderTimeoutMs;
    this.dealtWithLsn = Lsn.max(startLsn, slot.confirmedFlushLsn());
    this.announcedLsn = dealtWithLsn;
    this.positions = new PeerPositions(dealtWithLsn);
  }

  /** Decoding needs its writer first; the stream begins after this. */
  void begin(DecodingSession session) {
    decoding = session;
    state = WalSenderState.CATCHUP;
    lastReplyNanos = System.nanoTime();
  }

  /**
   * Decodes a record and sends what came of it, or waits a little for more log.
   *
   * @return false when the stream has ended as it should
   * @throws PgException when decoding fails or the peer breaks the rules
   */
  boolean doWork() throws InterruptedException {
    try {
      look();
      if (decoding.step()) {
        stepped();
        return true;
      }
      return caughtUp();
    } catch (StreamEnd end) {
      return false;
    }
  }

  private void stepped() {
    long processed = decoding.processedLsn();
    if (Lsn.isBefore(dealtWithLsn, processed)) {
      dealtWithLsn = processed;
    }
    if (messages != 0) {
      messages = 0;
      if (!Lsn.isBefore(lastMessageLsn, dealtWithLsn)) { // Not so behind a block of an open one.
        announcedLsn = dealtWithLsn;
        positions.transactionSent(dealtWithLsn);
      }
    }
  }

  private boolean caughtUp() throws InterruptedException {
    long processed = decoding.processedLsn();
    if (Lsn.isBefore(dealtWithLsn, processed)) {
      dealtWithLsn = processed;
    }
    flush();
    if (state == WalSenderState.CATCHUP) {
      state = WalSenderState.STREAMING;
    }
    if (stopping && confirmedAll()) {
      return false;
    }
    long now = System.nanoTime();
    if (keepaliveDue() && now - lastIdleKeepaliveNanos >= IDLE_KEEPALIVE_MS * 1_000_000L) {
      lastIdleKeepaliveNanos = now;
      sendKeepalive(stopping);
    }
    log.awaitFlushBeyond(processed, keepaliveDue() ? IDLE_KEEPALIVE_MS : IDLE_WAIT_MS);
    return true;
  }

  private boolean keepaliveDue() {
    return Lsn.isBefore(announcedLsn, dealtWithLsn)
        && Lsn.isBefore(positions.writeLsn(), dealtWithLsn)
        && Lsn.isBefore(positions.flushLsn(), dealtWithLsn);
  }

  private boolean confirmedAll() {
    return !Lsn.isBefore(positions.flushLsn(), dealtWithLsn);
  }

  /** What other threads have asked for; called between records and now and then inside of one. */
  private void look() {
    PgException failed = failure;
    if (failed != null) {
      throw failed;
    }
    if (finishing) {
      throw StreamEnd.INSTANCE;
    }
    if (stopping && state != WalSenderState.STOPPING) {
      state = WalSenderState.STOPPING;
      sendKeepalive(true);
    }
    if (replyWanted) {
      replyWanted = false;
      sendKeepalive(false);
    }
    if (walSenderTimeoutMs > 0 && !askedForReply && silentMs() >= walSenderTimeoutMs / 2) {
      askedForReply = true;
      sendKeepalive(true);
    } else if (askedForReply && silentMs() < walSenderTimeoutMs / 2) {
      askedForReply = false;
    }
  }

  private void sendKeepalive(boolean replyRequested) {
    positions.sending(dealtWithLsn);
    announcedLsn = dealtWithLsn;
    frame.add(new PrimaryKeepalive(dealtWithLsn, now(), replyRequested));
    flush();
  }

  @Override
  public ByteBuilder prepare(long lsn, int xid) {
    positions.sending(lsn);
    lastMessageLsn = lsn;
    unfinished = true;
    return frame.beginXLogData(lsn, now());
  }

  @Override
  public void write() {
    frame.end();
    unfinished = false;
    if (frame.isFull()) {
      flush();
    }
    if (++messages % MESSAGES_BETWEEN_LOOKS == 0) {
      look();
    }
  }

  @Override
  public void progress(long lsn) {
    look();
  }

  /** The plugin's warnings reach the peer, before the reply that starts the stream or within it. */
  @Override
  public void notice(Notice notice) {
    if (!unfinished) {
      flush();
    }
    client.notice(notice);
  }

  /** Sends what is left and CopyDone; the stream has ended without an error. */
  void sendCopyDone() {
    if (unfinished) {
      frame.cancel();
      unfinished = false;
    }
    frame.addCopyDone();
    flush();
  }

  /** The peer's status update; called by the transport's thread. */
  void reported(StandbyStatusUpdate report) {
    lastReplyNanos = System.nanoTime();
    if (failure != null || finishing) {
      return;
    }
    try {
      positions.reported(report);
      if (report.flushLsn() != 0) {
        slot.confirm(report.flushLsn());
      }
    } catch (PgException e) {
      failure = e;
    }
    if (report.replyRequested()) {
      replyWanted = true;
    }
  }

  /** The peer has sent CopyDone: it wants no more. */
  void finish() {
    finishing = true;
  }

  /** The node stops: send everything, wait for the confirmation, end. */
  void stop() {
    stopping = true;
  }

  /** Called now and then by the watchdog; true when the peer has been silent for too long. */
  boolean checkTimeout() {
    if (walSenderTimeoutMs <= 0 || silentMs() < walSenderTimeoutMs) {
      return false;
    }
    failure =
        new PgException(
            SqlState.CONNECTION_FAILURE,
            "terminating walsender process due to replication timeout");
    return true;
  }

  private void flush() {
    if (!frame.isEmpty()) {
      client.copyData(frame.array(), 0, frame.size());
      frame.clear();
    }
  }

  private long silentMs() {
    return (System.nanoTime() - lastReplyNanos) / 1_000_000L;
  }

  private long now() {
    return (clock.millis() - POSTGRES_EPOCH_MS) * 1000;
  }

  WalSenderState state() {
    return state;
  }

  PeerProgress progress() {
    return positions.progress();
  }

  ReplicationSlot slot() {
    return slot;
  }

  /** What the stream's ReorderBuffer holds; inactive until the stream has begun. */
  ReorderBufferView reorderBuffer() {
    DecodingSession session = decoding;
    return session == null ? ReorderBufferView.inactive(0) : session.view();
  }

  /** Leaves the decoder in the middle of a transaction when the peer has sent CopyDone. */
  private static final class StreamEnd extends RuntimeException {
    static final StreamEnd INSTANCE = new StreamEnd();

    private StreamEnd() {
      super("stream ended by its consumer", null, false, false);
    }
  }
}
