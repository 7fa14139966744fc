package dev.millrace.publisher.filter;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import org.h2.expression.Expression;
import org.h2.expression.IntervalOperation;
import org.h2.expression.condition.BetweenPredicate;
import org.h2.expression.condition.Comparison;
import org.h2.expression.condition.ConditionInList;
import org.h2.expression.function.CastSpecification;
import org.h2.expression.function.DateTimeFunction;
import org.h2.value.Value;

/**
 * Finds what depends on the session's TimeZone or DateStyle in PostgreSQL, where a filter may not
 * hold it: parts of a time with time zone, casts between it and others, casts of dates from and to
 * text. Which type an operand has is known only once H2 has compiled the expression.
 */
final class MutableExpressions {

  private MutableExpressions() {}

  static boolean isOne(Expression expression) {
    int operands = expression.getSubexpressionCount();
    if (expression instanceof CastSpecification) {
      return isMutableCast(type(expression.getSubexpression(0)), type(expression));
    }
    if (expression instanceof DateTimeFunction || expression instanceof IntervalOperation) {
      boolean difference = type(expression) >= Value.INTERVAL_YEAR && zones(expression) == operands;
      return zones(expression) > 0 && !difference;
    }
    boolean compares =
        expression instanceof Comparison
            || expression instanceof BetweenPredicate
            || expression instanceof ConditionInList;
    return compares && zones(expression) > 0 && withoutZone(expression);
  }

  private static boolean isMutableCast(int from, int to) {
    if (from == to || from == Value.NULL) {
      return false;
    }
    boolean zoned = from == Value.TIMESTAMP_TZ || to == Value.TIMESTAMP_TZ;
    boolean text = isText(from) && isDateOrTime(to) || isText(to) && isDate(from);
    return zoned || text;
  }

  /** How many operands are times with time zone. */
  private static int zones(Expression expression) {
    int zones = 0;
    for (int i = 0; i < expression.getSubexpressionCount(); i++) {
      zones += type(expression.getSubexpression(i)) == Value.TIMESTAMP_TZ ? 1 : 0;
    }
    return zones;
  }

  private static boolean withoutZone(Expression expression) {
    for (int i = 0; i < expression.getSubexpressionCount(); i++) {
      if (isDate(type(expression.getSubexpression(i)))
          && type(expression.getSubexpression(i)) != Value.TIMESTAMP_TZ) {
        return true;
      }
    }
    return false;
  }

  private static int type(Expression expression) {
    return expression.getType().getValueType();
  }

  private static boolean isText(int type) {
    return type == Value.VARCHAR || type == Value.CHAR || type == Value.CLOB;
  }

  private static boolean isDate(int type) {
    return type == Value.DATE || type == Value.TIMESTAMP || type == Value.TIMESTAMP_TZ;
  }

  private static boolean isDateOrTime(int type) {
    return isDate(type) || type == Value.TIME || type == Value.TIME_TZ;
  }

  static PgException refusal() {
    return new PgException(SqlState.FEATURE_NOT_SUPPORTED, "invalid publication WHERE expression")
        .withDetail("User-defined or built-in mutable functions are not allowed.");
  }
}
