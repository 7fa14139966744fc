package dev.millrace.publisher.walsender;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.decoding.LogicalDecoding.DecodingSession;
import dev.millrace.publisher.decoding.LogicalDecoding.DecodingSettings;
import dev.millrace.publisher.decoding.ReorderBufferView;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.walsender.ReplicationClient.Ending;
import dev.millrace.publisher.walsender.ReplicationClient.PeerGoneException;
import dev.millrace.replication.ReplicationCommand;
import dev.millrace.replication.StandbyStatusUpdate;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.StatementResult;
import java.time.Instant;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One walsender session: a command in, its answer out, one at a time.
 *
 * <p>{@link #execute} runs a command to its end on the session's thread; a stream is a long
 * command. The transport's thread meanwhile hands in what arrives while copying ({@link
 * #statusUpdate}, {@link #copyDone}); any thread may {@link #stop} or {@link #close}. An error ends
 * the command, not the session: the slot in use is released before the error is sent, and the
 * session's temporary slots are dropped.
 */
final class ReplicationSession {

  private static final Logger LOG = LoggerFactory.getLogger(ReplicationSession.class);

  /** What binary frames mean right now. */
  enum Copying {
    /** No copy runs. */
    NONE,
    /** A table goes out; the peer has nothing to send. */
    OUT,
    /** A stream goes out and status updates come in. */
    BOTH
  }

  private static final int MAX_ROWS = 100_000;

  private final long pid;
  private final PeerIdentity peer;
  private final ReplicationClient client;
  private final SessionServices services;
  private final Settings settings;
  private final Function<String, ReplicationCommand> parser;
  private final SlotCommands slotCommands;
  private final SessionQueries queries;
  private final Instant started;

  private volatile Copying copying = Copying.NONE;
  private volatile WalSender walSender;
  private volatile boolean stopping;
  private volatile boolean closed;

  /**
   * @param settings this session's own view
   * @param parser the command grammar
   */
  ReplicationSession(
      long pid,
      PeerIdentity peer,
      ReplicationClient client,
      SessionServices services,
      Settings settings,
      Function<String, ReplicationCommand> parser) {
    this.pid = pid;
    this.peer = peer;
    this.client = client;
    this.services = services;
    this.settings = settings;
    this.parser = parser;
    this.queries = new SessionQueries(services.node(), "walsender " + pid, MAX_ROWS);
    this.slotCommands = new SlotCommands(pid, services, queries, () -> !closed && !stopping);
    this.started = services.clock().instant();
  }

  /** Runs a command and answers it, whatever happens. */
  void execute(String text) {
    try {
      queries.endExport();
      requireServing();
      if (settings.getBoolean("log_replication_commands")) {
        LOG.info("received replication command: {}", text);
      }
      run(parser.apply(text));
    } catch (PeerGoneException gone) {
      throw gone;
    } catch (PgException e) {
      failed(e);
    } catch (RuntimeException e) {
      LOG.error("walsender {} failed in \"{}\"", pid, text, e);
      failed(PgException.unexpected(e));
    } finally {
      copying = Copying.NONE;
    }
  }

  /** Answers a frame that was not allowed when it came. */
  void refuse(String reason) {
    failed(new PgException(SqlState.PROTOCOL_VIOLATION, reason));
  }

  private void requireServing() {
    if (stopping) {
      throw new PgException(
          SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command");
    }
  }

  private void failed(PgException error) {
    copying = Copying.NONE;
    queries.fail();
    services.slots().dropTemporarySlotsOf(pid);
    client.error(error);
  }

  private void run(ReplicationCommand command) {
    if (command instanceof ReplicationCommand.Sql sql) {
      answer(queries.run(sql.statement()));
    } else if (command instanceof ReplicationCommand.CopyToStdout copy) {
      copy(copy);
    } else if (command instanceof ReplicationCommand.StartLogicalReplication start) {
      stream(start);
    } else {
      send(slotCommands.run(command, settings));
    }
  }

  private void answer(SqlResponse response) {
    for (Notice notice : response.notices()) {
      client.notice(notice);
    }
    response.results().forEach(this::send);
  }

  private void send(StatementResult result) {
    if (result.columns() == null) {
      client.commandComplete(result.command());
    } else {
      client.result(result.columns(), result.rows());
    }
  }

  private void copy(ReplicationCommand.CopyToStdout command) {
    CopyCommand copy = new CopyCommand(command, services.catalog());
    long rows =
        queries.onSnapshot(
            snapshot -> {
              TableCopy table = copy.open();
              copying = Copying.OUT;
              client.copyStarted(false);
              return table.run(snapshot, client);
            });
    copying = Copying.NONE;
    client.commandComplete("COPY " + rows);
  }

  private void stream(ReplicationCommand.StartLogicalReplication command) {
    ReplicationSlot slot =
        services.slots().acquire(command.slot(), pid, services.node().databaseName());
    try {
      stream(slot, command);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PeerGoneException("walsender interrupted", e);
    } finally {
      copying = Copying.NONE;
      walSender = null;
      services.slots().release(slot);
    }
    client.commandComplete("START_REPLICATION");
  }

  private void stream(ReplicationSlot slot, ReplicationCommand.StartLogicalReplication command)
      throws InterruptedException {
    WalSender sender =
        new WalSender(
            client,
            slot,
            services.log(),
            services.clock(),
            command.startLsn(),
            settings.getMillis("wal_sender_timeout"));
    DecodingSettings limits = DecodingSettings.of(settings, true);
    try (DecodingSession decoding =
        services.decoding().start(slot, command.startLsn(), command.options(), sender, limits)) {
      sender.begin(decoding);
      walSender = sender;
      copying = Copying.BOTH;
      client.copyStarted(true);
      LOG.info(
          "walsender {} starts streaming from slot \"{}\" to \"{}\"",
          pid,
          slot.name(),
          peer.applicationName());
      boolean more = true;
      while (more && !closed) {
        if (stopping) {
          sender.stop();
        }
        more = sender.doWork();
      }
      if (!closed) {
        sender.sendCopyDone();
      }
    }
  }

  Copying copying() {
    return copying;
  }

  /** A status update of the peer; from the transport's thread. */
  void statusUpdate(StandbyStatusUpdate update) {
    WalSender sender = walSender;
    if (sender != null) {
      sender.reported(update);
    }
  }

  /** The peer wants no more of the stream; from the transport's thread. */
  void copyDone() {
    WalSender sender = walSender;
    if (sender != null) {
      sender.finish();
    }
  }

  /** Ends a stream once everything is sent and confirmed; new commands are refused. */
  void stop() {
    stopping = true;
    queries.cancel();
    if (copying == Copying.OUT) {
      client.abort(Ending.SHUTDOWN, "terminating connection due to administrator command");
    }
  }

  /** The peer has gone: what runs ends as soon as it notices. */
  void close() {
    closed = true;
    copyDone();
    queries.cancel();
  }

  /** Frees what the session holds; on the session's thread, after the last command. */
  void free() {
    queries.close();
    services.slots().dropTemporarySlotsOf(pid);
  }

  /**
   * Called by the watchdog: gives up a peer that has been silent for too long, or a slot that was
   * invalidated.
   */
  void checkTimeout() {
    WalSender sender = walSender;
    if (sender != null && !closed && sender.slot().invalidationReason() != null) {
      closed = true;
      client.abort(
          Ending.POLICY,
          "terminating walsender process to release replication slot \""
              + sender.slot().name()
              + '"');
    } else if (sender != null && !closed && sender.checkTimeout()) {
      LOG.warn("terminating walsender process due to replication timeout");
      closed = true;
      client.abort(Ending.POLICY, "terminating walsender process due to replication timeout");
    }
  }

  long pid() {
    return pid;
  }

  /** The ReorderBuffer of the stream of that slot, or null when this session does not stream it. */
  ReorderBufferView reorderBufferOf(String slotName) {
    WalSender sender = walSender;
    return sender != null && sender.slot().name().equals(slotName) ? sender.reorderBuffer() : null;
  }

  WalSenderView view() {
    WalSender sender = walSender;
    return new WalSenderView(
        pid,
        peer.applicationName(),
        peer.address(),
        peer.port(),
        started,
        sender == null ? WalSenderState.STARTUP.label() : sender.state().label(),
        sender == null ? null : sender.slot().name(),
        sender == null ? PeerProgress.NONE : sender.progress());
  }
}
