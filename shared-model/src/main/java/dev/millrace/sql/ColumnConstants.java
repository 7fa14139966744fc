package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import java.util.List;

/**
 * Constants that are given to columns and mean something else to H2: strings with backslashes are
 * bytes for a bytea column and themselves for any other; numbers too large for a floating-point
 * column are refused, where H2 would store infinity; DEFAULT draws an identity column's next value
 * in an UPDATE too. The table is looked up only when there is such a constant.
 */
final class ColumnConstants {

  /** A number of fewer characters without exponent fits every floating-point type. */
  private static final int MAX_PLAIN_DIGITS = 38;

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
      } else if (depth == 1 && mayOverflow(token)) {
        RelationDefinition relation = options.relations().apply(target);
        if (relation != null) {
          checkRange(token, relation, columnIndex(relation, columns, column));
        }
      }
    }
  }

  /** Whether a number may be beyond what a floating-point type holds. */
  private static boolean mayOverflow(Token token) {
    return token.kind() == Token.Kind.NUMBER
        && (token.end() - token.start() > MAX_PLAIN_DIGITS
            || token.text().indexOf('e') > 0
            || token.text().indexOf('E') > 0);
  }

  private void checkRange(Token number, RelationDefinition relation, int column) {
    int typeOid = column < 0 ? 0 : relation.columns().get(column).valueOid();
    if (typeOid != PgType.FLOAT4 && typeOid != PgType.FLOAT8) {
      return;
    }
    try {
      PgText.parse(number.text(), typeOid);
    } catch (PgException e) {
      throw e.withPosition(Lexer.position(stream.sql(), number.start()));
    }
  }

  /** A number or DEFAULT at {@code i + 2}, for the column at {@code i}. */
  private void number(int i, Token token, QualifiedName target) {
    boolean isDefault = token.isWord("default");
    RelationDefinition relation =
        isDefault || mayOverflow(token) ? options.relations().apply(target) : null;
    int column = relation == null ? -1 : relation.columnIndex(stream.token(i).text());
    if (column >= 0 && !isDefault) {
      checkRange(token, relation, column);
    } else if (column >= 0 && relation.columns().get(column).identity() != 0) {
      rewriter.replaceToken(
          i + 2,
          SystemCatalog.IDENTITY_NEXT
              + "("
              + Identifiers.literal(target.schema())
              + ", "
              + Identifiers.literal(target.name())
              + ", "
              + Identifiers.literal(stream.token(i).text())
              + ")");
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

  /** {@code SET column = constant}. */
  void inAssignments(QualifiedName target) {
    for (int i = stream.index(); i + 2 < stream.limit(); i++) {
      Token token = stream.token(i + 2);
      if (token.isWord("where")) {
        return;
      }
      if (stream.token(i).isName() && stream.token(i + 1).isOperator("=")) {
        number(i, token, target);
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
