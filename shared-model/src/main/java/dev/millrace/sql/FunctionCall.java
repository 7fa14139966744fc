package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.SystemFunction.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * A call of one of the node's own functions: named arguments are put in their places, defaults
 * filled in, so that H2 sees one argument per parameter and the variadic rest behind them.
 */
final class FunctionCall {

  private final TokenStream stream;
  private final SqlOptions options;
  private final SystemFunction function;
  private final Token start;
  private final String[] values;
  private final List<String> rest = new ArrayList<>();

  /** {@code first} is the function's name, {@code close} the closing bracket. */
  FunctionCall(
      TokenStream stream, SqlOptions options, SystemFunction function, int first, int close) {
    this.stream = stream;
    this.options = options;
    this.function = function;
    this.start = stream.token(first);
    this.values = new String[function.parameters().size()];
    int begin = first + 2;
    int position = 0;
    while (begin < close) {
      int end = argumentEnd(begin, close);
      argument(begin, end, position++);
      begin = end + 1;
    }
    fillIn();
  }

  private int argumentEnd(int begin, int close) {
    int depth = 0;
    for (int i = begin; i < close; i++) {
      Token token = stream.token(i);
      if (token.isMark('(') || token.isMark('[')) {
        depth++;
      } else if (token.isMark(')') || token.isMark(']')) {
        depth--;
      } else if (depth == 0 && token.isMark(',')) {
        return i;
      }
    }
    return close;
  }

  private void argument(int begin, int end, int position) {
    if (begin == end) {
      throw stream.unexpected(stream.token(end));
    }
    Token second = stream.token(begin + 1);
    boolean named =
        stream.token(begin).isName() && (second.isOperator("=>") || second.isOperator(":="));
    int parameter = named ? indexOf(stream.token(begin).text()) : position;
    int from = named ? begin + 2 : begin;
    if (parameter < 0 || !named && parameter >= values.length && !isVariadic()) {
      throw noSuchCall();
    }
    if (stream.token(from).isWord("variadic")) {
      variadicArray(from + 1, end, parameter);
      return;
    }
    int declared = Math.min(parameter, values.length - 1);
    ExpressionRewriter rewriter = new ExpressionRewriter(stream, options);
    if (!function.parameters().get(declared).type().equals("bytea")) {
      rewriter.withoutBytea();
    }
    String text = rewriter.rewrite(from, end, "call");
    if (isVariadic() && parameter >= values.length - 1) {
      rest.add(text);
    } else if (values[parameter] != null) {
      throw stream.error(
          SqlState.SYNTAX_ERROR,
          "argument name \""
              + function.parameters().get(parameter).name()
              + "\" used more than once",
          stream.token(begin));
    } else {
      values[parameter] = text;
    }
  }

  /** {@code VARIADIC ARRAY[..]} gives the rest of the arguments in one. */
  private void variadicArray(int from, int end, int parameter) {
    boolean array =
        isVariadic()
            && parameter == values.length - 1
            && end - from >= 3
            && stream.token(from).isWord("array")
            && stream.token(from + 1).isMark('[')
            && stream.token(end - 1).isMark(']');
    if (!array) {
      throw stream.unsupported("VARIADIC with anything but ARRAY[..] is", stream.token(from));
    }
    int begin = from + 2;
    while (begin < end - 1) {
      int next = argumentEnd(begin, end - 1);
      rest.add(new ExpressionRewriter(stream, options).withoutBytea().rewrite(begin, next, "call"));
      begin = next + 1;
    }
  }

  private boolean isVariadic() {
    return values.length > 0 && function.parameters().get(values.length - 1).variadic();
  }

  private int indexOf(String name) {
    for (int i = 0; i < values.length; i++) {
      if (function.parameters().get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  private void fillIn() {
    for (int i = 0; i < values.length; i++) {
      Parameter parameter = function.parameters().get(i);
      if (parameter.variadic()) {
        values[i] = rest.isEmpty() ? null : String.join(", ", rest);
      } else if (values[i] == null) {
        if (parameter.required()) {
          throw noSuchCall();
        }
        values[i] = constant(parameter.defaultValue());
      }
    }
  }

  private static String constant(Object value) {
    if (value == null) {
      return "NULL";
    }
    return value instanceof Number || value instanceof Boolean
        ? value.toString()
        : Identifiers.literal(value.toString());
  }

  private PgException noSuchCall() {
    return stream
        .error(
            SqlState.UNDEFINED_FUNCTION,
            "function " + function.name() + " with these arguments does not exist",
            start)
        .withHint("No function matches the given name and argument types.");
  }

  private String positional() {
    StringJoiner arguments = new StringJoiner(", ", "(", ")");
    for (String value : values) {
      if (value != null) {
        arguments.add(value);
      }
    }
    return Identifiers.quote(function.name()) + arguments;
  }

  /** The call where a value stands; several columns come as a composite value's text. */
  String inExpression() {
    return function.scalar()
        ? positional()
        : "(SELECT " + composite() + " FROM " + positional() + ")";
  }

  /** The call where a table stands. */
  String inFrom(TableAlias alias) {
    String table = alias.tableOr(function.name());
    if (function.scalar()) {
      String column = alias.columnOr(table);
      return "(SELECT "
          + positional()
          + " AS "
          + Identifiers.alwaysQuote(column)
          + ") AS "
          + Identifiers.alwaysQuote(table);
    }
    StringBuilder text = new StringBuilder(positional());
    if (alias.table() != null) {
      text.append(" AS ").append(Identifiers.alwaysQuote(table));
    }
    if (!alias.columns().isEmpty()) {
      StringJoiner columns = new StringJoiner(", ", "(", ")");
      for (int i = 0; i < function.columns().size(); i++) {
        columns.add(
            Identifiers.alwaysQuote(
                i < alias.columns().size()
                    ? alias.columns().get(i)
                    : function.columns().get(i).name()));
      }
      text.append(columns);
    }
    return text.toString();
  }

  /** {@code SELECT f(..)} alone gives one row per row of the function. */
  String asWholeQuery() {
    return "SELECT "
        + composite()
        + " AS "
        + Identifiers.alwaysQuote(function.name())
        + " FROM "
        + positional();
  }

  private String composite() {
    StringJoiner fields = new StringJoiner(" || ',' || ", "('(' || ", " || ')')");
    for (ResultColumn column : function.columns()) {
      fields.add(field(column));
    }
    return fields.toString();
  }

  /** One field as record_out writes it: nothing for NULL, quoted where it must be. */
  private static String field(ResultColumn column) {
    String name = Identifiers.alwaysQuote(column.name());
    if (column.type().equals("bool")) {
      return "CASE WHEN " + name + " THEN 't' WHEN NOT " + name + " THEN 'f' ELSE '' END";
    }
    String text = "CAST(" + name + " AS CHARACTER VARYING)";
    return "COALESCE(CASE WHEN "
        + text
        + " = '' OR REGEXP_LIKE("
        + text
        + ", '[\\s,()\"\\\\]') THEN '\"' || REPLACE(REPLACE("
        + text
        + ", '\\', '\\\\'), '\"', '\"\"') || '\"' ELSE "
        + text
        + " END, '')";
  }
}
