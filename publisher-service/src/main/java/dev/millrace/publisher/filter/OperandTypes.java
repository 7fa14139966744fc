package dev.millrace.publisher.filter;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.RowFilterText;
import org.h2.expression.Expression;
import org.h2.expression.condition.BetweenPredicate;
import org.h2.expression.condition.CompareLike;
import org.h2.expression.condition.Comparison;
import org.h2.expression.condition.ConditionInArray;
import org.h2.expression.condition.ConditionInConstantSet;
import org.h2.expression.condition.ConditionInList;
import org.h2.util.HasSQL;
import org.h2.value.Value;

/**
 * Refuses comparisons that PostgreSQL has no operator for. H2 would convert one side to the other's
 * type row by row, and fail in decoding on the first value that cannot be converted.
 */
final class OperandTypes {

  private static final char ANY = 0;

  private OperandTypes() {}

  /**
   * @param expression optimized, so that constants have the type of what they are compared with
   * @throws PgException 42883 for operands of types that do not compare, 0A000 for what depends on
   *     the session
   */
  static void check(Expression expression) {
    int operands = expression.getSubexpressionCount();
    for (int i = 0; i < operands; i++) {
      check(expression.getSubexpression(i));
    }
    if (MutableExpressions.isOne(expression)) {
      throw MutableExpressions.refusal();
    }
    if (expression instanceof ConditionInArray) {
      // H2 does not show what is in it, so nothing could be checked.
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "ANY and ALL with this operator are not supported in a row filter");
    }
    String operator = operator(expression);
    if (operator == null) {
      return;
    }
    Expression first = expression.getSubexpression(0);
    for (int i = 1; i < operands; i++) {
      Expression other = expression.getSubexpression(i);
      char group = group(first);
      char otherGroup = group(other);
      boolean bothText = group == 'S' && otherGroup == 'S';
      if (group != ANY && otherGroup != ANY && group != otherGroup
          || operator.equals("~~") && group != ANY && otherGroup != ANY && !bothText) {
        throw noOperator(name(first), operator, name(other));
      }
    }
  }

  private static PgException noOperator(String left, String operator, String right) {
    return new PgException(
            SqlState.UNDEFINED_FUNCTION,
            "operator does not exist: " + left + " " + operator + " " + right)
        .withHint(
            "No operator matches the given name and argument types. You might need to add"
                + " explicit type casts.");
  }

  private static String operator(Expression expression) {
    if (expression instanceof Comparison) {
      return written(expression);
    }
    if (expression instanceof BetweenPredicate) {
      return ">=";
    }
    if (expression instanceof CompareLike) {
      return "~~";
    }
    boolean list =
        expression instanceof ConditionInList || expression instanceof ConditionInConstantSet;
    return list ? "=" : null;
  }

  /** What stands behind the first operand in H2's SQL. */
  private static String written(Expression comparison) {
    String left =
        comparison
            .getSubexpression(0)
            .getSQL(HasSQL.DEFAULT_SQL_FLAGS, Expression.AUTO_PARENTHESES);
    String sql = comparison.getSQL(HasSQL.DEFAULT_SQL_FLAGS, Expression.WITHOUT_PARENTHESES);
    String rest = sql.substring(left.length() + 1);
    return rest.startsWith("IS ") ? "=" : rest.substring(0, rest.indexOf(' '));
  }

  private static String name(Expression operand) {
    return RowFilterText.typeName(Value.getTypeName(operand.getType().getValueType()));
  }

  /** A string constant that still is one takes the other side's type when it is evaluated. */
  private static char group(Expression operand) {
    int type = operand.getType().getValueType();
    switch (type) {
      case Value.CHAR, Value.VARCHAR, Value.VARCHAR_IGNORECASE, Value.CLOB:
        return operand.isConstant() ? ANY : 'S';
      case Value.BOOLEAN:
        return 'B';
      case Value.DATE, Value.TIMESTAMP, Value.TIMESTAMP_TZ:
        return 'D';
      case Value.TIME, Value.TIME_TZ:
        return 'T';
      case Value.BINARY, Value.VARBINARY, Value.BLOB:
        return 'V';
      case Value.UUID:
        return 'U';
      default:
        return type >= Value.TINYINT && type <= Value.DECFLOAT ? 'N' : ANY;
    }
  }
}
