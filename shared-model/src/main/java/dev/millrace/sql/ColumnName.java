package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgType;

/** The name PostgreSQL gives to an item of a SELECT list that has no alias. */
final class ColumnName {

  private ColumnName() {}

  /**
   * The name of the item in the tokens {@code from} to {@code to}; null where H2 gives the same one
   * or an alias is written.
   */
  static String of(TokenStream stream, int from, int to) {
    int cast = lastCast(stream, from, to);
    if (cast > from) {
      return ofCast(stream, from, cast, to);
    }
    Token first = stream.token(from);
    if (to - from == 1 && (first.isWord("true") || first.isWord("false"))) {
      return "bool";
    }
    if (first.isWord("case") && stream.token(to - 1).isWord("end")) {
      return "case";
    }
    if (to - from == 2
        && first.kind() == Token.Kind.WORD
        && stream.token(from + 1).kind() == Token.Kind.STRING) {
      PgType type = PgType.byName(first.text());
      return type == null ? null : type.name();
    }
    if (first.isWord("cast") && closes(stream, from + 1, to) == to) {
      return ofCastCall(stream, from + 2, to - 1);
    }
    return ofCall(stream, from, to);
  }

  /** The index of the last {@code ::} outside brackets, or -1. */
  private static int lastCast(TokenStream stream, int from, int to) {
    int depth = 0;
    int found = -1;
    for (int i = from; i < to; i++) {
      Token token = stream.token(i);
      if (token.isMark('(')) {
        depth++;
      } else if (token.isMark(')')) {
        depth--;
      } else if (depth == 0 && token.isOperator("::")) {
        found = i;
      }
    }
    return found;
  }

  private static String ofCast(TokenStream stream, int from, int cast, int to) {
    stream.moveTo(cast + 1);
    TypeName type;
    try {
      if (stream.isWord("regclass")) {
        return cast + 2 == to ? "regclass" : null;
      }
      type = TypeName.parse(stream);
    } catch (PgException e) {
      // The rewriter comes to the same type and reports it.
      return null;
    }
    boolean operator = stream.token(cast).isOperator("::");
    if (stream.index() != to || operator && !isOperand(stream, from, cast)) {
      return null;
    }
    String column = columnReference(stream, from, cast);
    String inner = column != null ? column : of(stream, from, cast);
    return inner != null ? inner : type.type().name();
  }

  /** Whether the tokens are one operand, to which alone the cast behind it belongs. */
  private static boolean isOperand(TokenStream stream, int from, int to) {
    if (to - from == 1) {
      return true;
    }
    return columnReference(stream, from, to) != null
        || callEnd(stream, from, to) == to
        || lastCast(stream, from, to) > from
        || stream.token(from).isMark('(') && closes(stream, from, to) == to;
  }

  private static String columnReference(TokenStream stream, int from, int to) {
    for (int i = from; i < to; i++) {
      boolean name = (i - from) % 2 == 0;
      if (name ? !stream.token(i).isName() : !stream.token(i).isMark('.')) {
        return null;
      }
    }
    boolean constant = to - from == 1 && TokenStream.isReserved(stream.token(from));
    return (to - from) % 2 == 1 && !constant ? stream.token(to - 1).text() : null;
  }

  private static String ofCall(TokenStream stream, int from, int to) {
    int end = callEnd(stream, from, to);
    if (end < 0) {
      return null;
    }
    while (end < to && (stream.token(end).isWord("filter") || stream.token(end).isWord("over"))) {
      end =
          end + 1 < to && stream.token(end + 1).isMark('(') ? closes(stream, end + 1, to) : end + 2;
    }
    if (end != to) {
      return null;
    }
    int name = stream.token(from + 1).isMark('.') ? from + 2 : from;
    return stream.token(name).text();
  }

  /** {@code CAST(x AS type)}; the tokens are those between the brackets. */
  private static String ofCastCall(TokenStream stream, int from, int to) {
    int as = to - 1;
    int depth = 0;
    while (as > from && !(depth == 0 && stream.token(as).isWord("as"))) {
      depth += stream.token(as).isMark(')') ? 1 : stream.token(as).isMark('(') ? -1 : 0;
      as--;
    }
    return as > from ? ofCast(stream, from, as, to) : null;
  }

  /** The index behind a call that begins at {@code from}, or -1 when none does. */
  private static int callEnd(TokenStream stream, int from, int to) {
    int open = from + 1;
    if (to - from > 3 && stream.token(from + 1).isMark('.')) {
      open = from + 3;
    }
    if (open >= to || !stream.token(open).isMark('(')) {
      return -1;
    }
    Token name = stream.token(open - 1);
    boolean function =
        name.isName() && !(name.kind() == Token.Kind.WORD && Keywords.isFullyReserved(name.text()));
    return function ? closes(stream, open, to) : -1;
  }

  private static int closes(TokenStream stream, int open, int to) {
    int depth = 0;
    for (int i = open; i < to; i++) {
      if (stream.token(i).isMark('(')) {
        depth++;
      } else if (stream.token(i).isMark(')') && --depth == 0) {
        return i + 1;
      }
    }
    return -1;
  }
}
