package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;
import java.util.ArrayList;
import java.util.List;

/** All tables one TRUNCATE statement emptied, those it cascaded to included. */
public record Truncate(int streamXid, int flags, List<Integer> relationOids)
    implements PgOutputMessage {

  public static final int CASCADE = 1;
  public static final int RESTART_IDENTITY = 2;

  public Truncate {
    relationOids = List.copyOf(relationOids);
  }

  @Override
  public void write(ByteBuilder out) {
    PgOutputMessage.begin(out, MessageType.TRUNCATE, streamXid);
    out.putInt(relationOids.size()).putByte(flags);
    for (int oid : relationOids) {
      out.putInt(oid);
    }
  }

  static Truncate read(ByteCursor in, int streamXid) {
    int count = in.readCount("number of relations", Integer.BYTES);
    int flags = in.readFlags("flags", CASCADE | RESTART_IDENTITY);
    List<Integer> oids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      oids.add(in.readInt("relation_oids"));
    }
    return new Truncate(streamXid, flags, oids);
  }

  public boolean cascade() {
    return (flags & CASCADE) != 0;
  }

  public boolean restartIdentity() {
    return (flags & RESTART_IDENTITY) != 0;
  }

  @Override
  public MessageType type() {
    return MessageType.TRUNCATE;
  }
}
