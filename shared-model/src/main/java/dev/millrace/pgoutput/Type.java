package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** The name of a type that is not built in, sent before the Relation that uses it. */
public record Type(int streamXid, int typeOid, String namespace, String name)
    implements PgOutputMessage {

  @Override
  public void write(ByteBuilder out) {
    PgOutputMessage.begin(out, MessageType.TYPE, streamXid);
    out.putInt(typeOid).putCString(namespace).putCString(name);
  }

  static Type read(ByteCursor in, int streamXid) {
    int typeOid = in.readInt("type_oid");
    String namespace = in.readCString("namespace");
    String name = in.readCString("name");
    return new Type(streamXid, typeOid, namespace, name);
  }

  @Override
  public MessageType type() {
    return MessageType.TYPE;
  }
}
