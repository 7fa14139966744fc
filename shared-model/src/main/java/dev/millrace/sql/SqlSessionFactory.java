package dev.millrace.sql;

/** Opens the sessions of a node. */
public interface SqlSessionFactory {

  /**
   * A new session on the node's database.
   *
   * @throws dev.millrace.model.PgException 53300 when max_connections sessions are open, 57P01 /
   *     57P03 while stopping or starting
   */
  SqlSession open();
}
