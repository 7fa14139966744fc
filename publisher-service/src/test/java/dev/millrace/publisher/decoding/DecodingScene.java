package dev.millrace.publisher.decoding;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.BeginPrepare;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.CommitPrepared;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.Origin;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.RollbackPrepared;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamPrepare;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.pgoutput.Update;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotStore;
import dev.millrace.publisher.wal.FinishPreparedRecord;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.SegmentedLog;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalOptions;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A real log and slot store, a catalogue made by hand, and short words for what a session would
 * have logged. Rows are written as {@code oid, version} and text values; {@code null} is NULL and
 * {@link #UNCHANGED} an unchanged large value.
 */
final class DecodingScene implements AutoCloseable {

  static final String UNCHANGED = "\0unchanged";
  static final int DATABASE = 16384;

  /** The only origin that has a name. */
  static final int FAR = 3;

  static final long COMMIT_TIME = 828_030_900_000_000L;
  static final int SEGMENT = 64 * 1024;
  static final long PID = 7;

  final WriteAheadLog log;
  final FakeCatalog catalog = new FakeCatalog();
  final SlotStore slots;
  final DecodingMemory memory = DecodingMemory.unlimited();
  final SlotDecoding decoding;
  private final WalBatch batch = new WalBatch(4096);

  /** As debug_logical_replication_streaming = immediate, for sessions that start from now on. */
  boolean immediately;

  private long lastLsn;

  DecodingScene(Path directory) {
    log =
        SegmentedLog.open(
            directory.resolve("pg_wal"),
            WalOptions.defaults().withSegmentSize(SEGMENT),
            WalFormat.FIRST_LSN,
            WalFormat.FIRST_LSN,
            failure -> {
              throw new AssertionError(failure);
            });
    slots = SlotStore.open(directory.resolve("pg_replslot"), () -> 10, Clock.systemUTC());
    decoding =
        new SlotDecoding(
            log,
            catalog,
            name -> name.equals("testdb") ? DATABASE : 0,
            id -> id == FAR ? "far" : null,
            memory,
            SEGMENT);
  }

  /** A slot at the end of the log while nothing runs; it is in use by {@link #PID}. */
  ReplicationSlot slot(String name, String plugin) {
    return slot(name, plugin, false);
  }

  ReplicationSlot slot(String name, String plugin, boolean twoPhase) {
    ReplicationSlot slot =
        slots.create(
            new ReplicationSlots.SlotRequest(name, true, plugin, "testdb", false, twoPhase, false),
            PID);
    slot.makeReady(log.insertLsn(), log.insertLsn(), 731);
    return slot;
  }

  long insert(int xid, int topXid, RelationDefinition table, String... values) {
    row(WalRecordType.INSERT, xid, topXid, table).putByte('N');
    return tuple(values).append();
  }

  long update(int xid, int topXid, RelationDefinition table, String... values) {
    row(WalRecordType.UPDATE, xid, topXid, table).putByte('N');
    return tuple(values).append();
  }

  long update(
      int xid, int topXid, RelationDefinition table, char kind, String[] old, String... values) {
    row(WalRecordType.UPDATE, xid, topXid, table).putByte(kind);
    tuple(old).body.putByte('L');
    tuple("locator").body.putByte('N');
    return tuple(values).append();
  }

  long delete(int xid, int topXid, RelationDefinition table, char kind, String... old) {
    row(WalRecordType.DELETE, xid, topXid, table);
    if (kind != 0) {
      body.putByte(kind);
      tuple(old);
    }
    body.putByte('L');
    return tuple("locator").append();
  }

  long truncate(int xid, int topXid, int flags, RelationDefinition... tables) {
    body = batch.begin(WalRecordType.TRUNCATE, flags, xid, topXid, DATABASE, 0);
    body.putInt(tables.length);
    for (RelationDefinition table : tables) {
      body.putInt(table.oid()).putInt(table.version());
    }
    return append();
  }

  long message(int xid, boolean transactional, String prefix, String content) {
    return message(xid, xid, transactional, prefix, content);
  }

  long message(int xid, int topXid, boolean transactional, String prefix, String content) {
    int flags = transactional ? 1 : 0;
    body = batch.begin(WalRecordType.MESSAGE, flags, xid, topXid, DATABASE, 0);
    body.putName(prefix).putUtf8(content);
    return append();
  }

  long catalogChange(int xid, int topXid, String change) {
    body = batch.begin(WalRecordType.CATALOG, 0, xid, topXid, DATABASE, 0);
    body.putUtf8(change);
    return append();
  }

  /** Returns the end of the record. */
  long commit(int xid, int... subxids) {
    return commitFrom(DATABASE, 0, xid, subxids);
  }

  long commitFrom(int database, int originId, int xid, int... subxids) {
    body = batch.begin(WalRecordType.COMMIT, 0, xid, xid, database, originId);
    body.putLong(COMMIT_TIME).putLong(0);
    subxids(subxids);
    append();
    return log.insertLsn();
  }

  long abort(int xid, int topXid, int... subxids) {
    body = batch.begin(WalRecordType.ABORT, 0, xid, topXid, DATABASE, 0);
    body.putLong(COMMIT_TIME);
    subxids(subxids);
    return append();
  }

  /** Returns the end of the record. */
  long prepare(int xid, String gid, int... subxids) {
    return prepareFrom(DATABASE, 0, xid, gid, PrepareRecord.CHANGED, subxids);
  }

  long prepareFrom(int database, int originId, int xid, String gid, int flags, int... subxids) {
    body = batch.begin(WalRecordType.PREPARE, flags, xid, xid, database, originId);
    new PrepareRecord(COMMIT_TIME, 0, list(subxids), gid, List.of(), List.of()).encode(body);
    append();
    return log.insertLsn();
  }

  /** Ends a prepared transaction, as a session with that origin would; returns the record's end. */
  long finishPrepared(boolean commit, int originId, int xid, String gid, int... subxids) {
    WalRecordType type = commit ? WalRecordType.COMMIT_PREPARED : WalRecordType.ROLLBACK_PREPARED;
    body = batch.begin(type, 0, xid, xid, DATABASE, originId);
    new FinishPreparedRecord(COMMIT_TIME, 0, list(subxids), 1, COMMIT_TIME, gid).encode(body);
    append();
    return log.insertLsn();
  }

  private static List<Integer> list(int... xids) {
    return java.util.Arrays.stream(xids).boxed().toList();
  }

  /** A row written by another database or origin. */
  long insertFrom(int database, int originId, int xid, RelationDefinition table, String... values) {
    body = batch.begin(WalRecordType.INSERT, 0, xid, xid, database, originId);
    body.putInt(table.oid()).putInt(table.version()).putByte('N');
    return tuple(values).append();
  }

  private ByteBuilder body;

  private ByteBuilder row(WalRecordType type, int xid, int topXid, RelationDefinition table) {
    body = batch.begin(type, 0, xid, topXid, DATABASE, 0);
    return body.putInt(table.oid()).putInt(table.version());
  }

  private void subxids(int... subxids) {
    body.putInt(subxids.length);
    for (int subxid : subxids) {
      body.putInt(subxid);
    }
  }

  private DecodingScene tuple(String... values) {
    body.putShort(values.length);
    for (String value : values) {
      if (value == null) {
        body.putByte('n');
      } else if (value.equals(UNCHANGED)) {
        body.putByte('u');
      } else {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        body.putByte('t').putInt(utf8.length).putBytes(utf8, 0, utf8.length);
      }
    }
    return this;
  }

  /** Returns the record's LSN. */
  private long append() {
    batch.end();
    log.append(batch, (startLsn, endLsn) -> lastLsn = startLsn);
    batch.clear();
    return lastLsn;
  }

  Session session(ReplicationSlot slot, long startLsn, String... options) {
    return session(slot, startLsn, 64L << 20, options);
  }

  Session session(ReplicationSlot slot, long startLsn, long workMem, String... options) {
    return new Session(slot, startLsn, workMem, options);
  }

  Session pgoutput(ReplicationSlot slot, String publications) {
    return session(slot, 0, "proto_version", "1", "publication_names", publications);
  }

  static Map<String, String> options(String... pairs) {
    Map<String, String> options = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      options.put(pairs[i], pairs[i + 1]);
    }
    return options;
  }

  /** A decoding session whose output is shown as text. */
  final class Session implements AutoCloseable, OutputWriter {
    final LogicalDecoding.DecodingSession decoder;
    final List<Notice> notices = new ArrayList<>();
    final List<Long> lsns = new ArrayList<>();
    private final ByteBuilder message = new ByteBuilder(128);
    private final PgOutputReader reader;
    private List<String> lines = new ArrayList<>();
    final List<PgOutputMessage> messages = new ArrayList<>();
    private final boolean binary;
    int progressCalls;
    private int failAt;

    Session(ReplicationSlot slot, long startLsn, long workMem, String... options) {
      binary = slot.plugin().equals("pgoutput");
      reader = new PgOutputReader("parallel".equals(options(options).get("streaming")));
      decoder =
          decoding.start(
              slot,
              startLsn,
              options(options),
              this,
              new LogicalDecoding.DecodingSettings(workMem, immediately, true));
    }

    /** Makes the n-th message from now fail as a plugin would. */
    void failAtPrepare(int n) {
      failAt = n;
    }

    /** Decodes everything there is and returns what was written since the last call. */
    List<String> read() {
      log.flush(log.insertLsn());
      boolean more = true;
      while (more) {
        more = decoder.step();
      }
      List<String> written = lines;
      lines = new ArrayList<>();
      return written;
    }

    @Override
    public ByteBuilder prepare(long lsn, int xid) {
      if (failAt > 0 && --failAt == 0) {
        throw new PgException("XX000", "the plugin failed");
      }
      message.truncate(0);
      lsns.add(lsn);
      return message;
    }

    @Override
    public void write() {
      if (!binary) {
        lines.add(new String(message.array(), 0, message.size(), StandardCharsets.UTF_8));
        return;
      }
      PgOutputMessage read = reader.read(message.array().clone(), 0, message.size());
      messages.add(read);
      lines.add(show(read));
    }

    @Override
    public void progress(long lsn) {
      progressCalls++;
    }

    @Override
    public void notice(Notice notice) {
      notices.add(notice);
    }

    @Override
    public void close() {
      decoder.close();
    }
  }

  /** One message in short; changes inside stream blocks begin with their xid. */
  static String show(PgOutputMessage message) {
    int streamXid = StreamReplay.streamXid(message);
    String text = showPlain(message);
    return streamXid == 0 ? text : streamXid + " " + text;
  }

  static String showPlain(PgOutputMessage message) {
    if (message instanceof StreamStart m) {
      return "S " + m.xid() + (m.firstSegment() ? " first" : "");
    } else if (message instanceof StreamStop) {
      return "E";
    } else if (message instanceof StreamCommit m) {
      return "c " + m.xid();
    } else if (message instanceof StreamAbort m) {
      return "A " + m.xid() + " " + m.subxid() + (m.abortLsn() == 0 ? "" : " at a time");
    } else if (message instanceof Begin m) {
      return "B " + m.xid();
    } else if (message instanceof Origin m) {
      return "O " + m.name() + " " + m.originLsn();
    } else if (message instanceof Commit) {
      return "C";
    } else if (message instanceof BeginPrepare m) {
      return "b " + m.xid() + " " + m.gid();
    } else if (message instanceof Prepare m) {
      return "P " + m.xid() + " " + m.gid();
    } else if (message instanceof StreamPrepare m) {
      return "p " + m.xid() + " " + m.gid();
    } else if (message instanceof CommitPrepared m) {
      return "K " + m.xid() + " " + m.gid();
    } else if (message instanceof RollbackPrepared m) {
      return "r " + m.xid() + " " + m.gid();
    } else if (message instanceof Relation m) {
      StringBuilder text = new StringBuilder("R " + m.name() + " " + m.replicaIdentity().code());
      m.columns().forEach(c -> text.append(' ').append(c.name()).append(c.key() ? "*" : ""));
      return text.toString();
    } else if (message instanceof Insert m) {
      return "I " + m.relationOid() + " N" + show(m.newTuple());
    } else if (message instanceof Update m) {
      String old = m.oldKind() == 0 ? "" : m.oldKind() + show(m.oldTuple()) + " ";
      return "U " + m.relationOid() + " " + old + "N" + show(m.newTuple());
    } else if (message instanceof Delete m) {
      return "D " + m.relationOid() + " " + m.oldKind() + show(m.oldTuple());
    } else if (message instanceof Truncate m) {
      return "T " + m.flags() + " " + m.relationOids();
    } else if (message instanceof LogicalMessage m) {
      String content = new String(m.content(), StandardCharsets.UTF_8);
      return "M " + m.transactional() + " " + m.prefix() + " " + content;
    }
    return message.toString();
  }

  private static String show(TupleData tuple) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < tuple.columns(); i++) {
      values.add(tuple.hasValue(i) ? tuple.text(i) : String.valueOf(tuple.kind(i)).toUpperCase());
    }
    return "(" + String.join(",", values) + ")";
  }

  @Override
  public void close() {
    log.close();
  }
}
