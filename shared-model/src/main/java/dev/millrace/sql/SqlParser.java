package dev.millrace.sql;

import java.util.List;

/** Splits, classifies and rewrites SQL as typed for PostgreSQL. Stateless; safe for any thread. */
public final class SqlParser {

  private SqlParser() {}

  /**
   * The statements of a simple query in order; empty statements are left out.
   *
   * @throws dev.millrace.model.PgException 42601 with the position, 0A000 for what H2 cannot do
   */
  public static List<ParsedStatement> parse(String sql) {
    throw new UnsupportedOperationException("sql");
  }
}
