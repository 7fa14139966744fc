package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the chain of one decoding session together. Safe for any thread. */
public final class SlotDecoding implements LogicalDecoding {

  private static final Logger LOG = LoggerFactory.getLogger(SlotDecoding.class);

  private final WriteAheadLog log;
  private final CatalogHistory history;
  private final DatabaseOids databases;
  private final OriginNames origins;
  private final DecodingMemory memory;
  private final long segmentSize;
  private final OutputPlugins plugins = new OutputPlugins();

  /**
   * @param memory shared by all sessions
   * @param segmentSize of the log, in bytes
   */
  public SlotDecoding(
      WriteAheadLog log,
      CatalogHistory history,
      DatabaseOids databases,
      OriginNames origins,
      DecodingMemory memory,
      long segmentSize) {
    this.log = log;
    this.history = history;
    this.databases = databases;
    this.origins = origins;
    this.memory = memory;
    this.segmentSize = segmentSize;
  }

  @Override
  public DecodingSession start(
      ReplicationSlot slot,
      long startLsn,
      Map<String, String> options,
      OutputWriter writer,
      DecodingSettings settings) {
    long fromLsn = startPosition(slot, startLsn);
    PluginCalls plugin = new PluginCalls(plugins.find(slot.plugin()).create(), slot);
    OutputPlugin.OutputKind kind = plugin.startup(options, writer);
    if (plugin.asksForTwoPhase()) {
      slot.enableTwoPhase(fromLsn);
    }
    WalReader reader = log.openReader(slot.restartLsn());
    CatalogOverlays overlays = new CatalogOverlays(history);
    int databaseOid = databases.oidOf(slot.database());
    Gates gates = new Gates(history, plugin, databaseOid, overlays, reader.position());
    ReorderBuffer buffer =
        new ReorderBuffer(
            slot.directory(),
            settings.logicalDecodingWorkMem(),
            segmentSize,
            slot.statistics(),
            memory);
    DecodedRecord change = new DecodedRecord(history);
    DecodingProgress progress = new DecodingProgress(writer);
    StreamBlocks blocks = new StreamBlocks(buffer, plugin, change, overlays, progress, origins);
    if (plugin.streams()) {
      buffer.streamBy(blocks);
    }
    buffer.dropAborted(log.abortedTransactions()::contains);
    if (settings.immediately()) {
      buffer.giveUpImmediately();
    }
    PreparedDecoding prepared =
        new PreparedDecoding(
            buffer,
            plugin,
            change,
            overlays,
            blocks,
            progress,
            origins,
            slot.twoPhase() && plugin.takesPrepared(),
            slot.twoPhaseAt());
    return new LogicalDecoder(
        reader,
        gates,
        overlays,
        buffer,
        plugin,
        kind,
        blocks,
        prepared,
        progress,
        new OpenTransactions(slot),
        origins,
        change,
        fromLsn);
  }

  private long startPosition(ReplicationSlot slot, long startLsn) {
    long flushLsn = log.flushLsn();
    if (Lsn.isBefore(flushLsn, startLsn)) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "requested starting point "
              + Lsn.format(startLsn)
              + " is ahead of the WAL flush position of this server "
              + Lsn.format(flushLsn));
    }
    long confirmedLsn = slot.confirmedFlushLsn();
    if (startLsn != 0 && Lsn.isBefore(startLsn, confirmedLsn)) {
      LOG.info(
          "{} has been already streamed, forwarding to {}",
          Lsn.format(startLsn),
          Lsn.format(confirmedLsn));
    }
    return Lsn.max(startLsn, confirmedLsn);
  }

  @Override
  public void requirePlugin(String name) {
    plugins.find(name);
  }

  @Override
  public DecodingSession startFastForward(ReplicationSlot slot) {
    WalReader reader = log.openReader(slot.restartLsn());
    return new FastForward(reader, new OpenTransactions(slot), slot.confirmedFlushLsn());
  }
}
