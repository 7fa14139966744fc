package dev.millrace.publisher.walsender;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.replication.CopyDataWriter;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/**
 * A table copy whose rows a PostgreSQL server writes: its COPY has the form that is asked for, so
 * the rows are handed on as they come.
 */
final class SourceCopy {

  private final Connection connection;

  SourceCopy(Connection connection) {
    this.connection = connection;
  }

  /**
   * @param query what to copy
   * @return the number of rows
   * @throws PgException what the server refuses
   */
  long run(String query, ReplicationClient client) {
    CopyDataWriter frame = new CopyDataWriter();
    long rows = 0;
    try {
      CopyOut copy =
          connection
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyOut("COPY (" + query + ") TO STDOUT");
      for (byte[] row = copy.readFromCopy(); row != null; row = copy.readFromCopy()) {
        ByteBuilder out = frame.begin();
        out.putBytes(row, 0, row.length);
        frame.end();
        rows++;
        if (frame.isFull()) {
          send(frame, client);
        }
      }
    } catch (SQLException e) {
      throw failed(e);
    }
    frame.addCopyDone();
    send(frame, client);
    return rows;
  }

  private static void send(CopyDataWriter frame, ReplicationClient client) {
    client.copyData(frame.array(), 0, frame.size());
    frame.clear();
  }

  static PgException failed(SQLException e) {
    String state = e.getSQLState() == null ? SqlState.CONNECTION_FAILURE : e.getSQLState();
    return new PgException(state, "source: " + e.getMessage(), e);
  }
}
