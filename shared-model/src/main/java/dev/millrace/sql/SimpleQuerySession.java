package dev.millrace.sql;

import java.util.List;

/**
 * The session both services give their clients: PostgreSQL's simple query protocol over a {@link
 * TransactionBackend}. Holds the state machine I, T, E, the implicit transaction of a call and the
 * savepoint stack.
 */
public final class SimpleQuerySession implements SqlSession {

  private final long pid;
  private final TransactionBackend backend;

  public SimpleQuerySession(long pid, TransactionBackend backend) {
    this.pid = pid;
    this.backend = backend;
  }

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public TransactionStatus status() {
    throw new UnsupportedOperationException("sql");
  }

  @Override
  public SqlResponse execute(String sql, List<Object> parameters) {
    throw new UnsupportedOperationException("sql");
  }

  @Override
  public void cancel() {
    backend.cancel();
  }

  @Override
  public void close() {
    backend.close();
  }
}
