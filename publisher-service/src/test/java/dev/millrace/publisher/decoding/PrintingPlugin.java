package dev.millrace.publisher.decoding;

import dev.millrace.publisher.catalog.CatalogSnapshot;
import java.util.Map;

/**
 * A third party's plugin with PostgreSQL's first callbacks only: it prints their names. Its heir
 * has the two-phase and stream ones too, but not the one that PostgreSQL misses when both are used.
 */
public class PrintingPlugin implements OutputPlugin {

  private OutputWriter writer;

  /** Registers the plugin. */
  public static final class PlainFactory implements OutputPlugin.Factory {
    @Override
    public String name() {
      return "printing";
    }

    @Override
    public OutputPlugin create() {
      return new PrintingPlugin();
    }
  }

  /** Registers its heir. */
  public static final class TwoPhaseFactory implements OutputPlugin.Factory {
    @Override
    public String name() {
      return "printing_two_phase";
    }

    @Override
    public OutputPlugin create() {
      return new WithTwoPhase();
    }
  }

  void print(DecodedTransaction transaction, String what) {
    writer.prepare(transaction.endLsn(), transaction.xid()).putUtf8(what);
    writer.write();
  }

  @Override
  public OutputKind startup(Map<String, String> options, OutputWriter output) {
    writer = output;
    return OutputKind.TEXT;
  }

  @Override
  public boolean wants(CatalogSnapshot catalog, int relationOid, ChangeKind kind) {
    return true;
  }

  @Override
  public boolean filterByOrigin(int originId) {
    return false;
  }

  @Override
  public void begin(DecodedTransaction transaction) {
    print(transaction, "begin");
  }

  @Override
  public void change(DecodedTransaction transaction, DecodedChange change) {
    print(transaction, "change");
  }

  @Override
  public void truncate(DecodedTransaction transaction, DecodedChange change) {
    print(transaction, "truncate");
  }

  @Override
  public void message(DecodedTransaction transaction, DecodedChange change) {
    print(transaction, "message");
  }

  @Override
  public void commit(DecodedTransaction transaction) {
    print(transaction, "commit");
  }

  @Override
  public void shutdown() {
    writer = null;
  }

  /** Holds identifiers back that begin with "later". */
  private static final class WithTwoPhase extends PrintingPlugin
      implements TwoPhaseOutputPlugin, StreamingOutputPlugin {

    private boolean streams;

    @Override
    public OutputKind startup(Map<String, String> options, OutputWriter output) {
      streams = options.containsKey("stream");
      return super.startup(options, output);
    }

    @Override
    public boolean filterPrepare(int xid, String gid) {
      return gid.startsWith("later");
    }

    @Override
    public void beginPrepare(DecodedTransaction transaction, String gid) {
      print(transaction, "begin_prepare " + gid);
    }

    @Override
    public void prepare(DecodedTransaction transaction, String gid) {
      print(transaction, "prepare " + gid);
    }

    @Override
    public void commitPrepared(DecodedTransaction transaction, String gid) {
      print(transaction, "commit_prepared " + gid);
    }

    @Override
    public void rollbackPrepared(
        DecodedTransaction transaction, String gid, long prepareEndLsn, long prepareTime) {
      print(transaction, "rollback_prepared " + gid);
    }

    @Override
    public boolean streams() {
      return streams;
    }

    @Override
    public void streamStart(DecodedTransaction transaction, boolean firstSegment) {
      print(transaction, "stream_start");
    }

    @Override
    public void streamStop(DecodedTransaction transaction, long lastLsn) {
      print(transaction, "stream_stop");
    }

    @Override
    public void streamChange(DecodedTransaction transaction, DecodedChange change) {
      print(transaction, "stream_change");
    }

    @Override
    public void streamTruncate(DecodedTransaction transaction, DecodedChange change) {
      print(transaction, "stream_truncate");
    }

    @Override
    public void streamMessage(DecodedTransaction transaction, DecodedChange change) {
      print(transaction, "stream_message");
    }

    @Override
    public void streamAbort(StreamedAbort abort) {
      throw new AssertionError("nothing aborts here");
    }

    @Override
    public void streamCommit(DecodedTransaction transaction) {
      print(transaction, "stream_commit");
    }
  }
}
