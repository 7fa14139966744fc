package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.ParsedStatement;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the log says before H2 runs a DDL statement, so that a start can tell what to do when the
 * process died inside it.
 *
 * <pre>
 * body: name of the kind, schema and name of the target (empty without one), the statement; each
 *       UTF-8 with its length before it, of 2 bytes for the first three and of 4 for the statement
 * </pre>
 *
 * @param target null without one
 */
record DdlIntent(ParsedStatement.Ddl.Kind kind, QualifiedName target, String statement) {

  void encode(WalBatch batch, int xid, int databaseOid) {
    ByteBuilder out = batch.begin(WalRecordType.DDL, 0, xid, xid, databaseOid, 0);
    out.putName(kind.name());
    out.putName(target == null ? "" : target.schema());
    out.putName(target == null ? "" : target.name());
    byte[] text = statement.getBytes(StandardCharsets.UTF_8);
    out.putInt(text.length).putBytes(text, 0, text.length);
    batch.end();
  }

  static DdlIntent decode(byte[] buffer, int bodyOffset, int bodyLength) {
    ByteBuffer in = ByteBuffer.wrap(buffer, bodyOffset, bodyLength);
    String kind = text(in, in.getShort() & 0xFFFF);
    String schema = text(in, in.getShort() & 0xFFFF);
    String name = text(in, in.getShort() & 0xFFFF);
    String statement = text(in, in.getInt());
    return new DdlIntent(
        ParsedStatement.Ddl.Kind.valueOf(kind),
        name.isEmpty() ? null : new QualifiedName(schema, name),
        statement);
  }

  private static String text(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
