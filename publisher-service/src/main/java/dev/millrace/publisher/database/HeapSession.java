package dev.millrace.publisher.database;

import dev.millrace.sql.H2Errors;
import dev.millrace.sql.TransactionBackend.IsolationLevel;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;

/**
 * One connection to H2 with what JDBC does not offer: savepoints without statements, lock time-outs
 * in milliseconds, and which other session this one waits for. One thread, except {@link
 * #blockerId}.
 */
final class HeapSession implements AutoCloseable {

  private final Connection connection;
  private final SessionLocal session;
  private final PreparedStatement insertMarker;
  private IsolationLevel isolation = IsolationLevel.READ_COMMITTED;

  HeapSession(Connection connection) {
    this.connection = connection;
    this.session = (SessionLocal) ((JdbcConnection) connection).getSession();
    try {
      this.insertMarker =
          connection.prepareStatement(
              "INSERT INTO " + EmbeddedDatabase.INTERNAL_SCHEMA + ".applied VALUES (?)");
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  Connection connection() {
    return connection;
  }

  /** H2's number of this session. */
  int id() {
    return session.getId();
  }

  /** H2's number of the session whose row lock this one waits for, 0 = none. Any thread. */
  int blockerId() {
    return session.getBlockingSessionId();
  }

  /** Sets the isolation of the next transaction; none may be open. */
  void isolation(IsolationLevel wanted) {
    IsolationLevel level = wanted == null ? IsolationLevel.READ_COMMITTED : wanted;
    if (level != isolation) {
      session.setIsolationLevel(
          switch (level) {
            case READ_COMMITTED -> org.h2.engine.IsolationLevel.READ_COMMITTED;
            case REPEATABLE_READ -> org.h2.engine.IsolationLevel.SNAPSHOT;
            case SERIALIZABLE -> org.h2.engine.IsolationLevel.SERIALIZABLE;
          });
      isolation = level;
    }
  }

  /** How long a statement waits for another session's row, in milliseconds. */
  void lockTimeout(int timeoutMs) {
    session.setLockTimeout(timeoutMs);
  }

  SessionLocal.Savepoint savepoint() {
    session.lock();
    try {
      return session.setSavepoint();
    } finally {
      session.unlock();
    }
  }

  void rollbackTo(SessionLocal.Savepoint savepoint) {
    session.lock();
    try {
      session.rollbackTo(savepoint);
    } finally {
      session.unlock();
    }
  }

  /** Notes in the transaction itself that it was applied, so that redo knows (storage.md 1). */
  void insertMarker(int xid) {
    try {
      insertMarker.setInt(1, xid);
      insertMarker.executeUpdate();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  void commit() {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  void rollback() {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
