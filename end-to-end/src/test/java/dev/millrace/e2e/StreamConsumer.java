package dev.millrace.e2e;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.BeginPrepare;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.CommitPrepared;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.RollbackPrepared;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamPrepare;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.replication.CopyDataReader;
import dev.millrace.replication.StandbyStatusUpdate;
import dev.millrace.replication.XLogData;
import dev.millrace.subscriber.receiver.PublisherConnection;
import dev.millrace.subscriber.receiver.ReceiverLimits;
import dev.millrace.subscriber.receiver.WebSocketConnector;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Receives a stream, lets go of it now and then, connects again whenever it breaks, and asks for it
 * from the end of the last transaction it has whole. What it has of unfinished ones it forgets
 * then, as a consumer that died would; what was prepared it keeps.
 */
final class StreamConsumer implements AutoCloseable {

  /** A committed transaction. */
  record Delivered(long commitLsn, RowDigests rows) {}

  private record Row(int key, String label) {}

  /** The key under which a message counts as a row of its transaction. */
  static final int MESSAGE = -1;

  /** So many messages and no more come before a consumer lets go of its connection by itself. */
  private static final int MAX_UNTIL_DROP = 40_000;

  /** The consumer itself ends its connection. */
  private static final class Dropped extends RuntimeException {
    Dropped() {
      super("dropped");
    }
  }

  private final String connection;
  private final String start;
  private final boolean parallel;
  private final SplittableRandom drops;
  private final WebSocketConnector connector =
      new WebSocketConnector(() -> new ReceiverLimits(1 << 22, 1 << 26, 30_000));
  private final List<Delivered> delivered = new CopyOnWriteArrayList<>();
  private final Map<String, List<Row>> prepared = new HashMap<>();
  private final Thread thread = new Thread(this::run, "consumer");
  private Map<Integer, Map<Integer, List<Row>>> streams = new HashMap<>();
  private List<Row> current;
  private int streaming;
  private long endLsn;
  private int untilDrop;
  private volatile int dropCount;
  private volatile long rows;
  private volatile int streamedCount;
  private volatile int preparedCount;
  private volatile Throwable failure;
  private volatile boolean running = true;

  /**
   * @param options the plugin's options
   * @param seed of when it ends its connection by itself
   */
  StreamConsumer(String connection, String slot, String options, long seed) {
    this.connection = connection;
    this.start = "START_REPLICATION SLOT \"" + slot + "\" LOGICAL %s (" + options + ")";
    this.parallel = options.contains("parallel");
    this.drops = new SplittableRandom(seed);
    this.untilDrop = drops.nextInt(MAX_UNTIL_DROP);
  }

  void start() {
    thread.start();
  }

  List<Delivered> delivered() {
    return List.copyOf(delivered);
  }

  /** Rows of all delivered transactions. */
  long rows() {
    return rows;
  }

  int streamed() {
    return streamedCount;
  }

  int prepared() {
    return preparedCount;
  }

  /** How often it has ended its connection by itself. */
  int dropped() {
    return dropCount;
  }

  /** What the consumer cannot explain; null while all is well. */
  Throwable failure() {
    return failure;
  }

  private void run() {
    while (running && failure == null) {
      try (PublisherConnection publisher = connector.connect(connection, "consumer")) {
        publisher.startCopy(String.format(start, Lsn.format(endLsn)));
        receive(publisher);
      } catch (PgException e) {
        if (!mayBeAKill(e)) {
          failure = e;
        }
      } catch (InterruptedException e) {
        return;
      } catch (Dropped e) {
        dropCount++;
      } catch (RuntimeException | Error e) {
        failure = e;
      }
      forgetUnfinished();
      pause();
    }
  }

  /**
   * The connection breaks, nobody listens, or the node is starting or finds the slot still held.
   */
  private static boolean mayBeAKill(PgException e) {
    return e.sqlState().startsWith("08")
        || e.sqlState().startsWith("57P")
        || e.sqlState().equals(SqlState.OBJECT_IN_USE);
  }

  private void forgetUnfinished() {
    streams = new HashMap<>();
    current = null;
    streaming = 0;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void receive(PublisherConnection publisher) throws InterruptedException {
    PgOutputReader reader = new PgOutputReader(parallel);
    CopyDataReader messages = new CopyDataReader();
    while (running) {
      PublisherConnection.Frame frame = publisher.receive(200);
      if (frame != null && !frame.done()) {
        messages.wrap(frame.buffer(), frame.offset(), frame.limit() - frame.offset());
        while (messages.next()) {
          int at = messages.payloadOffset();
          if (frame.buffer()[at] == XLogData.TAG) {
            take(
                reader.read(
                    frame.buffer(),
                    at + XLogData.HEADER_SIZE,
                    messages.payloadLength() - XLogData.HEADER_SIZE));
          }
        }
      }
      ByteBuilder status = new ByteBuilder(StandbyStatusUpdate.SIZE);
      new StandbyStatusUpdate(endLsn, endLsn, endLsn, 0, false).write(status);
      publisher.send(java.util.Arrays.copyOf(status.array(), status.size()));
    }
  }

  private void take(PgOutputMessage message) {
    if (untilDrop-- == 0) {
      untilDrop = drops.nextInt(MAX_UNTIL_DROP);
      throw new Dropped();
    }
    if (message instanceof Begin || message instanceof BeginPrepare) {
      current = new ArrayList<>();
    } else if (message instanceof Insert insert) {
      TupleData tuple = insert.newTuple();
      rowsOf(insert.streamXid()).add(new Row(key(tuple), label(tuple)));
    } else if (message instanceof LogicalMessage m) {
      String label = new String(m.content(), StandardCharsets.UTF_8);
      rowsOf(m.streamXid()).add(new Row(MESSAGE, label));
    } else if (message instanceof Commit commit) {
      deliver(commit.commitLsn(), commit.endLsn(), current);
    } else if (message instanceof Prepare prepare) {
      prepare(prepare.gid(), prepare.endLsn(), current);
    } else if (message instanceof StreamStart block) {
      streaming = block.xid();
      streams.computeIfAbsent(streaming, xid -> new LinkedHashMap<>());
    } else if (message instanceof StreamAbort abort) {
      abort(abort);
    } else if (message instanceof StreamCommit commit) {
      streamedCount++;
      deliver(commit.commitLsn(), commit.endLsn(), allOf(commit.xid()));
    } else if (message instanceof StreamPrepare prepare) {
      streamedCount++;
      prepare(prepare.gid(), prepare.endLsn(), allOf(prepare.xid()));
    } else if (message instanceof CommitPrepared commit) {
      deliver(commit.commitLsn(), commit.endLsn(), ended(commit.gid()));
    } else if (message instanceof RollbackPrepared rollback) {
      ended(rollback.gid());
      endLsn = rollback.rollbackEndLsn();
    }
  }

  private static int key(TupleData tuple) {
    return tuple.kind(0) == 'b'
        ? ByteBuffer.wrap(tuple.buffer()).getInt(tuple.valueOffset(0))
        : Integer.parseInt(tuple.text(0));
  }

  private static String label(TupleData tuple) {
    int from = tuple.valueOffset(1);
    return new String(tuple.buffer(), from, tuple.valueLength(1), StandardCharsets.UTF_8);
  }

  private List<Row> rowsOf(int streamXid) {
    return streamXid == 0
        ? current
        : streams.get(streaming).computeIfAbsent(streamXid, xid -> new ArrayList<>());
  }

  private void abort(StreamAbort abort) {
    if (abort.subxid() == abort.xid()) {
      streams.remove(abort.xid());
    } else {
      streams.get(abort.xid()).remove(abort.subxid());
    }
  }

  private List<Row> allOf(int xid) {
    List<Row> all = new ArrayList<>();
    streams.remove(xid).values().forEach(all::addAll);
    return all;
  }

  private void prepare(String gid, long end, List<Row> transaction) {
    if (prepared.put(gid, transaction) != null) {
      throw new IllegalStateException("transaction \"" + gid + "\" was prepared twice");
    }
    preparedCount++;
    endLsn = end;
  }

  private List<Row> ended(String gid) {
    List<Row> transaction = prepared.remove(gid);
    if (transaction == null) {
      throw new IllegalStateException("transaction \"" + gid + "\" was not prepared");
    }
    return transaction;
  }

  private void deliver(long commitLsn, long end, List<Row> transaction) {
    if (!transaction.isEmpty()) {
      RowDigests digests = new RowDigests();
      transaction.forEach(row -> digests.add(row.key(), row.label()));
      delivered.add(new Delivered(commitLsn, digests));
      rows += transaction.size();
    }
    endLsn = end;
  }

  @Override
  public void close() {
    running = false;
    try {
      thread.join(10_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
