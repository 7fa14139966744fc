package dev.millrace.sql;

import dev.millrace.model.PgException;
import java.sql.SQLException;

/** Maps what H2 throws to PostgreSQL's SQLSTATEs and wording. */
public final class H2Errors {

  private H2Errors() {}

  /** The same error as PostgreSQL would report it; H2's exception stays the cause. */
  public static PgException translate(SQLException error) {
    throw new UnsupportedOperationException("sql");
  }
}
