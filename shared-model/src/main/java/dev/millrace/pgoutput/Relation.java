package dev.millrace.pgoutput;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import java.util.ArrayList;
import java.util.List;

/**
 * A table's definition, sent before its first change and again after it changed.
 *
 * @param namespace the schema; {@code pg_catalog} travels as the empty string
 */
public record Relation(
    int streamXid,
    int relationOid,
    String namespace,
    String name,
    ReplicaIdentity replicaIdentity,
    List<Column> columns)
    implements PgOutputMessage {

  private static final int KEY = 1;
  private static final int SMALLEST_COLUMN = 10;

  public Relation {
    columns = List.copyOf(columns);
  }

  /**
   * A published column.
   *
   * @param key whether it belongs to the replica identity
   */
  public record Column(boolean key, String name, int typeOid, int typeModifier) {}

  @Override
  public void write(ByteBuilder out) {
    PgOutputMessage.begin(out, MessageType.RELATION, streamXid);
    out.putInt(relationOid).putCString(namespace).putCString(name);
    out.putByte(replicaIdentity.code()).putShort(columns.size());
    for (Column column : columns) {
      out.putByte(column.key ? KEY : 0).putCString(column.name);
      out.putInt(column.typeOid).putInt(column.typeModifier);
    }
  }

  static Relation read(ByteCursor in, int streamXid) {
    int relationOid = in.readInt("relation_oid");
    String namespace = in.readCString("namespace");
    String name = in.readCString("name");
    ReplicaIdentity identity = readIdentity(in);
    int count = in.readShort("columns");
    if (count * SMALLEST_COLUMN > in.remaining()) {
      throw in.violation("columns", "no more than fit into " + in.remaining(), count + " columns");
    }
    List<Column> columns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      boolean key = in.readFlags("column flags", KEY) == KEY;
      String columnName = in.readCString("column name");
      int typeOid = in.readInt("type_oid");
      int typeModifier = in.readInt("type_mod");
      columns.add(new Column(key, columnName, typeOid, typeModifier));
    }
    return new Relation(streamXid, relationOid, namespace, name, identity, columns);
  }

  private static ReplicaIdentity readIdentity(ByteCursor in) {
    int code = in.readByte("replica_identity");
    for (ReplicaIdentity identity : ReplicaIdentity.values()) {
      if (identity.code() == code) {
        return identity;
      }
    }
    throw in.violation("replica_identity", "one of d, i, f, n", ByteCursor.describe(code));
  }

  /** Schema and name as the publisher has them. */
  public QualifiedName qualifiedName() {
    return new QualifiedName(namespace.isEmpty() ? "pg_catalog" : namespace, name);
  }

  @Override
  public MessageType type() {
    return MessageType.RELATION;
  }
}
