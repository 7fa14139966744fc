package dev.millrace.publisher.source;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.pgoutput.Update;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.List;

/**
 * Turns messages of the source into records of the own log. A tuple has the same layout in both, so
 * a row is checked against its definition and copied. One thread.
 */
final class RowRecords {

  private final WalBatch batch;
  private final int databaseOid;

  RowRecords(WalBatch batch, int databaseOid) {
    this.batch = batch;
    this.databaseOid = databaseOid;
  }

  /** The xids and the origin that the records of a change carry. */
  record Writer(int xid, int topXid, int originId) {}

  void insert(Writer writer, RelationDefinition relation, Insert insert) {
    check(relation, insert.newTuple());
    ByteBuilder out = begin(WalRecordType.INSERT, 0, writer);
    named(out, relation).putByte('N');
    insert.newTuple().write(out);
    batch.end();
  }

  void update(Writer writer, RelationDefinition relation, Update update) {
    check(relation, update.newTuple());
    ByteBuilder out = begin(WalRecordType.UPDATE, 0, writer);
    named(out, relation);
    if (update.oldKind() != 0) {
      old(out, relation, update.oldKind(), update.oldTuple());
    }
    out.putByte('N');
    update.newTuple().write(out);
    batch.end();
  }

  void delete(Writer writer, RelationDefinition relation, Delete delete) {
    ByteBuilder out = begin(WalRecordType.DELETE, 0, writer);
    named(out, relation);
    old(out, relation, delete.oldKind(), delete.oldTuple());
    batch.end();
  }

  void truncate(Writer writer, List<RelationDefinition> relations, Truncate truncate) {
    ByteBuilder out = begin(WalRecordType.TRUNCATE, truncate.flags(), writer);
    out.putInt(relations.size());
    for (RelationDefinition relation : relations) {
      named(out, relation);
    }
    batch.end();
  }

  void message(Writer writer, LogicalMessage message) {
    ByteBuilder out = begin(WalRecordType.MESSAGE, 1, writer);
    out.putName(message.prefix()).putBytes(message.content(), 0, message.content().length);
    batch.end();
  }

  /** A message beside transactions, with its own position in the source's log. */
  void messageAlone(LogicalMessage message) {
    ByteBuilder out =
        batch.begin(WalRecordType.MESSAGE, WalFormat.WITH_SOURCE_LSN, 0, 0, databaseOid, 0);
    out.putName(message.prefix()).putBytes(message.content(), 0, message.content().length);
    out.putLong(message.lsn());
    batch.end();
  }

  private ByteBuilder begin(WalRecordType type, int flags, Writer writer) {
    return batch.begin(type, flags, writer.xid, writer.topXid, databaseOid, writer.originId);
  }

  private static ByteBuilder named(ByteBuilder out, RelationDefinition relation) {
    return out.putInt(relation.oid()).putInt(relation.version());
  }

  private void old(ByteBuilder out, RelationDefinition relation, char kind, TupleData tuple) {
    check(relation, tuple);
    out.putByte(kind);
    tuple.write(out);
  }

  /** Nothing may reach the log that its readers could not take apart. */
  private static void check(RelationDefinition relation, TupleData tuple) {
    if (tuple.columns() != relation.columns().size()) {
      throw disagreement(
          relation, tuple.columns() + " columns instead of " + relation.columns().size());
    }
    for (int i = 0; i < tuple.columns(); i++) {
      if (tuple.hasValue(i) && tuple.kind(i) == 'b') {
        throw disagreement(relation, "a binary value that was not asked for");
      }
    }
  }

  private static PgException disagreement(RelationDefinition relation, String what) {
    return new PgException(
        SqlState.PROTOCOL_VIOLATION,
        "the source sent a row of table \"" + relation.name() + "\" with " + what);
  }
}
