package dev.millrace.publisher.decoding;

import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.BeginPrepare;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.CommitPrepared;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.Origin;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.RollbackPrepared;
import dev.millrace.pgoutput.RowChange;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamPrepare;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What a consumer makes of a stream, open transactions included: the committed transactions in
 * commit order, each a list of its changes. Breaks of the protocol are assertion errors, among them
 * a change of a table the consumer has not been told of.
 */
public final class StreamReplay {

  private record Kept(int xid, String line) {}

  private final Function<PgOutputMessage, String> show;
  private final List<List<String>> committed = new ArrayList<>();
  private final Map<Integer, List<Kept>> open = new HashMap<>();
  private final Map<String, List<String>> prepared = new HashMap<>();
  private final Set<Integer> known = new HashSet<>();
  private final Map<Integer, Set<Integer>> knownInStream = new HashMap<>();
  private List<String> current;
  private int streaming;
  private int blocks;

  StreamReplay(Function<PgOutputMessage, String> show) {
    this.show = show;
  }

  /** Committed transactions, and non-transactional messages, in the order they came. */
  public static List<List<String>> of(
      List<PgOutputMessage> messages, Function<PgOutputMessage, String> show) {
    StreamReplay replay = new StreamReplay(show);
    messages.forEach(replay::add);
    return replay.committed();
  }

  List<List<String>> committed() {
    check(streaming == 0 && current == null, "the stream ends inside a block or transaction");
    return committed;
  }

  /** Transactions of which blocks came and no end. */
  Set<Integer> openXids() {
    return open.keySet();
  }

  int blocks() {
    return blocks;
  }

  public static int streamXid(PgOutputMessage message) {
    if (message instanceof RowChange m) {
      return m.streamXid();
    } else if (message instanceof Truncate m) {
      return m.streamXid();
    } else if (message instanceof Relation m) {
      return m.streamXid();
    } else if (message instanceof Type m) {
      return m.streamXid();
    } else if (message instanceof LogicalMessage m) {
      return m.streamXid();
    }
    return 0;
  }

  void add(PgOutputMessage message) {
    if (message instanceof StreamStart m) {
      check(streaming == 0 && current == null, "nested block");
      check(m.firstSegment() != open.containsKey(m.xid()), "first_segment of " + m.xid());
      open.computeIfAbsent(m.xid(), xid -> new ArrayList<>());
      streaming = m.xid();
      blocks++;
    } else if (message instanceof StreamStop) {
      check(streaming != 0, "end of no block");
      streaming = 0;
    } else if (message instanceof StreamAbort m) {
      abort(m);
    } else if (message instanceof StreamCommit m) {
      check(streaming == 0 && open.containsKey(m.xid()), "commit of " + m.xid());
      committed.add(open.remove(m.xid()).stream().map(Kept::line).toList());
      known.addAll(knownInStream.getOrDefault(m.xid(), Set.of()));
      knownInStream.remove(m.xid());
    } else if (message instanceof Begin) {
      check(streaming == 0 && current == null, "begin inside of something");
      current = new ArrayList<>();
    } else if (message instanceof Commit) {
      committed.add(current);
      current = null;
    } else if (message instanceof BeginPrepare) {
      check(streaming == 0 && current == null, "begin prepare inside of something");
      current = new ArrayList<>();
    } else if (message instanceof Prepare m) {
      prepared(m.gid(), current);
      current = null;
    } else if (message instanceof StreamPrepare m) {
      check(streaming == 0 && open.containsKey(m.xid()), "prepare of " + m.xid());
      prepared(m.gid(), open.remove(m.xid()).stream().map(Kept::line).toList());
      knownInStream.remove(m.xid());
    } else if (message instanceof CommitPrepared m) {
      List<String> lines = prepared.remove(m.gid());
      check(streaming == 0 && current == null && lines != null, "commit of prepared " + m.gid());
      committed.add(lines);
    } else if (message instanceof RollbackPrepared m) {
      check(streaming == 0 && current == null, "rollback inside of something");
      prepared.remove(m.gid()); // It may have been prepared before the consumer came.
    } else {
      change(message);
    }
  }

  private void prepared(String gid, List<String> lines) {
    check(prepared.put(gid, lines) == null, "second prepare of " + gid);
  }

  /** The connection is lost: what was open is sent anew, what was prepared is kept. */
  void reconnected() {
    check(streaming == 0 && current == null, "the connection ends inside a block or transaction");
    open.clear();
    known.clear();
    knownInStream.clear();
  }

  /** The identifiers of the transactions that came prepared and have not ended. */
  Set<String> preparedGids() {
    return prepared.keySet();
  }

  private void abort(StreamAbort abort) {
    check(streaming == 0 && open.containsKey(abort.xid()), "abort of " + abort.xid());
    knownInStream.remove(abort.xid());
    if (abort.xid() == abort.subxid()) {
      open.remove(abort.xid());
    } else {
      open.get(abort.xid()).removeIf(kept -> kept.xid == abort.subxid());
    }
  }

  private void change(PgOutputMessage message) {
    Set<Integer> tables =
        streaming == 0 ? known : knownInStream.computeIfAbsent(streaming, xid -> new HashSet<>());
    if (message instanceof Relation m) {
      tables.add(m.relationOid());
      return;
    } else if (message instanceof Origin && streaming != 0) {
      check(open.get(streaming).isEmpty(), "an origin after a change");
      return;
    } else if (message instanceof RowChange m) {
      check(tables.contains(m.relationOid()), "change of an unknown table");
    } else if (message instanceof Truncate m) {
      check(tables.containsAll(m.relationOids()), "truncate of an unknown table");
    }
    if (streaming != 0) {
      check(streamXid(message) != 0, "a change without xid inside a block");
      open.get(streaming).add(new Kept(streamXid(message), show.apply(message)));
    } else if (current != null) {
      current.add(show.apply(message));
    } else {
      check(message instanceof LogicalMessage m && !m.transactional(), "change outside");
      committed.add(List.of(show.apply(message)));
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
