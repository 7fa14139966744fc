package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.Dml;
import java.util.function.Supplier;

/**
 * Runs an INSERT .. ON CONFLICT that became a MERGE again when it met a key that another session
 * committed meanwhile: the next attempt sees that row. A key that is still refused is a violation,
 * or a row that the statement itself proposes twice.
 */
public final class ConflictRerun {

  private static final int ATTEMPTS = 5;

  private ConflictRerun() {}

  /** Runs {@code attempt}, which leaves nothing behind when it fails, until it succeeds. */
  public static <R> R run(Dml statement, Supplier<R> attempt) {
    for (int number = 1; ; number++) {
      try {
        return attempt.get();
      } catch (PgException e) {
        boolean conflict =
            statement.arbiter() != null && e.sqlState().equals(SqlState.UNIQUE_VIOLATION);
        if (!conflict) {
          throw e;
        }
        if (isSecondChange(e) || number == ATTEMPTS) {
          throw explained(statement, e);
        }
      }
    }
  }

  private static boolean isSecondChange(PgException e) {
    return e.getCause() != null
        && String.valueOf(e.getCause().getMessage()).contains("target record already processed");
  }

  private static PgException explained(Dml statement, PgException e) {
    boolean ownRow =
        !statement.arbiter().keyChanged()
            && e.getMessage().contains('"' + statement.arbiter().index() + '"');
    if (!statement.updates() || !isSecondChange(e) && !ownRow) {
      return e;
    }
    return new PgException(
            SqlState.CARDINALITY_VIOLATION,
            "ON CONFLICT DO UPDATE command cannot affect row a second time",
            e)
        .withHint(
            "Ensure that no rows proposed for insertion within the same command have duplicate"
                + " constrained values.");
  }
}
