package dev.millrace.publisher.decoding;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.slots.Invalidation;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads a slot's changes without a walsender: what pg_logical_slot_get_changes and its kin answer.
 * Safe for any thread; the slot is held during a call.
 */
public final class SlotChanges {

  /**
   * @param ownerPid of the session that asks
   * @param uptoLsn stop behind the record that reaches it; 0 = the end of the log
   * @param uptoChanges stop at the end of the transaction that reaches so many messages; 0 = no
   *     limit
   * @param consume confirm what was read (get), or leave the slot as it is (peek)
   * @param binary whether binary output is acceptable
   * @param immediately give every change up at once, see LogicalDecoding.DecodingSettings
   * @param maxRows more messages than that are refused with 54000
   * @param notices takes the plugin's warnings
   */
  public record Request(
      String slot,
      String database,
      long ownerPid,
      long uptoLsn,
      int uptoChanges,
      Map<String, String> options,
      boolean consume,
      boolean binary,
      int maxRows,
      long workMem,
      boolean immediately,
      Consumer<Notice> notices) {

    /** The SQL function that asks so, with its argument types. */
    String functionName() {
      return "pg_logical_slot_"
          + (consume ? "get_" : "peek_")
          + (binary ? "binary_" : "")
          + "changes(name,pg_lsn,integer,text[])";
    }
  }

  /** One message of the plugin. */
  public record Change(long lsn, int xid, byte[] data) {}

  /** An answer is held whole, first as bytes and then as text. */
  private static final int MAX_ANSWERS_IN_HEAP = 16;

  private final ReplicationSlots slots;
  private final LogicalDecoding decoding;
  private final WriteAheadLog log;
  private final long maxBytes;

  public SlotChanges(ReplicationSlots slots, LogicalDecoding decoding, WriteAheadLog log) {
    this(slots, decoding, log, Runtime.getRuntime().maxMemory() / MAX_ANSWERS_IN_HEAP);
  }

  SlotChanges(ReplicationSlots slots, LogicalDecoding decoding, WriteAheadLog log, long maxBytes) {
    this.slots = slots;
    this.decoding = decoding;
    this.log = log;
    this.maxBytes = maxBytes;
  }

  /**
   * @throws PgException as ReplicationSlots.acquire and the plugin's start; 0A000 when the plugin
   *     writes binary and text is wanted; 54000 above maxRows, or above what the heap has room for
   */
  public List<Change> read(Request request) {
    ReplicationSlot slot = slots.acquire(request.slot, request.ownerPid, request.database);
    try {
      requireLogical(slot);
      Rows rows = new Rows(request, maxBytes);
      try (LogicalDecoding.DecodingSession session =
          decoding.start(
              slot,
              0,
              request.options,
              rows,
              new LogicalDecoding.DecodingSettings(
                  request.workMem, request.immediately, request.binary))) {
        requireReadable(slot, session, request);
        run(slot, session, request, rows);
        if (request.consume) {
          slot.confirm(session.processedLsn());
        }
      }
      return rows.changes;
    } finally {
      slots.release(slot);
    }
  }

  private static void requireLogical(ReplicationSlot slot) {
    if (!slot.logical()) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "cannot use physical replication slot for logical decoding");
    }
  }

  private static void requireReadable(
      ReplicationSlot slot, LogicalDecoding.DecodingSession session, Request request) {
    if (!request.binary && session.outputKind() == OutputPlugin.OutputKind.BINARY) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "logical decoding output plugin \""
              + slot.plugin()
              + "\" produces binary output, but function \""
              + request.functionName()
              + "\" expects textual data");
    }
  }

  private void run(
      ReplicationSlot slot, LogicalDecoding.DecodingSession session, Request request, Rows rows) {
    long endLsn = log.flushLsn();
    while (Lsn.isBefore(session.processedLsn(), endLsn) && session.step()) {
      Invalidation.requireNone(slot);
      boolean lsnReached =
          request.uptoLsn != 0 && !Lsn.isBefore(session.processedLsn(), request.uptoLsn);
      boolean countReached = request.uptoChanges != 0 && rows.changes.size() >= request.uptoChanges;
      if (lsnReached || countReached) {
        return;
      }
    }
  }

  /** Collects messages; those without a position of their own show that of the one after them. */
  private static final class Rows implements OutputWriter {
    final List<Change> changes = new ArrayList<>();
    private final Request request;
    private final long maxBytes;
    private final ByteBuilder message = new ByteBuilder(256);
    private long bytes;
    private int withoutLsn;
    private long lsn;
    private int xid;

    Rows(Request request, long maxBytes) {
      this.request = request;
      this.maxBytes = maxBytes;
    }

    @Override
    public ByteBuilder prepare(long messageLsn, int messageXid) {
      message.truncate(0);
      lsn = messageLsn;
      xid = messageXid;
      return message;
    }

    @Override
    public void write() {
      if (changes.size() >= request.maxRows) {
        throw new PgException(
                SqlState.PROGRAM_LIMIT_EXCEEDED,
                "more than " + request.maxRows + " changes to return")
            .withHint("Limit the answer with upto_lsn or upto_nchanges.");
      }
      bytes += message.size();
      if (bytes > maxBytes) {
        throw new PgException(
                SqlState.PROGRAM_LIMIT_EXCEEDED,
                "more than " + maxBytes + " bytes of changes to return")
            .withHint("Limit the answer with upto_lsn or upto_nchanges.");
      }
      changes.add(new Change(lsn, xid, Arrays.copyOf(message.array(), message.size())));
      if (lsn == 0) {
        withoutLsn++;
      } else {
        for (int i = changes.size() - 2; withoutLsn > 0; i--, withoutLsn--) {
          Change earlier = changes.get(i);
          changes.set(i, new Change(lsn, earlier.xid, earlier.data));
        }
      }
    }

    @Override
    public void progress(long progressLsn) {
      // Nobody waits for keepalives here.
    }

    @Override
    public void notice(Notice notice) {
      request.notices.accept(notice);
    }
  }
}
