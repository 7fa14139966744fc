package dev.millrace.sql;

import dev.millrace.model.ArrayText;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeModifier;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * {@code = ANY (..)}, {@code <> ALL (..)} over the elements of an array. Arrays are kept as texts,
 * which H2 would take for arrays of one element; so the array must be written out here, as {@code
 * ARRAY[..]} or as a constant. The two forms above become IN and NOT IN, which mean the same and
 * whose elements H2 converts once; with other operators H2 is given an array of its own.
 */
final class QuantifiedArray {

  private final Rewriting rewriting;
  private final TokenStream stream;

  QuantifiedArray(Rewriting rewriting) {
    this.rewriting = rewriting;
    this.stream = rewriting.stream;
  }

  /** Handles ANY, SOME or ALL at {@code i}, before a bracket; returns the index to go on from. */
  int rewrite(int i) {
    Token before = rewriting.at(i - 1);
    boolean quantifies =
        before != null
            && (before.kind() == Token.Kind.OPERATOR
                || before.isWord("like")
                || before.isWord("ilike"));
    int first = i + 2;
    if (!quantifies || isQuery(first)) {
      return i + 1;
    }
    if (before.kind() == Token.Kind.WORD) {
      throw stream.unsupported("LIKE with ANY or ALL is", stream.token(i));
    }
    Token token = stream.token(first);
    boolean written = token.isWord("array") && stream.token(first + 1).isMark('[');
    if (!written && token.kind() != Token.Kind.STRING) {
      throw stream.unsupported("ANY and ALL over an array that is not written out are", token);
    }
    int close = written ? closing(first + 1) : first;
    TypeName element = castElement(close + 1);
    int after = element == null ? close + 1 : stream.index();
    int typeOid = element == null ? PgType.TEXT : element.type().oid();
    List<String> constants =
        written ? constants(first + 2, close, typeOid) : elements(token, typeOid);
    boolean empty = constants != null && constants.isEmpty(); // H2 has no IN ().
    boolean list = isList(before, stream.token(i)) && !empty;
    rewriting.open();
    if (constants != null) {
      begin(list, before, first);
      String elements = cast(constants, element);
      replace(first, after, list ? elements : "ARRAY[" + elements + "]");
      return after;
    }
    boolean cast = element != null && element.type().category() != 'S';
    list &= !cast;
    begin(list, before, first);
    replace(first, first + 2, list ? "" : cast ? "CAST(ARRAY[" : "ARRAY[");
    Rewriting.Bracket bracket = rewriting.open();
    bracket.array = true;
    bracket.resume = after;
    bracket.closing = list ? "" : cast ? "] AS " + element.h2Cast() + " ARRAY)" : "]";
    return first + 2;
  }

  /** Puts IN in place of operator and quantifier for a list. */
  private void begin(boolean list, Token operator, int first) {
    if (list) {
      String in = operator.isOperator("=") ? " IN (" : " NOT IN (";
      rewriting.edits.replace(operator.start(), stream.token(first - 1).end(), in);
    }
  }

  private void replace(int from, int to, String text) {
    rewriting.edits.replace(stream.token(from).start(), stream.token(to - 1).end(), text);
  }

  private static boolean isList(Token operator, Token quantifier) {
    return quantifier.isWord("all")
        ? operator.isOperator("<>") || operator.isOperator("!=")
        : operator.isOperator("=");
  }

  private boolean isQuery(int first) {
    int i = first;
    while (stream.token(i).isMark('(')) {
      i++;
    }
    Token token = stream.token(i);
    return token.isWord("select")
        || token.isWord("with")
        || token.isWord("values")
        || token.isWord("table");
  }

  private int closing(int open) {
    int depth = 0;
    for (int i = open; i < stream.limit(); i++) {
      depth += stream.token(i).opens() ? 1 : stream.token(i).closes() ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    throw stream.unexpected(stream.token(stream.limit()));
  }

  /** The elements between the tokens as H2's constants, or null when some are none. */
  private List<String> constants(int from, int to, int typeOid) {
    List<String> constants = new ArrayList<>();
    for (int i = from; i < to; i += 2) {
      Token token = stream.token(i);
      boolean alone = i + 1 == to || stream.token(i + 1).isMark(',');
      if (!alone || token.kind() != Token.Kind.STRING && token.kind() != Token.Kind.NUMBER) {
        return null;
      }
      boolean string = token.kind() == Token.Kind.STRING;
      constants.add(string ? literal(token.text(), typeOid) : token.text());
    }
    return constants;
  }

  /** The elements of an array constant as H2's constants. */
  private List<String> elements(Token token, int typeOid) {
    try {
      return ArrayText.parse(token.text()).elements().stream()
          .map(value -> value == null ? "NULL" : literal(value, typeOid))
          .toList();
    } catch (PgException e) {
      throw e.withPosition(Lexer.position(stream.sql(), token.start()));
    }
  }

  private static String literal(String value, int typeOid) {
    return Identifiers.literal(InputConstant.forH2(value, typeOid, TypeModifier.NONE));
  }

  private static String cast(List<String> constants, TypeName element) {
    StringJoiner list = new StringJoiner(", ");
    for (String constant : constants) {
      list.add(element == null ? constant : "CAST(" + constant + " AS " + element.h2Cast() + ")");
    }
    return list.toString();
  }

  /** The element type of the cast at {@code i}, the stream then behind it; null without a cast. */
  private TypeName castElement(int i) {
    if (!stream.token(i).isOperator("::")) {
      return null;
    }
    stream.moveTo(i + 1);
    TypeName type = TypeName.parse(stream, rewriting.options.types());
    PgType element = PgType.elementOf(type.type().oid());
    if (element == null) {
      throw stream.error(
          SqlState.WRONG_OBJECT_TYPE,
          "op ANY/ALL (array) requires array on right side",
          stream.token(i));
    }
    return new TypeName(element, type.modifier(), false);
  }
}
