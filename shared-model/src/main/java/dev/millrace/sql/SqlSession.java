package dev.millrace.sql;

import dev.millrace.model.Notice;
import dev.millrace.settings.Settings;
import java.util.List;

/**
 * One client's session: statements in, results out, the transaction kept between calls.
 *
 * <p>One call at a time; {@link #cancel} alone may come from another thread.
 */
public interface SqlSession extends AutoCloseable {

  /** A number unique in the node, across restarts too; shown as pid. */
  long pid();

  TransactionStatus status();

  /** The session's own settings; null where it has none. */
  default Settings settings() {
    return null;
  }

  /**
   * Runs the statements of {@code sql} as one simple query: an implicit transaction unless BEGIN is
   * used.
   *
   * @param parameters values of {@code $1..} (String, Number, Boolean, null or List); only with a
   *     single statement
   * @throws dev.millrace.model.PgException the first error; the implicit transaction is rolled
   *     back, an open block failed
   */
  SqlResponse execute(String sql, List<Object> parameters);

  /**
   * Adds a notice to the answer of the call that runs. Only from within it, on its thread: by
   * functions that its statement calls.
   */
  void notice(Notice notice);

  /** Asks the running statement to stop with 57014; nothing happens when none runs. */
  void cancel();

  /** Rolls back what is open and frees the session. */
  @Override
  void close();
}
