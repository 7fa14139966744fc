package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The query of {@code COPY (SELECT columns FROM ONLY table WHERE condition) TO STDOUT}, the form in
 * which table synchronizations ask for some columns or rows of one table.
 *
 * @param condition as written, null without one
 * @param h2Condition H2's SQL of it
 */
public record CopySelect(
    List<String> columns, QualifiedName table, String condition, String h2Condition) {

  /** Words that begin another clause of a query. */
  private static final Set<String> OTHER_CLAUSES =
      Set.of(
          "group",
          "having",
          "window",
          "union",
          "intersect",
          "except",
          "order",
          "limit",
          "offset",
          "fetch",
          "for");

  /**
   * @throws dev.millrace.model.PgException 42601, and 0A000 for every other query
   */
  public static CopySelect parse(String query) {
    TokenStream stream = TokenStream.of(query);
    if (!stream.accept("select")) {
      throw other(stream);
    }
    List<String> columns = new ArrayList<>();
    while (!stream.isWord("from")) {
      if (!columns.isEmpty() && !stream.acceptMark(',')) {
        throw other(stream);
      }
      columns.add(column(stream));
    }
    stream.expect("from");
    stream.accept("only");
    QualifiedName table = stream.qualifiedName();
    if (stream.accept("where")) {
      String condition = query.substring(stream.peek().start());
      return new CopySelect(columns, table, condition, h2Condition(stream));
    }
    if (!stream.atEnd()) {
      throw other(stream);
    }
    return new CopySelect(columns, table, null, null);
  }

  private static String column(TokenStream stream) {
    if (stream.atEnd() || !stream.peek().isName()) {
      throw other(stream);
    }
    return stream.name();
  }

  private static String h2Condition(TokenStream stream) {
    int from = stream.index();
    int depth = 0;
    for (int i = from; i < stream.limit(); i++) {
      Token token = stream.token(i);
      depth += token.isMark('(') ? 1 : token.isMark(')') ? -1 : 0;
      boolean clause = token.kind() == Token.Kind.WORD && OTHER_CLAUSES.contains(token.text());
      if (depth == 0 && clause || token.isMark(';')) {
        stream.moveTo(i);
        throw other(stream);
      }
    }
    if (from == stream.limit()) {
      throw stream.unexpected();
    }
    return new ExpressionRewriter(stream, SqlOptions.PLAIN).rewrite(from, stream.limit(), "where");
  }

  private static RuntimeException other(TokenStream stream) {
    return stream.unsupported(
        "COPY of a query other than SELECT columns FROM table WHERE condition is", stream.peek());
  }
}
