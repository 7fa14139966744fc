package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Identifiers;
import dev.millrace.publisher.decoding.DecodedChange;
import dev.millrace.publisher.decoding.DecodedTransaction;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.decoding.StreamingOutputPlugin.StreamedAbort;
import java.util.HashSet;
import java.util.Set;

/**
 * What test_decoding says of streamed transactions: that there are changes, not which. With
 * skip-empty-xacts a block is opened by its first change, and the end of a transaction of which no
 * change was told is left out.
 */
final class TestDecodingStreams {

  private final TestDecodingOptions options;
  private final OutputWriter writer;
  private final Set<Integer> wroteChanges = new HashSet<>();
  private boolean opened;

  TestDecodingStreams(TestDecodingOptions options, OutputWriter writer) {
    this.options = options;
    this.writer = writer;
  }

  void start(DecodedTransaction transaction) {
    opened = false;
    if (!options.skipEmptyXacts()) {
      open(transaction, transaction.firstLsn());
    }
  }

  private void open(DecodedTransaction transaction, long lsn) {
    opened = true;
    ByteBuilder out = writer.prepare(lsn, transaction.xid());
    out.putUtf8("opening a streamed block for transaction");
    write(out, " TXN ", transaction.xid());
  }

  /** Ends a message, with the xid where that is wanted. */
  private void write(ByteBuilder out, String before, int xid) {
    if (options.includeXids()) {
      out.putUtf8(before + Integer.toUnsignedString(xid));
    }
    writer.write();
  }

  void stop(DecodedTransaction transaction, long lastLsn) {
    if (opened) {
      ByteBuilder out = writer.prepare(lastLsn, transaction.xid());
      out.putUtf8("closing a streamed block for transaction");
      write(out, " TXN ", transaction.xid());
    }
  }

  /**
   * @param what "change" or "truncate"
   */
  void change(DecodedTransaction transaction, DecodedChange change, String what) {
    ensureOpened(transaction);
    ByteBuilder out = writer.prepare(change.lsn(), transaction.xid());
    out.putUtf8("streaming " + what + " for ");
    if (!options.includeXids()) {
      out.putUtf8("transaction");
    }
    write(out, "TXN ", transaction.xid());
  }

  private void ensureOpened(DecodedTransaction transaction) {
    if (!opened) {
      open(transaction, 0);
    }
    wroteChanges.add(transaction.xid());
  }

  void message(DecodedTransaction transaction, DecodedChange change) {
    ensureOpened(transaction);
    ByteBuilder out = writer.prepare(change.lsn(), transaction.xid());
    out.putUtf8("streaming message: transactional: 1 prefix: ").putUtf8(change.messagePrefix());
    out.putUtf8(", sz: " + change.contentLength());
    writer.write();
  }

  void abort(StreamedAbort abort) {
    boolean whole = abort.xid() == abort.subxid();
    boolean wrote = whole ? wroteChanges.remove(abort.xid()) : wroteChanges.contains(abort.xid());
    if (wrote || !options.skipEmptyXacts()) {
      ByteBuilder out = writer.prepare(abort.abortLsn(), abort.subxid());
      out.putUtf8("aborting streamed (sub)transaction");
      write(out, " TXN ", abort.subxid());
    }
  }

  void commit(DecodedTransaction transaction) {
    if (wroteChanges.remove(transaction.xid()) || !options.skipEmptyXacts()) {
      ByteBuilder out = writer.prepare(transaction.endLsn(), transaction.xid());
      out.putUtf8("committing streamed transaction");
      if (options.includeXids()) {
        out.putUtf8(" TXN " + Integer.toUnsignedString(transaction.xid()));
      }
      end(out, transaction);
    }
  }

  private void end(ByteBuilder out, DecodedTransaction transaction) {
    if (options.includeTimestamp()) {
      out.putUtf8(" (at " + TestDecodingPlugin.timestamp(transaction.commitTime()) + ")");
    }
    writer.write();
  }

  void prepare(DecodedTransaction transaction, String gid) {
    if (wroteChanges.remove(transaction.xid()) || !options.skipEmptyXacts()) {
      ByteBuilder out = writer.prepare(transaction.endLsn(), transaction.xid());
      out.putUtf8("preparing streamed transaction").putUtf8(options.includeXids() ? " TXN " : " ");
      out.putUtf8(Identifiers.literal(gid));
      if (options.includeXids()) {
        out.putUtf8(", txid " + Integer.toUnsignedString(transaction.xid()));
      }
      end(out, transaction);
    }
  }
}
