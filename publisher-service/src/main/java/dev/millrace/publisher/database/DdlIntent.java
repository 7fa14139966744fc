package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import java.nio.charset.StandardCharsets;

/**
 * What the log says before H2 runs a DDL statement, so that a start can tell what to do when the
 * process died inside it: the body of a DDL record is the statement as the user wrote it, in UTF-8.
 */
record DdlIntent(String statement) {

  void encode(WalBatch batch, int xid, int databaseOid) {
    ByteBuilder out = batch.begin(WalRecordType.DDL, 0, xid, xid, databaseOid, 0);
    out.putUtf8(statement);
    batch.end();
  }

  static DdlIntent decode(byte[] body) {
    return new DdlIntent(new String(body, StandardCharsets.UTF_8));
  }
}
