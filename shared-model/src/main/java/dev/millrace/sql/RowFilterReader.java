package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import java.util.Set;

/**
 * Reads a row filter as written: finds the columns it refers to and refuses what PostgreSQL allows
 * in no filter.
 *
 * <p>A filter is evaluated far from the session that wrote it, on rows of the past, again and
 * again. So it may hold columns, constants, operators and functions that give the same answer to
 * the same arguments for ever, and nothing else: PostgreSQL's rule, and its wording. Which
 * functions those are is a list here; H2 must know them too, which compiling the filter finds out.
 *
 * <p>It looks at tokens and does not parse; whether the rest is a boolean expression is H2's
 * question. One thread, used once.
 */
final class RowFilterReader {

  private static final String ONLY_SIMPLE =
      "Only columns, constants, built-in operators, built-in data types, built-in collations, and"
          + " immutable built-in functions are allowed.";

  /** OIDs below are the system's own. */
  private static final int FIRST_USER_OID = 16384;

  /** Words of expressions that stand for themselves, not for columns. */
  private static final Set<String> GRAMMAR =
      Set.of(
          "all",
          "and",
          "any",
          "array",
          "asymmetric",
          "between",
          "both",
          "case",
          "distinct",
          "else",
          "end",
          "false",
          "for",
          "from",
          "ilike",
          "in",
          "is",
          "isnull",
          "leading",
          "like",
          "not",
          "notnull",
          "null",
          "or",
          "placing",
          "some",
          "symmetric",
          "then",
          "to",
          "trailing",
          "true",
          "unknown",
          "when",
          "escape");

  /** Reserved words whose value depends on the moment or the session, or that begin a query. */
  private static final Set<String> NOT_SIMPLE =
      Set.of(
          "current_catalog",
          "current_date",
          "current_role",
          "current_schema",
          "current_time",
          "current_timestamp",
          "current_user",
          "exists",
          "localtime",
          "localtimestamp",
          "row",
          "select",
          "session_user",
          "system_user",
          "user",
          "values");

  private final TokenStream stream;
  private final RelationDefinition relation;
  private final StringBuilder kept = new StringBuilder();
  private int keptEnd;

  RowFilterReader(TokenStream stream, RelationDefinition relation) {
    this.stream = stream;
    this.relation = relation;
  }

  /** The filter's text with attribute numbers in place of column names, without comments. */
  String kept() {
    int i = stream.index();
    while (i < stream.limit()) {
      int next = token(i, stream.token(i));
      for (; i < next; i++) {
        keep(stream.token(i), stream.token(i).written());
      }
    }
    return kept.toString();
  }

  private void keep(Token token, String text) {
    if (token.start() < keptEnd) {
      return; // Part of a name that has been kept already.
    }
    boolean apart = token.start() > keptEnd || token.kind() != Token.Kind.OPERATOR;
    if (kept.length() > 0 && apart && !endsOpen()) {
      kept.append(' ');
    }
    kept.append(text);
    keptEnd = token.end();
  }

  private boolean endsOpen() {
    char last = kept.charAt(kept.length() - 1);
    return last == '(' || last == '.';
  }

  /** Looks at the token at {@code i}; returns the index to go on from. */
  private int token(int i, Token token) {
    switch (token.kind()) {
      case PARAMETER:
        throw new PgException(
            SqlState.UNDEFINED_PARAMETER, "there is no parameter " + token.written());
      case WORD, QUOTED:
        return name(i, token);
      case OPERATOR:
        return token.isOperator("::") ? type(i + 1) : i + 1;
      default:
        return i + 1;
    }
  }

  private Token at(int i) {
    return i < stream.limit() ? stream.token(i) : null;
  }

  private boolean isMarkAt(int i, char mark) {
    return at(i) != null && at(i).isMark(mark);
  }

  private int name(int i, Token token) {
    if (isMarkAt(i + 1, '.')) {
      return qualified(i, token);
    }
    if (isMarkAt(i + 1, '(')) {
      return call(i, token);
    }
    if (token.kind() == Token.Kind.WORD) {
      if (token.isWord("as") || isTypeOfConstant(i, token)) {
        return type(token.isWord("as") ? i + 1 : i);
      }
      if (NOT_SIMPLE.contains(token.text())) {
        throw invalid(ONLY_SIMPLE);
      }
      if (GRAMMAR.contains(token.text()) && relation.columnIndex(token.text()) < 0
          || Keywords.isReserved(token.text())) {
        return grammar(i, token);
      }
    }
    column(i, i, token.text());
    return i + 1;
  }

  private int grammar(int i, Token token) {
    if (token.isWord("collate") || token.isWord("similar")) {
      throw stream.unsupported(
          (token.isWord("collate") ? "COLLATE" : "SIMILAR TO") + " in a row filter is", token);
    }
    if (!GRAMMAR.contains(token.text())) {
      throw stream.unexpected(token).withPosition(0);
    }
    return i + 1;
  }

  /** {@code date '2026-01-01'}, {@code double precision '1'}. */
  private boolean isTypeOfConstant(int i, Token token) {
    if (GRAMMAR.contains(token.text()) || Keywords.isReserved(token.text())) {
      return false;
    }
    Token next = at(i + 1);
    boolean several =
        next != null
            && (next.isWord("precision")
                || next.isWord("varying")
                || next.isWord("with")
                || next.isWord("without"));
    return next != null && next.kind() == Token.Kind.STRING || several;
  }

  private int type(int i) {
    stream.moveTo(i);
    TypeName type = TypeName.parse(stream);
    refuseUserType(type.type().oid());
    return stream.index();
  }

  private static void refuseUserType(int typeOid) {
    if (Integer.compareUnsigned(typeOid, FIRST_USER_OID) >= 0) {
      throw invalid("User-defined types are not allowed.");
    }
  }

  /** {@code table.column}, {@code schema.table.column} or {@code pg_catalog.function(..)}. */
  private int qualified(int i, Token token) {
    int last = i + 2;
    if (token.isWord("pg_catalog") && isMarkAt(i + 3, '(')) {
      return call(last, at(last));
    }
    boolean bySchema = isMarkAt(i + 3, '.');
    Token table = bySchema ? at(last) : token;
    last += bySchema ? 2 : 0;
    Token column = at(last);
    boolean known =
        table != null
            && table.text().equals(relation.name().name())
            && (!bySchema || token.text().equals(relation.name().schema()));
    if (column == null || !column.isName()) {
      throw stream.unexpected(stream.token(Math.min(last, stream.limit()))).withPosition(0);
    }
    if (!known) {
      throw new PgException(
          SqlState.UNDEFINED_TABLE, "missing FROM-clause entry for table \"" + table.text() + "\"");
    }
    column(i, last, column.text());
    return last + 1;
  }

  /** The tokens {@code first} to {@code last} name a column. */
  private void column(int first, int last, String name) {
    int index = relation.columnIndex(name);
    if (index < 0) {
      if (SystemColumns.isOne(name)) {
        throw invalid("System columns are not allowed.");
      }
      throw new PgException(SqlState.UNDEFINED_COLUMN, "column \"" + name + "\" does not exist");
    }
    refuseUserType(relation.columns().get(index).typeOid());
    keep(stream.token(first), "$" + relation.columns().get(index).attnum());
    keptEnd = stream.token(last).end();
  }

  private int call(int i, Token token) {
    String name = token.text();
    if (NOT_SIMPLE.contains(name)) {
      throw invalid(ONLY_SIMPLE);
    }
    if (GRAMMAR.contains(name) && !ImmutableFunctions.has(name)) {
      return i + 1;
    }
    if (ImmutableFunctions.isAggregate(name)) {
      throw new PgException(
          SqlState.GROUPING_ERROR, "aggregate functions are not allowed in WHERE");
    }
    if (ImmutableFunctions.isMutable(name)) {
      throw invalid("User-defined or built-in mutable functions are not allowed.");
    }
    if (name.equals("date_part")) {
      throw stream.unsupported("date_part in a row filter is", token);
    }
    if (!ImmutableFunctions.has(name)) {
      throw new PgException(SqlState.UNDEFINED_FUNCTION, "function " + name + " does not exist");
    }
    // extract(year from ..): the field is no column.
    return name.equals("extract") ? Math.min(i + 3, stream.limit()) : i + 1;
  }

  private static PgException invalid(String detail) {
    return new PgException(SqlState.FEATURE_NOT_SUPPORTED, "invalid publication WHERE expression")
        .withDetail(detail);
  }
}
