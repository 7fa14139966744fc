package dev.millrace.sql;

import java.util.List;

/**
 * The answer to one statement.
 *
 * @param command the command tag, such as {@code INSERT 0 1}, {@code SELECT 3} or {@code CREATE
 *     TABLE}
 * @param columns null for a statement without a result set
 * @param rows values as JSON shows them: Integer, Long (within +-(2^53-1)), Boolean, null, else
 *     PostgreSQL's text form
 */
public record StatementResult(String command, List<ResultColumn> columns, List<List<Object>> rows) {

  /** The row count in the tag of a statement that changes or selects rows. */
  public long count() {
    return Long.parseLong(command.substring(command.lastIndexOf(' ') + 1));
  }

  public static StatementResult ofCommand(String command) {
    return new StatementResult(command, null, null);
  }
}
