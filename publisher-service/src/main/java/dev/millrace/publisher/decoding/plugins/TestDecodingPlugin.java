package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgTime;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.decoding.DecodedChange;
import dev.millrace.publisher.decoding.DecodedTransaction;
import dev.millrace.publisher.decoding.OutputPlugin;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.decoding.StreamingOutputPlugin;
import dev.millrace.publisher.decoding.TwoPhaseOutputPlugin;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** {@code test_decoding}: changes of all tables as text, one message per line. */
public final class TestDecodingPlugin implements StreamingOutputPlugin, TwoPhaseOutputPlugin {

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final int RESTART_IDENTITY = 2;
  private static final int CASCADE = 1;

  /** Registers the plugin under its name. */
  public static final class Factory implements OutputPlugin.Factory {
    @Override
    public String name() {
      return "test_decoding";
    }

    @Override
    public OutputPlugin create() {
      return new TestDecodingPlugin();
    }
  }

  private final Map<Integer, RowText> relations = new HashMap<>();
  private TestDecodingOptions options;
  private OutputWriter writer;
  private TestDecodingStreams streams;
  private boolean begun;

  @Override
  public OutputKind startup(Map<String, String> given, OutputWriter output) {
    options = TestDecodingOptions.parse(given);
    writer = output;
    streams = new TestDecodingStreams(options, output);
    return options.forceBinary() ? OutputKind.BINARY : OutputKind.TEXT;
  }

  @Override
  public boolean wants(CatalogSnapshot catalog, int relationOid, ChangeKind kind) {
    return true;
  }

  @Override
  public boolean filterByOrigin(int originId) {
    return options.onlyLocal();
  }

  @Override
  public void begin(DecodedTransaction transaction) {
    begun = false;
    if (!options.skipEmptyXacts()) {
      ensureBegun(transaction);
    }
  }

  private void ensureBegun(DecodedTransaction transaction) {
    if (!begun) {
      begun = true;
      ByteBuilder out = writer.prepare(transaction.firstLsn(), transaction.xid());
      out.putUtf8("BEGIN");
      xid(out, transaction);
      writer.write();
    }
  }

  private void xid(ByteBuilder out, DecodedTransaction transaction) {
    if (options.includeXids()) {
      out.putUtf8(" " + Integer.toUnsignedString(transaction.xid()));
    }
  }

  @Override
  public void change(DecodedTransaction transaction, DecodedChange change) {
    ensureBegun(transaction);
    RowText text = textOf(change.relation());
    ByteBuilder out = writer.prepare(change.lsn(), transaction.xid());
    out.putUtf8("table ").putUtf8(text.qualifiedName()).putUtf8(": ");
    out.putUtf8(change.kind().name()).putByte(':');
    if (change.kind() == ChangeKind.UPDATE && change.oldTupleOffset() >= 0) {
      out.putUtf8(" old-key:");
      text.write(out, change.buffer(), change.oldTupleOffset(), true);
      out.putUtf8(" new-tuple:");
    }
    boolean delete = change.kind() == ChangeKind.DELETE;
    int tuple = delete ? change.oldTupleOffset() : change.newTupleOffset();
    if (tuple < 0) {
      out.putUtf8(" (no-tuple-data)");
    } else {
      text.write(out, change.buffer(), tuple, delete);
    }
    writer.write();
  }

  private RowText textOf(RelationDefinition relation) {
    RowText text = relations.get(relation.oid());
    if (text == null || text.relation() != relation) {
      text = new RowText(relation);
      relations.put(relation.oid(), text);
    }
    return text;
  }

  @Override
  public void truncate(DecodedTransaction transaction, DecodedChange change) {
    ensureBegun(transaction);
    ByteBuilder out = writer.prepare(change.lsn(), transaction.xid());
    String tables =
        change.truncated().stream()
            .map(relation -> relation.name().quoted())
            .collect(Collectors.joining(", "));
    out.putUtf8("table ").putUtf8(tables).putUtf8(": TRUNCATE:");
    int flags = change.truncateFlags();
    if ((flags & RESTART_IDENTITY) != 0) {
      out.putUtf8(" restart_seqs");
    }
    if ((flags & CASCADE) != 0) {
      out.putUtf8(" cascade");
    }
    if ((flags & (RESTART_IDENTITY | CASCADE)) == 0) {
      out.putUtf8(" (no-flags)");
    }
    writer.write();
  }

  @Override
  public void message(DecodedTransaction transaction, DecodedChange change) {
    boolean transactional = change.messageTransactional();
    if (transactional) {
      ensureBegun(transaction);
    }
    ByteBuilder out = writer.prepare(change.lsn(), transaction.xid());
    out.putUtf8("message: transactional: ").putByte(transactional ? '1' : '0');
    out.putUtf8(" prefix: ").putUtf8(change.messagePrefix());
    out.putUtf8(", sz: " + change.contentLength() + " content:");
    out.putBytes(change.buffer(), change.contentOffset(), change.contentLength());
    writer.write();
  }

  @Override
  public void commit(DecodedTransaction transaction) {
    if (!begun) {
      return;
    }
    begun = false;
    ByteBuilder out = writer.prepare(transaction.endLsn(), transaction.xid());
    out.putUtf8("COMMIT");
    xid(out, transaction);
    at(out, transaction);
    writer.write();
  }

  /** Transactions with such identifiers wait for COMMIT PREPARED. */
  @Override
  public boolean filterPrepare(int xid, String gid) {
    return gid.contains("_nodecode");
  }

  @Override
  public void beginPrepare(DecodedTransaction transaction, String gid) {
    begin(transaction);
  }

  @Override
  public void prepare(DecodedTransaction transaction, String gid) {
    if (begun) {
      begun = false;
      twoPhase("PREPARE TRANSACTION", transaction, gid);
    }
  }

  @Override
  public void commitPrepared(DecodedTransaction transaction, String gid) {
    twoPhase("COMMIT PREPARED", transaction, gid);
  }

  @Override
  public void rollbackPrepared(
      DecodedTransaction transaction, String gid, long prepareEndLsn, long prepareTime) {
    twoPhase("ROLLBACK PREPARED", transaction, gid);
  }

  private void twoPhase(String command, DecodedTransaction transaction, String gid) {
    ByteBuilder out = writer.prepare(transaction.endLsn(), transaction.xid());
    out.putUtf8(command).putByte(' ').putUtf8(Identifiers.literal(gid));
    if (options.includeXids()) {
      out.putUtf8(", txid " + Integer.toUnsignedString(transaction.xid()));
    }
    at(out, transaction);
    writer.write();
  }

  private void at(ByteBuilder out, DecodedTransaction transaction) {
    if (options.includeTimestamp()) {
      out.putUtf8(" (at " + timestamp(transaction.commitTime()) + ")");
    }
  }

  /** As timestamptz prints in UTC: without trailing zeros of the fraction. */
  static String timestamp(long micros) {
    java.time.Instant time = PgTime.toInstant(micros);
    StringBuilder text = new StringBuilder(SECONDS.format(time));
    int fraction = time.getNano() / 1000;
    if (fraction != 0) {
      text.append('.').append(String.format(Locale.ROOT, "%06d", fraction));
      while (text.charAt(text.length() - 1) == '0') {
        text.setLength(text.length() - 1);
      }
    }
    return text.append("+00").toString();
  }

  @Override
  public boolean streams() {
    return options.streamChanges();
  }

  @Override
  public void streamStart(DecodedTransaction transaction, boolean firstSegment) {
    streams.start(transaction);
  }

  @Override
  public void streamStop(DecodedTransaction transaction, long lastLsn) {
    streams.stop(transaction, lastLsn);
  }

  @Override
  public void streamChange(DecodedTransaction transaction, DecodedChange change) {
    streams.change(transaction, change, "change");
  }

  @Override
  public void streamTruncate(DecodedTransaction transaction, DecodedChange change) {
    streams.change(transaction, change, "truncate");
  }

  @Override
  public void streamMessage(DecodedTransaction transaction, DecodedChange change) {
    streams.message(transaction, change);
  }

  @Override
  public void streamAbort(StreamedAbort abort) {
    streams.abort(abort);
  }

  @Override
  public void streamCommit(DecodedTransaction transaction) {
    streams.commit(transaction);
  }

  @Override
  public void streamPrepare(DecodedTransaction transaction, String gid) {
    streams.prepare(transaction, gid);
  }

  @Override
  public void shutdown() {
    relations.clear();
  }
}
