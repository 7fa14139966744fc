package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import java.util.List;

/**
 * String constants with backslashes that are given to columns: bytes for a bytea column, themselves
 * for any other. The table is looked up only when there is such a constant.
 */
final class ColumnConstants {

  private final TokenStream stream;
  private final SqlOptions options;
  private final ExpressionRewriter rewriter;

  ColumnConstants(TokenStream stream, SqlOptions options, ExpressionRewriter rewriter) {
    this.stream = stream;
    this.options = options;
    this.rewriter = rewriter;
  }

  /**
   * In one row of VALUES, between the brackets {@code open} and {@code close}.
   *
   * @param columns the columns named, null for all
   */
  void inRow(int open, int close, QualifiedName target, List<String> columns) {
    int depth = 0;
    int column = 0;
    for (int i = open; i < close; i++) {
      Token token = stream.token(i);
      if (token.opens()) {
        depth++;
      } else if (token.closes()) {
        depth--;
      } else if (depth == 1 && token.isMark(',')) {
        column++;
      } else if (token.kind() == Token.Kind.STRING
          && depth == 1
          && !stream.token(i + 1).isOperator("::")
          && token.hasBackslash()) {
        RelationDefinition relation = options.relations().apply(target);
        if (relation != null) {
          literal(i, token, relation, columnIndex(relation, columns, column));
        }
      }
    }
  }

  private static int columnIndex(RelationDefinition relation, List<String> columns, int position) {
    if (columns == null) {
      return position < relation.columns().size() ? position : -1;
    }
    return position < columns.size() ? relation.columnIndex(columns.get(position)) : -1;
  }

  private void literal(int i, Token token, RelationDefinition relation, int column) {
    if (column < 0) {
      return;
    }
    boolean bytea = relation.columns().get(column).typeOid() == PgType.BYTEA;
    rewriter.replaceToken(
        i, bytea ? Bytea.constant(token.text()) : Identifiers.literal(token.text()));
  }

  /** {@code SET column = 'constant with backslash'}. */
  void inAssignments(QualifiedName target) {
    for (int i = stream.index(); i + 2 < stream.limit(); i++) {
      Token token = stream.token(i + 2);
      if (token.isWord("where")) {
        return;
      }
      boolean assignment =
          stream.token(i).isName()
              && stream.token(i + 1).isOperator("=")
              && token.kind() == Token.Kind.STRING
              && !stream.token(i + 3).isOperator("::")
              && token.hasBackslash();
      RelationDefinition relation = assignment ? options.relations().apply(target) : null;
      if (relation != null) {
        literal(i + 2, token, relation, relation.columnIndex(stream.token(i).text()));
      }
    }
  }
}
