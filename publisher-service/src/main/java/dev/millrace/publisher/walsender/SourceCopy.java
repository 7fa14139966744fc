package dev.millrace.publisher.walsender;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.replication.CopyDataWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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

  /** Whether that connection leads to a PostgreSQL server. */
  static boolean isFor(Connection connection) throws SQLException {
    return connection.isWrapperFor(PGConnection.class);
  }

  /**
   * What to select a table's own rows from: those of inheriting tables are not among them, as in
   * COPY of a table, but a partitioned table has the rows of its partitions.
   */
  String rowsOf(QualifiedName table) {
    String name = Identifiers.alwaysQuote(table);
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT relkind = 'p' FROM pg_class WHERE oid = ?::regclass")) {
      statement.setString(1, name);
      try (ResultSet kind = statement.executeQuery()) {
        return kind.next() && kind.getBoolean(1) ? name : "ONLY " + name;
      }
    } catch (SQLException e) {
      throw failed(e);
    }
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
