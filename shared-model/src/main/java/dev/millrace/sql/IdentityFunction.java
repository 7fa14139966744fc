package dev.millrace.sql;

import java.sql.Connection;
import java.sql.SQLException;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.table.Column;

/**
 * The next value of an identity column, which H2's DEFAULT draws only in an INSERT.
 *
 * <p>Public with public methods because H2 calls it by name.
 */
public final class IdentityFunction {

  private IdentityFunction() {}

  /** The function {@code identity_next}, in place of DEFAULT in an UPDATE. */
  public static long next(Connection connection, String schema, String table, String column)
      throws SQLException {
    SessionLocal session = (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    Column found =
        session.getDatabase().getSchema(schema).getTableOrView(session, table).getColumn(column);
    return session.getNextValueFor(found.getSequence(), null).getLong();
  }
}
