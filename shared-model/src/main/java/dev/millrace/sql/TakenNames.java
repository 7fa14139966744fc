package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.List;

/**
 * What happens when an implicit name is taken: the parser cannot know, so the statement is built
 * again with the next number behind the label ({@code t_a_idx1}).
 */
final class TakenNames {

  private static final int MAX_NUMBER = 100;

  private TakenNames() {}

  /**
   * The statement with the {@code number}th choice of names, or null when the error is not about a
   * name the parser has made up.
   */
  static ParsedStatement.Ddl renumbered(
      ParsedStatement.Ddl ddl, PgException error, SqlOptions options, int number) {
    boolean taken =
        error.sqlState().equals(SqlState.DUPLICATE_TABLE)
            || error.sqlState().equals(SqlState.DUPLICATE_OBJECT);
    String name = taken ? quotedName(error.getMessage()) : null;
    boolean implicit =
        name != null
            && number <= MAX_NUMBER
            && (ddl.target() == null || !ddl.target().name().equals(name))
            && ddl.original().toLowerCase(java.util.Locale.ROOT).indexOf(name) < 0
            && String.join(";", ddl.h2Statements()).contains(Identifiers.alwaysQuote(name));
    if (!implicit) {
      return null;
    }
    List<ParsedStatement> again = SqlParser.parse(ddl.original(), options.withNameNumber(number));
    ParsedStatement.Ddl next =
        again.get(0) instanceof ParsedStatement.CreateTableAs create
            ? create.create()
            : (ParsedStatement.Ddl) again.get(0);
    return next.h2Statements().equals(ddl.h2Statements()) ? null : next;
  }

  /** The first name in double quotes. */
  private static String quotedName(String message) {
    int open = message.indexOf('"');
    int close = message.indexOf('"', open + 1);
    return open < 0 || close < 0 ? null : message.substring(open + 1, close);
  }
}
