package dev.millrace.publisher.decoding.vectors;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgType;
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
import dev.millrace.pgoutput.Type;
import dev.millrace.pgoutput.Update;
import dev.millrace.publisher.decoding.StreamReplay;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * A stream of pgoutput messages without what differs from run to run: OIDs of tables and users'
 * types become names, LSNs, xids and times go, and so does a Relation message equal to the last one
 * for its table. Numeric values without precision are written by value.
 */
public final class StreamText {

  static final String UNCHANGED = "<unchanged>";

  /**
   * One message; values of tuples apart from the rest, so that an unchanged large value can match
   * its value.
   */
  public record Line(String head, List<String> values) {
    boolean matches(Line other) {
      if (!head.equals(other.head) || values.size() != other.values.size()) {
        return false;
      }
      for (int i = 0; i < values.size(); i++) {
        String one = values.get(i);
        String two = other.values.get(i);
        if (!one.equals(two) && !one.equals(UNCHANGED) && !two.equals(UNCHANGED)) {
          return false;
        }
      }
      return true;
    }

    @Override
    public String toString() {
      return values.isEmpty() ? head : head + " " + values;
    }
  }

  private static final int FIRST_USER_OID = 10_000;

  private final Map<Integer, Relation> relations = new HashMap<>();
  private final Map<Integer, String> types = new HashMap<>();
  private final List<List<Line>> transactions = new ArrayList<>();
  private List<Line> current = new ArrayList<>();
  private final Map<Integer, Integer> numbers = new HashMap<>();
  private String stream = "";
  private boolean gathering;
  private final Map<Integer, List<Gathered>> open = new HashMap<>();
  private int gatheredXid;
  private int openXid;

  private record Gathered(int xid, Line line) {}

  private final BiPredicate<String, String> leftOut;

  private StreamText(BiPredicate<String, String> leftOut) {
    this.leftOut = leftOut;
  }

  /**
   * The lines of each transaction, Begin and Commit among them.
   *
   * @param leftOut whether to leave out that column of that table
   */
  static List<List<Line>> of(List<byte[]> messages, BiPredicate<String, String> leftOut) {
    return of(messages, false, leftOut);
  }

  /** As above, for a stream that was asked for with streaming = parallel. */
  public static List<List<Line>> of(
      List<byte[]> messages, boolean parallel, BiPredicate<String, String> leftOut) {
    return new StreamText(leftOut).read(messages, parallel);
  }

  /**
   * What is left of each transaction when it commits, for streams whose blocks depend on the
   * server's accounting of memory; without Relation messages, which come with the blocks.
   */
  public static List<List<Line>> committed(
      List<byte[]> messages, boolean parallel, BiPredicate<String, String> leftOut) {
    StreamText text = new StreamText(leftOut);
    text.gathering = true;
    return text.read(messages, parallel);
  }

  private List<List<Line>> read(List<byte[]> messages, boolean parallel) {
    PgOutputReader reader = new PgOutputReader(parallel);
    for (byte[] message : messages) {
      add(reader.read(message, 0, message.length));
    }
    if (!current.isEmpty()) {
      transactions.add(current);
    }
    return transactions;
  }

  private void add(PgOutputMessage message) {
    gatheredXid = StreamReplay.streamXid(message);
    stream = gatheredXid == 0 || gathering ? "" : number(gatheredXid) + " ";
    if (message instanceof Relation given) {
      Relation relation = withoutXid(given);
      Relation last = relations.put(relation.relationOid(), relation);
      if (!relation.equals(last) && !gathering) {
        line(show(relation));
      }
    } else if (message instanceof Insert m) {
      line("I " + name(m.relationOid()), values(m.relationOid(), m.newTuple()));
    } else if (message instanceof Update m) {
      List<String> values = new ArrayList<>();
      if (m.oldKind() != 0) {
        values.addAll(values(m.relationOid(), m.oldTuple()));
      }
      values.addAll(values(m.relationOid(), m.newTuple()));
      String old = m.oldKind() == 0 ? "" : " " + m.oldKind();
      line("U " + name(m.relationOid()) + old, values);
    } else if (message instanceof Delete m) {
      line("D " + name(m.relationOid()) + " " + m.oldKind(), values(m.relationOid(), m.oldTuple()));
    } else if (message instanceof Truncate m) {
      String names = m.relationOids().stream().map(this::name).collect(Collectors.joining(", "));
      line("T " + m.flags() + " " + names);
    } else if (message instanceof LogicalMessage m) {
      String content = new String(m.content(), StandardCharsets.ISO_8859_1);
      line("M " + m.transactional() + " " + m.prefix() + " " + content);
    } else if (message instanceof Origin m) {
      gatheredXid = openXid; // It carries none, but is part of the block.
      line("O " + Lsn.format(m.originLsn()) + " " + m.name());
    } else if (message instanceof Type m) {
      types.put(m.typeOid(), m.namespace() + "." + m.name());
    } else if (message instanceof StreamStart m) {
      number(m.xid());
      openXid = m.xid();
    } else if (message instanceof StreamStop) {
      openXid = 0; // Where a block ends is free.
    } else if (gathering && message instanceof StreamAbort m) {
      open.getOrDefault(m.xid(), new ArrayList<>())
          .removeIf(gathered -> gathered.xid == m.subxid());
    } else if (message instanceof StreamAbort m) {
      line("A " + number(m.xid()) + " " + number(m.subxid()) + (m.abortLsn() == 0 ? "" : " at"));
    } else if (message instanceof StreamCommit m) {
      open.getOrDefault(m.xid(), List.of()).forEach(gathered -> current.add(gathered.line));
      line("c" + (gathering ? "" : " " + number(m.xid())));
      endTransaction();
    } else if (message instanceof StreamPrepare m) {
      open.getOrDefault(m.xid(), List.of()).forEach(gathered -> current.add(gathered.line));
      line("p " + number(m.xid()) + " " + m.gid());
      endTransaction();
    } else if (message instanceof BeginPrepare m) {
      line("b " + number(m.xid()) + " " + m.gid());
    } else if (message instanceof Prepare m) {
      line("P " + number(m.xid()) + " " + m.gid());
      endTransaction();
    } else if (message instanceof CommitPrepared m) {
      line("K " + number(m.xid()) + " " + m.gid());
      endTransaction();
    } else if (message instanceof RollbackPrepared m) {
      line("r " + number(m.xid()) + " " + m.gid());
      endTransaction();
    } else if (message instanceof Begin) {
      line("B");
    } else if (message instanceof Commit) {
      line("C");
      endTransaction();
    } else {
      throw new AssertionError("unexpected " + message);
    }
  }

  private void endTransaction() {
    transactions.add(current);
    current = new ArrayList<>();
  }

  /** Numbers instead of xids, in the order they are first heard of. */
  private String number(int xid) {
    return "#" + numbers.computeIfAbsent(xid, key -> numbers.size() + 1);
  }

  private static Relation withoutXid(Relation relation) {
    return new Relation(
        0,
        relation.relationOid(),
        relation.namespace(),
        relation.name(),
        relation.replicaIdentity(),
        relation.columns());
  }

  private void line(String head) {
    line(head, List.of());
  }

  private void line(String head, List<String> values) {
    Line line = new Line(stream + head, values);
    if (gathering && gatheredXid != 0) {
      open.computeIfAbsent(openXid, xid -> new ArrayList<>()).add(new Gathered(gatheredXid, line));
    } else {
      current.add(line);
    }
  }

  private String name(int oid) {
    return relations.get(oid).qualifiedName().quoted();
  }

  private String show(Relation relation) {
    StringBuilder text = new StringBuilder("R ");
    text.append(relation.qualifiedName().quoted());
    text.append(' ').append(relation.replicaIdentity().code());
    for (Relation.Column column : relation.columns()) {
      if (leftOut.test(relation.name(), column.name())) {
        continue;
      }
      text.append(" [").append(column.key() ? "*" : "").append(column.name());
      boolean told = Integer.compareUnsigned(column.typeOid(), FIRST_USER_OID) >= 0;
      text.append(' ').append(told ? types.get(column.typeOid()) : column.typeOid());
      text.append(' ').append(column.typeModifier());
      text.append(']');
    }
    return text.toString();
  }

  private List<String> values(int oid, TupleData tuple) {
    List<Relation.Column> columns = relations.get(oid).columns();
    List<String> values = new ArrayList<>();
    for (int i = 0; i < tuple.columns(); i++) {
      if (leftOut.test(relations.get(oid).name(), columns.get(i).name())) {
        continue;
      }
      if (tuple.isUnchanged(i)) {
        values.add(UNCHANGED);
      } else if (tuple.isNull(i)) {
        values.add("<null>");
      } else {
        Relation.Column column = columns.get(i);
        boolean byValue = column.typeOid() == PgType.NUMERIC && column.typeModifier() == -1;
        values.add(tuple.kind(i) == 'b' ? binary(tuple, i, byValue) : text(tuple, i, byValue));
      }
    }
    return values;
  }

  private static String text(TupleData tuple, int column, boolean byValue) {
    return byValue ? number(tuple.text(column)) : tuple.text(column);
  }

  /** Hexadecimal; a numeric's scale is left out where it counts by value. */
  private static String binary(TupleData tuple, int column, boolean byValue) {
    int from = tuple.valueOffset(column);
    String hex = HexFormat.of().formatHex(tuple.buffer(), from, from + tuple.valueLength(column));
    return "b" + (byValue ? hex.substring(0, 12) + hex.substring(16) : hex);
  }

  private static String number(String text) {
    return Character.isLetter(text.charAt(text.length() - 1))
        ? text
        : new BigDecimal(text).stripTrailingZeros().toPlainString();
  }

  /** Whether two transactions say the same; the order of rows within one statement is free. */
  public static boolean same(List<Line> one, List<Line> two) {
    return match(one, two) || match(sorted(one), sorted(two));
  }

  private static boolean match(List<Line> one, List<Line> two) {
    if (one.size() != two.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      if (!one.get(i).matches(two.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Runs of the same operation are sorted: they may be of one statement. */
  private static List<Line> sorted(List<Line> lines) {
    List<Line> sorted = new ArrayList<>();
    for (int from = 0; from < lines.size(); ) {
      int to = from + 1;
      while (to < lines.size() && lines.get(to).head().equals(lines.get(from).head())) {
        to++;
      }
      lines.subList(from, to).stream()
          .sorted(Comparator.comparing(line -> line.values().toString()))
          .forEach(sorted::add);
      from = to;
    }
    return sorted;
  }
}
