package dev.millrace.publisher.decoding;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.slots.ReplicationSlot;
import java.util.Map;

/** Calls a plugin and gives its errors the context of slot, plugin, callback and LSN. */
final class PluginCalls {

  private final OutputPlugin plugin;
  private final StreamingOutputPlugin streaming;
  private final TwoPhaseOutputPlugin twoPhase;
  private final ReplicationSlot slot;

  PluginCalls(OutputPlugin plugin, ReplicationSlot slot) {
    this.plugin = plugin;
    this.streaming = plugin instanceof StreamingOutputPlugin able ? able : null;
    this.twoPhase = plugin instanceof TwoPhaseOutputPlugin able ? able : null;
    this.slot = slot;
  }

  OutputPlugin.OutputKind startup(Map<String, String> options, OutputWriter writer) {
    try {
      return plugin.startup(options, writer);
    } catch (PgException e) {
      throw e.withContext(callback("startup"));
    }
  }

  boolean wants(CatalogSnapshot catalog, int relationOid, OutputPlugin.ChangeKind kind, long lsn) {
    try {
      return plugin.wants(catalog, relationOid, kind);
    } catch (PgException e) {
      throw inContext(e, "change", lsn);
    }
  }

  boolean judgesRows(
      CatalogSnapshot catalog, int relationOid, OutputPlugin.ChangeKind kind, long lsn) {
    try {
      return plugin.judgesRows(catalog, relationOid, kind);
    } catch (PgException e) {
      throw inContext(e, "change", lsn);
    }
  }

  RowVerdict judge(CatalogSnapshot catalog, DecodedRecord change) {
    try {
      return plugin.judge(catalog, change);
    } catch (PgException e) {
      return RowVerdict.OPEN;
    }
  }

  boolean filterByOrigin(int originId) {
    return plugin.filterByOrigin(originId);
  }

  void begin(DecodedTransaction transaction) {
    try {
      plugin.begin(transaction);
    } catch (PgException e) {
      throw inContext(e, "begin", transaction.firstLsn());
    }
  }

  void change(DecodedTransaction transaction, DecodedRecord change) {
    String callback = "change";
    try {
      if (change.kind() == null) {
        callback = "message";
        plugin.message(transaction, change);
      } else if (change.kind() == OutputPlugin.ChangeKind.TRUNCATE) {
        callback = "truncate";
        plugin.truncate(transaction, change);
      } else {
        plugin.change(transaction, change);
      }
    } catch (PgException e) {
      throw inContext(e, callback, change.lsn());
    }
  }

  void commit(DecodedTransaction transaction) {
    try {
      plugin.commit(transaction);
    } catch (PgException e) {
      throw inContext(e, "commit", transaction.finalLsn());
    }
  }

  /** Whether transactions may be sent while they are open. */
  boolean streams() {
    return streaming != null && streaming.streams();
  }

  void streamStart(DecodedTransaction transaction, boolean firstSegment) {
    try {
      streaming.streamStart(transaction, firstSegment);
    } catch (PgException e) {
      throw inContext(e, "stream_start", transaction.firstLsn());
    }
  }

  void streamStop(DecodedTransaction transaction, long lastLsn) {
    try {
      streaming.streamStop(transaction, lastLsn);
    } catch (PgException e) {
      throw inContext(e, "stream_stop", lastLsn);
    }
  }

  void streamChange(DecodedTransaction transaction, DecodedRecord change) {
    String callback = "stream_change";
    try {
      if (change.kind() == null) {
        callback = "stream_message";
        streaming.streamMessage(transaction, change);
      } else if (change.kind() == OutputPlugin.ChangeKind.TRUNCATE) {
        callback = "stream_truncate";
        streaming.streamTruncate(transaction, change);
      } else {
        streaming.streamChange(transaction, change);
      }
    } catch (PgException e) {
      throw inContext(e, callback, change.lsn());
    }
  }

  void streamAbort(StreamingOutputPlugin.StreamedAbort abort) {
    try {
      streaming.streamAbort(abort);
    } catch (PgException e) {
      throw inContext(e, "stream_abort", abort.abortLsn());
    }
  }

  void streamCommit(DecodedTransaction transaction) {
    try {
      streaming.streamCommit(transaction);
    } catch (PgException e) {
      throw inContext(e, "stream_commit", transaction.finalLsn());
    }
  }

  /** Whether the plugin can take transactions at their PREPARE. */
  boolean takesPrepared() {
    return twoPhase != null;
  }

  /** Whether the options ask for it though the slot may not have it yet. */
  boolean asksForTwoPhase() {
    return twoPhase != null && twoPhase.asksForTwoPhase();
  }

  boolean filterPrepare(int xid, String gid, long lsn) {
    try {
      return twoPhase.filterPrepare(xid, gid);
    } catch (PgException e) {
      throw inContext(e, "filter_prepare", lsn);
    }
  }

  void beginPrepare(DecodedTransaction transaction, String gid) {
    try {
      twoPhase.beginPrepare(transaction, gid);
    } catch (PgException e) {
      throw inContext(e, "begin_prepare", transaction.firstLsn());
    }
  }

  void prepare(DecodedTransaction transaction, String gid) {
    try {
      twoPhase.prepare(transaction, gid);
    } catch (PgException e) {
      throw inContext(e, "prepare", transaction.finalLsn());
    }
  }

  void streamPrepare(DecodedTransaction transaction, String gid) {
    try {
      twoPhase.streamPrepare(transaction, gid);
    } catch (PgException e) {
      throw inContext(e, "stream_prepare", transaction.finalLsn());
    }
  }

  void commitPrepared(DecodedTransaction transaction, String gid) {
    try {
      twoPhase.commitPrepared(transaction, gid);
    } catch (PgException e) {
      throw inContext(e, "commit_prepared", transaction.finalLsn());
    }
  }

  void rollbackPrepared(
      DecodedTransaction transaction, String gid, long prepareEndLsn, long prepareTime) {
    try {
      twoPhase.rollbackPrepared(transaction, gid, prepareEndLsn, prepareTime);
    } catch (PgException e) {
      throw inContext(e, "rollback_prepared", transaction.finalLsn());
    }
  }

  void shutdown() {
    plugin.shutdown();
  }

  private PgException inContext(PgException error, String callback, long lsn) {
    return error.context() != null
        ? error
        : error.withContext(callback(callback) + ", associated LSN " + Lsn.format(lsn));
  }

  private String callback(String name) {
    return "slot \""
        + slot.name()
        + "\", output plugin \""
        + slot.plugin()
        + "\", in the "
        + name
        + " callback";
  }
}
