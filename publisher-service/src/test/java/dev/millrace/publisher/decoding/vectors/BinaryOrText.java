package dev.millrace.publisher.decoding.vectors;

import dev.millrace.model.BinaryForm;
import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.pgoutput.Update;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a capture with binary = true lets expect of this publisher: values of types without a
 * converter here come as text, which is taken from the capture of the same rows as text.
 */
final class BinaryOrText {

  private final Map<Integer, Relation> relations = new HashMap<>();

  private BinaryOrText() {}

  /**
   * The messages of {@code binary}, with the values of {@code text} where {@code sent} has text.
   * Its rows are the same in the same order, or nothing is changed.
   */
  static List<byte[]> expected(
      List<byte[]> binary, List<byte[]> text, List<byte[]> sent, boolean parallel) {
    List<PgOutputMessage> all = read(binary, parallel);
    List<PgOutputMessage> texts = rows(read(text, parallel));
    List<PgOutputMessage> sents = rows(read(sent, parallel));
    if (rows(all).size() != texts.size() || texts.size() != sents.size()) {
      return binary;
    }
    BinaryOrText merge = new BinaryOrText();
    List<byte[]> expected = new ArrayList<>();
    int row = 0;
    for (PgOutputMessage message : all) {
      if (message instanceof Relation relation) {
        merge.relations.put(relation.relationOid(), relation);
      }
      PgOutputMessage merged =
          isRow(message) ? merge.row(message, texts.get(row), sents.get(row++)) : message;
      ByteBuilder out = new ByteBuilder(64);
      merged.write(out);
      expected.add(java.util.Arrays.copyOf(out.array(), out.size()));
    }
    return expected;
  }

  private static List<PgOutputMessage> read(List<byte[]> messages, boolean parallel) {
    PgOutputReader reader = new PgOutputReader(parallel);
    return messages.stream().map(each -> reader.read(each, 0, each.length)).toList();
  }

  private static boolean isRow(PgOutputMessage message) {
    return message instanceof Insert || message instanceof Update || message instanceof Delete;
  }

  private static List<PgOutputMessage> rows(List<PgOutputMessage> messages) {
    return messages.stream().filter(BinaryOrText::isRow).toList();
  }

  private PgOutputMessage row(PgOutputMessage binary, PgOutputMessage text, PgOutputMessage sent) {
    if (binary instanceof Insert b && text instanceof Insert t && sent instanceof Insert s) {
      return new Insert(
          b.streamXid(),
          b.relationOid(),
          tuple(b.relationOid(), b.newTuple(), t.newTuple(), s.newTuple()));
    }
    if (binary instanceof Update b && text instanceof Update t && sent instanceof Update s) {
      return new Update(
          b.streamXid(),
          b.relationOid(),
          b.oldKind(),
          tuple(b.relationOid(), b.oldTuple(), t.oldTuple(), s.oldTuple()),
          tuple(b.relationOid(), b.newTuple(), t.newTuple(), s.newTuple()));
    }
    if (binary instanceof Delete b && text instanceof Delete t && sent instanceof Delete s) {
      return new Delete(
          b.streamXid(),
          b.relationOid(),
          b.oldKind(),
          tuple(b.relationOid(), b.oldTuple(), t.oldTuple(), s.oldTuple()));
    }
    return binary;
  }

  private TupleData tuple(int oid, TupleData binary, TupleData text, TupleData sent) {
    if (binary == null || text == null || sent == null || sent.columns() != binary.columns()) {
      return binary;
    }
    ByteBuilder out = new ByteBuilder(64);
    out.putShort(binary.columns());
    for (int i = 0; i < binary.columns(); i++) {
      int type = relations.get(oid).columns().get(i).typeOid();
      boolean asText = binary.kind(i) == 'b' && sent.kind(i) == 't' && BinaryForm.of(type) == null;
      TupleData taken = asText ? text : binary;
      out.putByte(taken.kind(i));
      if (taken.hasValue(i)) {
        out.putInt(taken.valueLength(i));
        out.putBytes(taken.buffer(), taken.valueOffset(i), taken.valueLength(i));
      }
    }
    return TupleData.read(new ByteCursor().wrap("tuple", out.array(), 0, out.size()), "tuple");
  }
}
