package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import java.util.List;

/**
 * Constants that are given to columns and mean something else to H2: strings are read by the rules
 * of the column's type ({@link InputConstant}), those with backslashes are bytes for a bytea column
 * and themselves for any other; numbers are refused by boolean columns, and by a floating-point
 * column when they are too large, where H2 would store infinity; DEFAULT draws an identity column's
 * next value in an UPDATE too. The table is looked up once, when there is a constant.
 */
final class ColumnConstants {

  /** A number of fewer characters without exponent fits every floating-point type. */
  private static final int MAX_PLAIN_DIGITS = 38;

  private final TokenStream stream;
  private final SqlOptions options;
  private final ExpressionRewriter rewriter;
  private RelationDefinition relation;
  private boolean lookedUp;
  private int[] positions;

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
      } else if (depth == 1 && isConstant(token) && relation(target) != null) {
        constant(i, token, columnIndex(columns, column));
      }
    }
  }

  private static boolean isConstant(Token token) {
    return token.kind() == Token.Kind.STRING || token.kind() == Token.Kind.NUMBER;
  }

  private RelationDefinition relation(QualifiedName target) {
    if (!lookedUp) {
      relation = options.relations().apply(target);
      lookedUp = true;
    }
    return relation;
  }

  /** A string or number at {@code i} in what is given to a column of the table. */
  private void constant(int i, Token token, int column) {
    if (column < 0) {
      return;
    }
    ColumnDefinition definition = relation.columns().get(column);
    if (token.kind() == Token.Kind.STRING) {
      string(i, token, definition);
    } else if (mayOverflow(token)) {
      checkRange(token, definition.valueOid());
    } else if (definition.valueOid() == PgType.BOOL && isAlone(i)) {
      throw notBoolean(token, definition);
    }
  }

  private void string(int i, Token token, ColumnDefinition column) {
    if (stream.token(i + 1).isOperator("::")) {
      return;
    }
    String text = token.text();
    if (token.hasBackslash()) {
      boolean bytea = column.typeOid() == PgType.BYTEA;
      rewriter.replaceToken(i, bytea ? Bytea.constant(text) : Identifiers.literal(text));
    } else if (isAlone(i)) {
      String read = InputConstant.forH2(text, column.valueOid(), column.valueModifier());
      if (!read.equals(text)) {
        rewriter.replaceToken(i, Identifiers.literal(read));
      }
    }
  }

  /** Whether the constant is all that is given to the column. */
  private boolean isAlone(int i) {
    Token before = stream.token(i - 1);
    Token after = stream.token(i + 1);
    boolean begins = before.isMark('(') || before.isMark(',') || before.isOperator("=");
    boolean ends = after.isMark(')') || after.isMark(',') || after.isWord("where");
    return begins && (ends || i + 1 == stream.limit());
  }

  private PgException notBoolean(Token number, ColumnDefinition column) {
    boolean integer = number.text().chars().allMatch(c -> c >= '0' && c <= '9');
    return new PgException(
            SqlState.DATATYPE_MISMATCH,
            "column \""
                + column.name()
                + "\" is of type boolean but expression is of type "
                + (integer ? "integer" : "numeric"))
        .withHint("You will need to rewrite or cast the expression.")
        .withPosition(Lexer.position(stream.sql(), number.start()));
  }

  /** Whether a number may be beyond what a floating-point type holds. */
  private static boolean mayOverflow(Token token) {
    return token.kind() == Token.Kind.NUMBER
        && (token.end() - token.start() > MAX_PLAIN_DIGITS
            || token.text().indexOf('e') > 0
            || token.text().indexOf('E') > 0);
  }

  private void checkRange(Token number, int typeOid) {
    if (typeOid != PgType.FLOAT4 && typeOid != PgType.FLOAT8) {
      return;
    }
    try {
      PgText.parse(number.text(), typeOid);
    } catch (PgException e) {
      throw e.withPosition(Lexer.position(stream.sql(), number.start()));
    }
  }

  /** The place in the table of the column that the INSERT names as its {@code position}th. */
  private int columnIndex(List<String> columns, int position) {
    if (columns == null) {
      return position < relation.columns().size() ? position : -1;
    }
    if (positions == null) {
      positions = columns.stream().mapToInt(relation::columnIndex).toArray();
    }
    return position < positions.length ? positions[position] : -1;
  }

  /** {@code SET column = constant}. */
  void inAssignments(QualifiedName target) {
    for (int i = stream.index(); i + 2 < stream.limit(); i++) {
      Token token = stream.token(i + 2);
      if (token.isWord("where")) {
        return;
      }
      boolean given = isConstant(token) || token.isWord("default");
      boolean assignment = given && stream.token(i).isName() && stream.token(i + 1).isOperator("=");
      int column =
          assignment && relation(target) != null
              ? relation.columnIndex(stream.token(i).text())
              : -1;
      if (column >= 0 && token.isWord("default")) {
        nextIdentity(i, target, relation.columns().get(column));
      } else {
        constant(i + 2, token, column);
      }
    }
  }

  /** DEFAULT at {@code i + 2} for the column at {@code i}. */
  private void nextIdentity(int i, QualifiedName target, ColumnDefinition column) {
    if (column.identity() != 0) {
      rewriter.replaceToken(
          i + 2,
          SystemCatalog.IDENTITY_NEXT
              + "("
              + Identifiers.literal(target.schema())
              + ", "
              + Identifiers.literal(target.name())
              + ", "
              + Identifiers.literal(column.name())
              + ")");
    }
  }
}
