package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Turns a run of tokens (an expression, a query, the tail of an INSERT) into H2's SQL in one pass.
 *
 * <p>It is no parser: text is copied from the source, and only where H2 reads a token differently
 * something else is put in its place - type names of casts, E'' and dollar-quoted strings, {@code
 * $n}, bytea constants, words that only H2 reserves, function calls that are spelled differently.
 * Anything H2 would take for something else is refused. A statement in which nothing differs is not
 * copied at all.
 */
final class ExpressionRewriter {

  /** Operators that mean the same to both. */
  private static final Set<String> OPERATORS =
      Set.of(
          "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "=", "<>", "!=", "||", "~", "~*", "!~",
          "!~*");

  /** Functions of H2 that reach files, other databases or other sessions. */
  private static final Set<String> FORBIDDEN_FUNCTIONS =
      Set.of(
          "csvread",
          "csvwrite",
          "file_read",
          "file_write",
          "link_schema",
          "cancel_session",
          "abort_session",
          "database_path",
          "memory_free",
          "memory_used",
          "disk_space_used",
          "table",
          "table_distinct",
          "convert",
          "set");

  /** One open bracket. */
  private static final class Bracket {
    /** What to put in place of the closing bracket; null for the bracket itself. */
    String closing;

    /** It is CAST's: a type follows AS. */
    boolean cast;

    /** It belongs to a function call: FROM in it starts no table list. */
    boolean call;

    /** The last of select, from, where, group, order, having, set seen at this depth. */
    String clause = "";
  }

  private final TokenStream stream;
  private final String sql;
  private final SqlOptions options;
  private final boolean rowNumbers;
  private final Map<Integer, String> insertions = new HashMap<>(0);
  private final Map<Integer, String> replacements = new HashMap<>(0);
  private final ArrayDeque<Bracket> brackets = new ArrayDeque<>();
  private Bracket bracket = new Bracket();
  private StringBuilder out;
  private int copied;

  ExpressionRewriter(TokenStream stream, SqlOptions options) {
    this(stream, options, false);
  }

  /**
   * @param rowNumbers ctid may be used, as in DELETE .. WHERE ctid = (SELECT min(ctid) ..): H2's
   *     row number stands in for it within one statement
   */
  ExpressionRewriter(TokenStream stream, SqlOptions options, boolean rowNumbers) {
    this.stream = stream;
    this.sql = stream.sql();
    this.options = options;
    this.rowNumbers = rowNumbers;
  }

  /** Puts text behind the token at {@code index} when {@link #rewrite} comes to it. */
  void insertAfter(int index, String text) {
    insertions.put(index, text);
  }

  /** Puts text in place of the token at {@code index} when {@link #rewrite} comes to it. */
  void replaceToken(int index, String text) {
    replacements.put(index, text);
  }

  /** The H2 text of the tokens {@code from} to {@code to} (exclusive). */
  String rewrite(int from, int to) {
    return rewrite(from, to, "");
  }

  /**
   * As {@link #rewrite(int, int)}, for tokens that begin inside a clause.
   *
   * @param clause the clause they begin in: {@code from} where tables are listed
   */
  String rewrite(int from, int to, String clause) {
    if (from >= to) {
      return "";
    }
    bracket.clause = clause;
    int begin = stream.token(from).start();
    copied = begin;
    int i = from;
    while (i < to) {
      Token token = stream.token(i);
      if (token.afterComment() && i > from) {
        replace(stream.token(i - 1).end(), token.start(), " ");
      }
      i = replacements.isEmpty() || !replacements.containsKey(i) ? token(i, token, to) : given(i);
      if (!insertions.isEmpty() && insertions.containsKey(i - 1)) {
        int end = stream.token(i - 1).end();
        replace(end, end, insertions.get(i - 1));
      }
    }
    int end = stream.token(to - 1).end();
    return out == null ? sql.substring(begin, end) : out.append(sql, copied, end).toString();
  }

  private int given(int i) {
    replace(stream.token(i), replacements.get(i));
    return i + 1;
  }

  /** Handles the token at {@code i}; returns the index to go on from. */
  private int token(int i, Token token, int to) {
    switch (token.kind()) {
      case NUMBER:
        return i + 1;
      case WORD:
        return word(i, token, to);
      case OPERATOR:
        return operator(i, token, to);
      case STRING:
        return string(i, token, to);
      case QUOTED:
        if (!token.copied()) {
          replace(token, Identifiers.alwaysQuote(token.text()));
        }
        return i + 1;
      case PARAMETER:
        replace(token, "?" + token.text());
        return i + 1;
      case BIT_STRING:
        throw stream.unsupported("bit strings are", token);
      default:
        throw stream.unexpected(token);
    }
  }

  private int string(int i, Token token, int to) {
    if (i + 2 < to && stream.token(i + 1).isOperator("::")) {
      int after = castConstant(i, token, to);
      if (after > 0) {
        return after;
      }
    }
    if (token.isBackslashString() && Bytea.isHex(token.text())) {
      replace(token, Bytea.hexConstant(token.text()));
    } else if (!token.copied()) {
      replace(token, Identifiers.literal(token.text()));
    }
    return i + 1;
  }

  /** A constant with {@code ::} whose meaning depends on the type; 0 for all others. */
  private int castConstant(int i, Token token, int to) {
    Token type = stream.token(i + 2);
    if (type.isWord("regclass")) {
      replace(token.start(), type.end(), SystemNames.oidOfRelation(token.text()));
      return i + 3;
    }
    if (type.isWord("bytea")) {
      replace(token.start(), type.end(), Bytea.constant(token.text()));
      return i + 3;
    }
    return 0;
  }

  private int operator(int i, Token token, int to) {
    int length = token.end() - token.start();
    char c = sql.charAt(token.start());
    if (length == 1) {
      switch (c) {
        case '(':
          brackets.push(bracket);
          bracket = new Bracket();
          return i + 1;
        case ')':
          return close(i, token);
        case ',', '.':
          return i + 1;
        case '[', ']':
          throw stream.unsupported("arrays are", token);
        case ':', ';':
          throw stream.unexpected(token);
        default:
          break;
      }
    }
    String operator = token.text();
    if (operator.equals("::")) {
      return cast(i, token);
    }
    if (operator.equals("=>") || operator.equals(":=")) {
      throw stream.unsupported("named arguments of this function are", token);
    }
    if (!OPERATORS.contains(operator)) {
      throw stream.error(
          SqlState.FEATURE_NOT_SUPPORTED, "operator " + operator + " is not supported", token);
    }
    return i + 1;
  }

  private int close(int i, Token token) {
    if (brackets.isEmpty()) {
      throw stream.unexpected(token);
    }
    if (bracket.closing != null) {
      replace(token, bracket.closing);
    }
    bracket = brackets.pop();
    return i + 1;
  }

  private int cast(int i, Token token) {
    stream.moveTo(i + 1);
    if (stream.isWord("regclass")) {
      throw stream.unsupported("casts to regclass of anything but a constant are", token);
    }
    TypeName type = TypeName.parse(stream);
    int after = stream.index();
    replace(stream.token(i + 1).start(), stream.token(after - 1).end(), type.h2Cast());
    return after;
  }

  private int word(int i, Token token, int to) {
    Token next = i + 1 < to ? stream.token(i + 1) : null;
    boolean qualified = i > 0 && stream.token(i - 1).isMark('.');
    if (next != null && next.isMark('.')) {
      if (!qualified && token.text().equals("pg_catalog")) {
        replace(token.start(), stream.token(i + 2).start(), "");
        return i + 2;
      }
    } else if (next != null && next.isMark('(')) {
      return beforeBracket(i, token, to);
    } else if (next != null && next.kind() == Token.Kind.STRING && !qualified) {
      int after = typedConstant(i, token, to);
      if (after > 0) {
        return after;
      }
    }
    if (qualified) {
      quoteIfH2Reserves(token, true);
      return i + 1;
    }
    return keyword(i, token, to);
  }

  private int keyword(int i, Token token, int to) {
    switch (token.text()) {
      case "select", "where", "group", "order", "having", "set", "values", "limit", "union":
        bracket.clause = token.text();
        return i + 1;
      case "from", "using":
        boolean distinct = i > 0 && stream.token(i - 1).isWord("distinct");
        if (!bracket.call && !distinct) {
          bracket.clause = "from";
        }
        return i + 1;
      case "as":
        return bracket.cast ? castType(i) : i + 1;
      case "only":
        return only(i, token, to);
      case "array":
        throw stream.unsupported("arrays are", token);
      case "into":
        if (bracket.clause.equals("select")) {
          throw stream.unsupported("SELECT INTO is", token);
        }
        return i + 1;
      case "returning":
        throw stream.unsupported("RETURNING is", token);
      case "lateral":
        throw stream.unsupported("LATERAL is", token);
      case "interval":
        throw stream.error(
            SqlState.FEATURE_NOT_SUPPORTED,
            PgType.byName("interval").unsupported().getMessage(),
            token);
      case "tablesample":
        throw stream.unsupported("TABLESAMPLE is", token);
      case "for":
        return locking(i, token, to);
      case "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid":
        return systemColumn(i, token);
      case "current_catalog":
        replace(token, "CURRENT_CATALOG");
        return i + 1;
      default:
        break;
    }
    if (!token.copied()) {
      replace(token, Identifiers.alwaysQuote(token.text()));
    } else {
      quoteIfH2Reserves(token, false);
      quoteIfNameHere(i, token, to);
    }
    return i + 1;
  }

  /** FOR UPDATE locks rows in H2 too; the other strengths it does not know. */
  private int locking(int i, Token token, int to) {
    Token next = i + 1 < to ? stream.token(i + 1) : token;
    if (next.isWord("share") || next.isWord("no") || next.isWord("key")) {
      throw stream.unsupported("row locks other than FOR UPDATE are", token);
    }
    return i + 1;
  }

  private int systemColumn(int i, Token token) {
    if (!token.text().equals("ctid") || !rowNumbers) {
      throw stream.unsupported("system column \"" + token.text() + "\" is", token);
    }
    replace(token, "_ROWID_");
    return i + 1;
  }

  /** {@code FROM ONLY t}: H2 has no inheritance, so ONLY says nothing. */
  private int only(int i, Token token, int to) {
    Token before = i > 0 ? stream.token(i - 1) : token;
    if (before.isWord("rows") || before.isWord("row") || before.kind() == Token.Kind.NUMBER) {
      return i + 1;
    }
    if (i + 1 < to && stream.token(i + 1).isMark('(')) {
      throw stream.unsupported("ONLY with brackets is", token);
    }
    replace(token, "");
    return i + 1;
  }

  private void quoteIfH2Reserves(Token token, boolean qualified) {
    String word = token.text();
    if (Keywords.isReservedByH2Only(word)
        || qualified && Keywords.isReservedByH2Mostly(word)
        || !token.copied()) {
      replace(token, Identifiers.alwaysQuote(word));
    }
  }

  /** Words that begin a window frame, a row lock or a bracketed clause keep their meaning. */
  private void quoteIfNameHere(int i, Token token, int to) {
    String word = token.text();
    if (!Keywords.isReservedByH2Mostly(word)) {
      return;
    }
    Token before = i > 0 ? stream.token(i - 1) : null;
    Token after = i + 1 < to ? stream.token(i + 1) : null;
    boolean name;
    switch (word) {
      case "key":
        name = before == null || !before.isWord("primary") && !before.isWord("foreign");
        break;
      case "row":
        name =
            before != null
                && (before.isMark(',') || before.isWord("select") || before.isOperator("="));
        break;
      case "rows", "range", "groups":
        name =
            (after == null
                    || !after.isWord("between")
                        && !after.isWord("unbounded")
                        && !after.isWord("current")
                        && !after.isWord("only")
                        && !after.isWord("with")
                        && !after.isWord("from")
                        && after.kind() != Token.Kind.NUMBER)
                && (before == null || before.kind() != Token.Kind.NUMBER);
        break;
      case "over", "partition":
        name = after == null || !after.isMark('(') && !after.isWord("by") && !after.isName();
        break;
      case "unknown":
        name = before == null || !before.isWord("is") && !before.isWord("not");
        break;
      default:
        name = !bracket.call || after == null || !after.isWord("from");
        break;
    }
    if (name) {
      replace(token, Identifiers.alwaysQuote(word));
    }
  }

  /** {@code CAST(x AS type)}: {@code i} stands at AS. */
  private int castType(int i) {
    stream.moveTo(i + 1);
    Token start = stream.peek();
    TypeName type = TypeName.parse(stream);
    int after = stream.index();
    replace(start.start(), stream.token(after - 1).end(), type.h2Cast());
    return after;
  }

  /** {@code timestamptz '..'}: a type name before a constant; 0 when the word is no type. */
  private int typedConstant(int i, Token token, int to) {
    switch (token.text()) {
      case "date", "time", "timestamp":
        return i + 1;
      case "interval":
        return 0;
      default:
        break;
    }
    PgType type = PgType.byName(token.text());
    if (type == null || i > 0 && stream.token(i - 1).isWord("as")) {
      return 0;
    }
    Token constant = stream.token(i + 1);
    stream.moveTo(i);
    TypeName name = TypeName.parse(stream);
    String text =
        type.oid() == PgType.BYTEA
            ? Bytea.constant(constant.text())
            : "CAST(" + Identifiers.literal(constant.text()) + " AS " + name.h2Cast() + ")";
    replace(token.start(), constant.end(), text);
    return i + 2;
  }

  private int beforeBracket(int i, Token token, int to) {
    String name = token.text();
    SystemFunction function = options.functions().apply(name);
    if (function != null) {
      return systemFunction(i, token, to, function);
    }
    if (FORBIDDEN_FUNCTIONS.contains(name) && !Keywords.isFullyReserved(name)
        || name.equals("table")) {
      throw stream.error(
          SqlState.UNDEFINED_FUNCTION, "function " + name + " does not exist", token);
    }
    switch (name) {
      case "generate_series":
        return generateSeries(i, token, to);
      case "cast":
        open(i + 1).cast = true;
        return i + 2;
      case "md5":
        replace(token, "LOWER(RAWTOHEX(HASH('MD5', CAST");
        open(i + 1).closing = " AS CHARACTER VARYING))))";
        return i + 2;
      case "decode":
        return decode(i, token, to);
      case "array":
        throw stream.unsupported("arrays are", token);
      case "array_agg", "unnest", "string_to_array", "array_length":
        throw stream.unsupported("arrays are", token);
      case "interval":
        throw stream.unsupported("type interval is", token);
      case "in",
      "and",
      "or",
      "not",
      "any",
      "all",
      "some",
      "exists",
      "values",
      "on",
      "using",
      "as",
      "where",
      "when",
      "then",
      "else",
      "select",
      "from",
      "join",
      "union",
      "except",
      "intersect",
      "by",
      "case",
      "over",
      "filter",
      "within",
      "with",
      "having",
      "set",
      "distinct",
      "limit",
      "offset",
      "between",
      "is",
      "like",
      "ilike":
        keywordBeforeBracket(name);
        return i + 1;
      default:
        break;
    }
    if (!token.copied()) {
      replace(token, Identifiers.alwaysQuote(name));
    }
    open(i + 1).call = true;
    return i + 2;
  }

  private void keywordBeforeBracket(String word) {
    switch (word) {
      case "select", "where", "having", "set", "values", "union":
        bracket.clause = word;
        break;
      case "from", "using":
        bracket.clause = "from";
        break;
      default:
        break;
    }
  }

  /** Takes the opening bracket at {@code i} and starts its level. */
  private Bracket open(int i) {
    brackets.push(bracket);
    bracket = new Bracket();
    return bracket;
  }

  private int systemFunction(int i, Token token, int to, SystemFunction function) {
    stream.moveTo(i + 1);
    int close = stream.skipBrackets();
    boolean table = bracket.clause.equals("from") && !bracket.call;
    FunctionCall call = new FunctionCall(stream, options, function, i, close);
    if (!table) {
      replace(token.start(), stream.token(close).end(), call.inExpression());
      return close + 1;
    }
    TableAlias alias = TableAlias.parse(stream, close + 1, to);
    int last = Math.max(close, alias.end() - 1);
    replace(token.start(), stream.token(last).end(), call.inFrom(alias));
    return last + 1;
  }

  private int generateSeries(int i, Token token, int to) {
    if (!bracket.clause.equals("from")) {
      throw stream.unsupported("generate_series outside FROM is", token);
    }
    stream.moveTo(i + 1);
    int close = stream.skipBrackets();
    String arguments =
        new ExpressionRewriter(stream, options, rowNumbers).rewrite(i + 2, close, "call");
    TableAlias alias = TableAlias.parse(stream, close + 1, to);
    int last = Math.max(close, alias.end() - 1);
    String table = alias.tableOr("generate_series");
    String text =
        "SYSTEM_RANGE("
            + arguments
            + ") AS "
            + Identifiers.alwaysQuote(table)
            + "("
            + Identifiers.alwaysQuote(alias.columnOr(table))
            + ")";
    replace(token.start(), stream.token(last).end(), text);
    return last + 1;
  }

  /** H2's DECODE is another function; only the hexadecimal form of a constant can be told. */
  private int decode(int i, Token token, int to) {
    boolean constant =
        i + 5 < to
            && stream.token(i + 2).kind() == Token.Kind.STRING
            && stream.token(i + 3).isMark(',')
            && stream.token(i + 4).kind() == Token.Kind.STRING
            && stream.token(i + 4).text().equals("hex")
            && stream.token(i + 5).isMark(')');
    String hex = constant ? "\\x" + stream.token(i + 2).text() : "";
    if (!constant || !Bytea.isHex(hex)) {
      throw stream.unsupported("decode() of anything but a constant in hex is", token);
    }
    replace(token.start(), stream.token(i + 5).end(), Bytea.hexConstant(hex));
    return i + 6;
  }

  private void replace(Token token, String text) {
    replace(token.start(), token.end(), text);
  }

  private void replace(int start, int end, String text) {
    if (start < copied) {
      throw new PgException(SqlState.INTERNAL_ERROR, "overlapping changes of a statement's text");
    }
    if (out == null) {
      out = new StringBuilder(sql.length() + 32);
    }
    out.append(sql, copied, start).append(text);
    copied = end;
  }
}
