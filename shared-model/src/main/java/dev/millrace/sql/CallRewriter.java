package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.SqlState;
import java.math.BigInteger;
import java.util.Set;

/** The rules for words with a bracket behind them: functions, and keywords that take brackets. */
final class CallRewriter {

  /** Functions of H2 that reach files, other databases, other sessions, or change rows. */
  private static final Set<String> FORBIDDEN =
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
          // FINAL TABLE (INSERT ..) is a query that changes rows.
          "table",
          "table_distinct",
          "convert");

  /** Functions whose last or second argument says how long their result is. */
  private static final Set<String> PADDING = Set.of("repeat", "lpad", "rpad", "space");

  /** More than any row may hold; H2 would try, and giving up costs it the whole database. */
  private static final int MAX_LENGTH = 64 * 1024 * 1024;

  private static final Set<String> ARRAY_FUNCTIONS =
      Set.of("array", "array_agg", "unnest", "string_to_array", "array_length");

  /** Words that are no function's name before a bracket. */
  private static final Set<String> KEYWORDS =
      Set.of(
          "in",
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
          "ilike");

  private final Rewriting rewriting;
  private final TokenStream stream;
  private final SourceEdits edits;

  CallRewriter(Rewriting rewriting) {
    this.rewriting = rewriting;
    this.stream = rewriting.stream;
    this.edits = rewriting.edits;
  }

  /** Handles the word at {@code i}, behind which a bracket opens. */
  int beforeBracket(int i, Token token) {
    String name = token.text();
    if (KEYWORDS.contains(name)) {
      keyword(name);
      boolean quantifier = name.equals("any") || name.equals("some") || name.equals("all");
      return quantifier ? new QuantifiedArray(rewriting).rewrite(i) : i + 1;
    }
    SystemFunction function = rewriting.options.functions().apply(name);
    if (function != null) {
      return systemFunction(i, token, function);
    }
    if (FORBIDDEN.contains(name)) {
      throw stream.error(
          SqlState.UNDEFINED_FUNCTION, "function " + name + " does not exist", token);
    }
    if (ARRAY_FUNCTIONS.contains(name)) {
      throw stream.unsupported("arrays are", token);
    }
    return call(i, token);
  }

  private int call(int i, Token token) {
    switch (token.text()) {
      case "generate_series":
        return generateSeries(i, token);
      case "decode":
        return decode(i, token);
      case "lateral":
        throw stream.unsupported("LATERAL is", token);
      case "cast":
        rewriting.open().cast = true;
        return i + 2;
      case "now", "transaction_timestamp":
        return now(i, token);
      case "md5":
        edits.replace(token, "LOWER(RAWTOHEX(HASH('MD5', CAST");
        rewriting.open().closing = " AS CHARACTER VARYING))))";
        return i + 2;
      default:
        if (PADDING.contains(token.text())) {
          checkLength(i, token);
        }
        if (!token.copied()) {
          edits.replace(token, Identifiers.alwaysQuote(token.text()));
        }
        rewriting.open().call = true;
        return i + 2;
    }
  }

  private void checkLength(int i, Token function) {
    for (int j = i + 2; j < rewriting.closing(i + 1); j++) {
      Token token = stream.token(j);
      boolean tooLong =
          token.kind() == Token.Kind.NUMBER
              && token.text().matches("\\d+")
              && new BigInteger(token.text()).bitLength()
                  > Integer.numberOfTrailingZeros(MAX_LENGTH);
      if (tooLong) {
        throw stream.error(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large", function);
      }
    }
  }

  private void keyword(String word) {
    switch (word) {
      case "select", "where", "having", "set", "values", "union", "on":
        rewriting.bracket().clause = word;
        break;
      case "from", "using", "join":
        rewriting.bracket().clause = "from";
        break;
      default:
        break;
    }
  }

  private int systemFunction(int i, Token token, SystemFunction function) {
    int close = rewriting.closing(i + 1);
    FunctionCall call = new FunctionCall(stream, rewriting.options, function, i, close);
    boolean table = rewriting.bracket().clause.equals("from") && !rewriting.bracket().call;
    if (!table) {
      edits.replace(token.start(), stream.token(close).end(), call.inExpression());
      return close + 1;
    }
    TableAlias alias = TableAlias.parse(stream, close + 1, rewriting.limit());
    int last = Math.max(close, alias.end() - 1);
    edits.replace(token.start(), stream.token(last).end(), call.inFrom(alias));
    return last + 1;
  }

  private int generateSeries(int i, Token token) {
    if (!rewriting.bracket().clause.equals("from")) {
      throw stream.unsupported("generate_series outside FROM is", token);
    }
    int close = rewriting.closing(i + 1);
    String arguments =
        new ExpressionRewriter(stream, rewriting.options, rewriting.rowNumbers)
            .rewrite(i + 2, close, "call");
    TableAlias alias = TableAlias.parse(stream, close + 1, rewriting.limit());
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
    edits.replace(token.start(), stream.token(last).end(), text);
    return last + 1;
  }

  /** H2's NOW() has no time zone, PostgreSQL's has one. */
  private int now(int i, Token token) {
    if (!rewriting.isMarkAt(i + 2, ')')) {
      throw stream.error(
          SqlState.UNDEFINED_FUNCTION,
          "function " + token.text() + " with arguments does not exist",
          token);
    }
    edits.replace(token.start(), stream.token(i + 2).end(), "CURRENT_TIMESTAMP");
    return i + 3;
  }

  /** H2's DECODE is another function; only the hexadecimal form of a constant can be told. */
  private int decode(int i, Token token) {
    Token constant = rewriting.at(i + 2);
    Token format = rewriting.at(i + 4);
    boolean known =
        constant != null
            && constant.kind() == Token.Kind.STRING
            && rewriting.isMarkAt(i + 3, ',')
            && format != null
            && format.kind() == Token.Kind.STRING
            && format.text().equals("hex")
            && rewriting.isMarkAt(i + 5, ')');
    String hex = known ? "\\x" + constant.text() : "";
    if (!known || !Bytea.isHex(hex)) {
      throw stream.unsupported("decode() of anything but a constant in hex is", token);
    }
    edits.replace(token.start(), stream.token(i + 5).end(), Bytea.hexConstant(hex));
    return i + 6;
  }
}
