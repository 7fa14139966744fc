package dev.millrace.sql;

/** How many values the rows of an INSERT have, counted in its tokens. */
final class InsertWidth {

  static final int UNKNOWN = -1;

  private InsertWidth() {}

  /**
   * @param from the first token of VALUES or the query
   * @return {@link #UNKNOWN} for a query whose columns are not all written out
   */
  static int of(TokenStream stream, int from) {
    int first = from;
    while (stream.token(first).isMark('(')) {
      first++;
    }
    if (stream.token(first).isWord("with")) {
      first = mainQuery(stream, first);
    }
    if (stream.token(first).isWord("values")) {
      return items(stream, first + 2);
    }
    if (!stream.token(first).isWord("select")) {
      return UNKNOWN;
    }
    Token next = stream.token(first + 1);
    if (next.isWord("distinct") && stream.token(first + 2).isWord("on")) {
      return UNKNOWN;
    }
    return items(stream, next.isWord("all") || next.isWord("distinct") ? first + 2 : first + 1);
  }

  /** The index of the query behind WITH's list. */
  private static int mainQuery(TokenStream stream, int with) {
    int depth = 0;
    for (int i = with; i < stream.limit(); i++) {
      Token token = stream.token(i);
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
      if (depth == 0 && (token.isWord("select") || token.isWord("values"))) {
        return i;
      }
    }
    return with;
  }

  private static int items(TokenStream stream, int first) {
    int items = 1;
    int depth = 0;
    for (int i = first; i <= stream.limit(); i++) {
      Token token = i == stream.limit() ? null : stream.token(i);
      boolean ends =
          token == null
              || depth == 0
                  && (token.closes() || token.isMark(',') || QueryGrammar.isClause(token));
      if (!ends) {
        depth += token.opens() ? 1 : token.closes() ? -1 : 0;
        continue;
      }
      if (stream.token(i - 1).isOperator("*")) {
        return UNKNOWN; // All columns of a table.
      }
      if (token == null || !token.isMark(',')) {
        break;
      }
      items++;
    }
    return items;
  }
}
