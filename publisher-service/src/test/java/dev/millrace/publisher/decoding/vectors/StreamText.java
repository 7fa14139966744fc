package dev.millrace.publisher.decoding.vectors;

import dev.millrace.model.PgType;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.pgoutput.Update;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/**
 * A stream of pgoutput messages without what differs from run to run: OIDs become names, LSNs, xids
 * and times go, and so does a Relation message equal to the last one for its table. Numeric values
 * without precision are written by value.
 */
final class StreamText {

  static final String UNCHANGED = "<unchanged>";

  /**
   * One message; values of tuples apart from the rest, so that an unchanged large value can match
   * its value.
   */
  record Line(String head, List<String> values) {
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

  private final Map<Integer, Relation> relations = new HashMap<>();
  private final List<List<Line>> transactions = new ArrayList<>();
  private List<Line> current = new ArrayList<>();

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
    StreamText text = new StreamText(leftOut);
    PgOutputReader reader = new PgOutputReader(false);
    for (byte[] message : messages) {
      text.add(reader.read(message, 0, message.length));
    }
    if (!text.current.isEmpty()) {
      text.transactions.add(text.current);
    }
    return text.transactions;
  }

  private void add(PgOutputMessage message) {
    if (message instanceof Relation relation) {
      Relation last = relations.put(relation.relationOid(), relation);
      if (!relation.equals(last)) {
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
    } else if (message instanceof Begin) {
      line("B");
    } else if (message instanceof Commit) {
      line("C");
      transactions.add(current);
      current = new ArrayList<>();
    } else {
      throw new AssertionError("unexpected " + message);
    }
  }

  private void line(String head) {
    line(head, List.of());
  }

  private void line(String head, List<String> values) {
    current.add(new Line(head, values));
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
      text.append(' ').append(column.typeOid()).append(' ').append(column.typeModifier());
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
        values.add(byValue ? number(tuple.text(i)) : tuple.text(i));
      }
    }
    return values;
  }

  private static String number(String text) {
    return Character.isLetter(text.charAt(text.length() - 1))
        ? text
        : new BigDecimal(text).stripTrailingZeros().toPlainString();
  }
}
