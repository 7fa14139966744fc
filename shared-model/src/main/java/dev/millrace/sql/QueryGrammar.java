package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import java.util.StringJoiner;

/** SELECT, VALUES, TABLE and WITH: statements that return rows. */
final class QueryGrammar {

  private final TokenStream stream;
  private final SqlOptions options;

  QueryGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  ParsedStatement.Query query() {
    return new ParsedStatement.Query(
        stream.original(), rewrite(stream.index(), stream.limit(), true));
  }

  /**
   * The H2 text of the query in the tokens {@code from} to {@code to}.
   *
   * @param named its columns' names are seen, so they are to be PostgreSQL's
   */
  String rewrite(int from, int to, boolean named) {
    refuseDataChangingWith(from, to);
    String whole = wholeCall(from, to);
    if (whole != null) {
      return whole;
    }
    ExpressionRewriter rewriter = new ExpressionRewriter(stream, options);
    if (named && stream.token(from).isWord("values")) {
      return namedValues(rewriter.rewrite(from, to), from, to);
    }
    if (named) {
      nameColumns(rewriter, from, to);
    }
    return rewriter.rewrite(from, to);
  }

  /** The columns of VALUES are column1, column2 .. */
  private String namedValues(String values, int from, int to) {
    int depth = 0;
    int columns = 1;
    boolean firstRow = true;
    for (int i = from + 1; i < to; i++) {
      Token token = stream.token(i);
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
      if (depth == 0 && !token.isMark(')') && !token.isMark(',')) {
        return values; // ORDER BY, LIMIT or UNION: they would end inside the brackets.
      }
      firstRow &= depth > 0;
      columns += firstRow && depth == 1 && token.isMark(',') ? 1 : 0;
    }
    StringJoiner names = new StringJoiner(", ", "(", ")");
    for (int i = 1; i <= columns; i++) {
      names.add("column" + i);
    }
    return "SELECT * FROM (" + values + ") AS \"*VALUES*\"" + names;
  }

  private void refuseDataChangingWith(int from, int to) {
    if (!stream.token(from).isWord("with")) {
      return;
    }
    for (int i = from; i < to; i++) {
      Token token = stream.token(i);
      boolean verb =
          token.isWord("insert")
              || token.isWord("update")
              || token.isWord("delete")
              || token.isWord("merge");
      boolean begins =
          stream.token(i - (i > from ? 1 : 0)).isMark('(')
              || i > from && stream.token(i - 1).isMark(')');
      if (verb && begins) {
        throw stream.unsupported("WITH together with a statement that changes rows is", token);
      }
    }
  }

  /** {@code SELECT f(..)} of a function with several columns; null for everything else. */
  private String wholeCall(int from, int to) {
    int name = from + 1;
    if (to - from > 4
        && stream.token(name).isWord("pg_catalog")
        && stream.token(name + 1).isMark('.')) {
      name += 2;
    }
    if (to - name < 3
        || !stream.token(from).isWord("select")
        || stream.token(name).kind() != Token.Kind.WORD
        || !stream.token(name + 1).isMark('(')) {
      return null;
    }
    SystemFunction function = options.functions().apply(stream.token(name).text());
    if (function == null || function.scalar()) {
      return null;
    }
    stream.moveTo(name + 1);
    int close = stream.skipBrackets();
    return close == to - 1
        ? new FunctionCall(stream, options, function, name, close).asWholeQuery()
        : null;
  }

  /** Gives the columns of the first SELECT list the names PostgreSQL would give them. */
  private void nameColumns(ExpressionRewriter rewriter, int from, int to) {
    if (!stream.token(from).isWord("select")) {
      return;
    }
    int begin = from + 1;
    if (stream.token(begin).isWord("all") || stream.token(begin).isWord("distinct")) {
      begin++;
      if (stream.token(begin).isWord("on")) {
        return;
      }
    }
    nameItems(stream, rewriter, begin, to);
  }

  /** As {@link #nameColumns}, for the list that begins at {@code first}. */
  static void nameItems(TokenStream stream, ExpressionRewriter rewriter, int first, int to) {
    int begin = first;
    int depth = 0;
    for (int i = begin; i <= to; i++) {
      Token token = i == to ? null : stream.token(i);
      if (token == null || depth == 0 && (token.isMark(',') || isClause(token))) {
        String name = i > begin ? ColumnName.of(stream, begin, i) : null;
        if (name != null) {
          rewriter.insertAfter(i - 1, " AS " + Identifiers.alwaysQuote(name));
        }
        if (token == null || !token.isMark(',')) {
          return;
        }
        begin = i + 1;
      } else if (token.opens()) {
        depth++;
      } else if (token.closes()) {
        depth--;
      }
    }
  }

  /** Whether a list of SELECT ends before it. */
  static boolean isClause(Token token) {
    if (token.kind() != Token.Kind.WORD) {
      return false;
    }
    switch (token.text()) {
      case "from",
      "where",
      "group",
      "having",
      "order",
      "limit",
      "offset",
      "fetch",
      "union",
      "except",
      "intersect",
      "window",
      "for",
      "into":
        return true;
      default:
        return false;
    }
  }
}
