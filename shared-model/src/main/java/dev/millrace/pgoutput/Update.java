package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/**
 * A changed row.
 *
 * @param oldKind {@code 'K'} old key, {@code 'O'} whole old row, 0 when neither was sent
 * @param oldTuple null when oldKind is 0
 */
public record Update(
    int streamXid, int relationOid, char oldKind, TupleData oldTuple, TupleData newTuple)
    implements RowChange {

  @Override
  public void write(ByteBuilder out) {
    begin(out, streamXid, relationOid);
    if (oldKind != 0) {
      out.putByte(oldKind);
      oldTuple.write(out);
    }
    out.putByte('N');
    newTuple.write(out);
  }

  /** Everything before the first tuple's kind. */
  public static void begin(ByteBuilder out, int streamXid, int relationOid) {
    PgOutputMessage.begin(out, MessageType.UPDATE, streamXid).putInt(relationOid);
  }

  static Update read(ByteCursor in, int streamXid) {
    int relationOid = in.readInt("relation_oid");
    int kind = in.readByte("tuple kind");
    switch (kind) {
      case 'N':
        return new Update(streamXid, relationOid, (char) 0, null, TupleData.read(in, "new"));
      case 'K', 'O':
        TupleData old = TupleData.read(in, kind == 'K' ? "key" : "old");
        in.expectByte("new tuple", 'N');
        return new Update(streamXid, relationOid, (char) kind, old, TupleData.read(in, "new"));
      default:
        throw in.violation("tuple kind", "one of K, O, N", ByteCursor.describe(kind));
    }
  }

  @Override
  public MessageType type() {
    return MessageType.UPDATE;
  }
}
