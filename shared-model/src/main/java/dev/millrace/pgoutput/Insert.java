package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** A new row. */
public record Insert(int streamXid, int relationOid, TupleData newTuple) implements RowChange {

  @Override
  public void write(ByteBuilder out) {
    begin(out, streamXid, relationOid);
    newTuple.write(out);
  }

  /** Everything before the tuple. */
  public static void begin(ByteBuilder out, int streamXid, int relationOid) {
    PgOutputMessage.begin(out, MessageType.INSERT, streamXid).putInt(relationOid).putByte('N');
  }

  static Insert read(ByteCursor in, int streamXid) {
    int relationOid = in.readInt("relation_oid");
    in.expectByte("new tuple", 'N');
    return new Insert(streamXid, relationOid, TupleData.read(in, "new"));
  }

  @Override
  public MessageType type() {
    return MessageType.INSERT;
  }
}
