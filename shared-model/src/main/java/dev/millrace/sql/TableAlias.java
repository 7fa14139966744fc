package dev.millrace.sql;

import java.util.List;

/**
 * The alias behind an item of FROM.
 *
 * @param table null without alias
 * @param columns empty without column names
 * @param end index of the token after it
 */
record TableAlias(String table, List<String> columns, int end) {

  /** Reads {@code [AS] name [(column, ..)]} at {@code from}, if it is there. */
  static TableAlias parse(TokenStream stream, int from, int to) {
    stream.moveTo(from);
    boolean as = from < to && stream.accept("as");
    Token token = from < to ? stream.peek() : null;
    boolean named =
        token != null
            && stream.index() < to
            && token.isName()
            && (as || !TokenStream.isReserved(token) && !isClause(token));
    if (!named) {
      return new TableAlias(null, List.of(), from);
    }
    String table = stream.label();
    List<String> columns =
        stream.index() < to && stream.isMark('(') ? stream.nameList() : List.of();
    return new TableAlias(table, columns, stream.index());
  }

  private static boolean isClause(Token token) {
    return token.isWord("set") || token.isWord("when") || token.isWord("values");
  }

  String tableOr(String other) {
    return table == null ? other : table;
  }

  String columnOr(String other) {
    return columns.isEmpty() ? other : columns.get(0);
  }
}
