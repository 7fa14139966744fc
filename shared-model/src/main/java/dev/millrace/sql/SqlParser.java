package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits, classifies and rewrites SQL as typed for PostgreSQL. Stateless; safe for any thread.
 *
 * <p>Statements that H2 would run as PostgreSQL does pass with their text nearly untouched: the
 * lexer cuts them into tokens once, and only tokens that H2 reads differently are replaced. What H2
 * cannot do, or would do differently, is refused by name with 0A000.
 */
public final class SqlParser {

  private SqlParser() {}

  /** As {@link #parse(String, SqlOptions)} with {@link SqlOptions#PLAIN}. */
  public static List<ParsedStatement> parse(String sql) {
    return parse(sql, SqlOptions.PLAIN);
  }

  /**
   * As {@link #parse(String, SqlOptions)}, where a statement may name a type that one before it
   * creates.
   */
  static List<ParsedStatement> parseScript(String sql, SqlOptions options) {
    try {
      return parse(sql, options);
    } catch (PgException e) {
      List<ParsedStatement> unparsed = new ArrayList<>();
      for (TokenStream stream : statements(sql)) {
        unparsed.add(new ParsedStatement.Unparsed(stream.original()));
      }
      if (!e.sqlState().equals(SqlState.UNDEFINED_OBJECT) || unparsed.size() < 2) {
        throw e;
      }
      return unparsed;
    }
  }

  /**
   * The statements of a simple query in order; empty statements are left out.
   *
   * @throws dev.millrace.model.PgException 42601 with the position, 0A000 for what H2 cannot do
   */
  public static List<ParsedStatement> parse(String sql, SqlOptions options) {
    List<ParsedStatement> parsed = new ArrayList<>();
    for (TokenStream stream : statements(sql)) {
      parsed.add(new StatementParser(stream, options).parse());
    }
    return parsed;
  }

  private static List<TokenStream> statements(String sql) {
    List<Token> tokens = Lexer.tokens(sql);
    List<TokenStream> statements = new ArrayList<>();
    int first = 0;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.kind() == Token.Kind.END || token.isMark(';')) {
        if (i > first) {
          statements.add(new TokenStream(sql, tokens, first, i));
        }
        first = i + 1;
      }
    }
    return statements;
  }

  /**
   * Whether text put between brackets stays there: not empty, every bracket closed by its own, and
   * no end of a statement in it. Says nothing of what it means.
   *
   * @throws dev.millrace.model.PgException 42601 for a string or comment that does not end
   */
  public static boolean isExpression(String text) {
    int depth = 0;
    boolean empty = true;
    for (Token token : Lexer.tokens(text)) {
      if (token.kind() == Token.Kind.END) {
        break;
      }
      empty = false;
      depth += token.isMark('(') ? 1 : token.isMark(')') ? -1 : 0;
      if (depth < 0 || token.isMark(';')) {
        return false;
      }
    }
    return depth == 0 && !empty;
  }
}
