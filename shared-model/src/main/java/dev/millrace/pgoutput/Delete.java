package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * A removed row.
 *
 * @param oldKind {@code 'K'} its key, {@code 'O'} the whole row
 */
public record Delete(int streamXid, int relationOid, char oldKind, TupleData oldTuple)
    implements RowChange {

  @Override
  public void write(ByteBuilder out) {
    begin(out, streamXid, relationOid);
    out.putByte(oldKind);
    oldTuple.write(out);
  }

  /** Everything before the tuple's kind. */
  public static void begin(ByteBuilder out, int streamXid, int relationOid) {
    PgOutputMessage.begin(out, MessageType.DELETE, streamXid).putInt(relationOid);
  }

  static Delete read(ByteCursor in, int streamXid) {
    int relationOid = in.readInt("relation_oid");
    int kind = in.readByte("tuple kind");
    if (kind != 'K' && kind != 'O') {
      throw in.violation("tuple kind", "one of K, O", ByteCursor.describe(kind));
    }
    TupleData old = TupleData.read(in, kind == 'K' ? "key" : "old");
    return new Delete(streamXid, relationOid, (char) kind, old);
  }

  @Override
  public MessageType type() {
    return MessageType.DELETE;
  }
}
