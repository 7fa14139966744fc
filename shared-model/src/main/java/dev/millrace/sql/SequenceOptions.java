package dev.millrace.sql;

import java.util.StringJoiner;

/** The options of a sequence, in H2's spelling. */
final class SequenceOptions {

  private SequenceOptions() {}

  /** The options in brackets behind AS IDENTITY. */
  static String inBrackets(TokenStream stream) {
    stream.expectMark('(');
    String options = parse(stream);
    stream.expectMark(')');
    return options.isEmpty() ? "" : "(" + options + ")";
  }

  /** The options up to the end, a comma or a closing bracket. */
  static String parse(TokenStream stream) {
    StringJoiner text = new StringJoiner(" ");
    while (!stream.atEnd() && !stream.isMark(')') && !stream.isMark(',')) {
      text.add(option(stream));
    }
    return text.toString();
  }

  private static String option(TokenStream stream) {
    Token start = stream.peek();
    if (stream.accept("as")) {
      return "AS " + TypeName.parse(stream).h2Column();
    }
    if (stream.accept("increment")) {
      stream.accept("by");
      return "INCREMENT BY " + number(stream);
    }
    if (stream.accept("start")) {
      stream.accept("with");
      return "START WITH " + number(stream);
    }
    if (stream.accept("restart")) {
      boolean value = stream.accept("with") || !stream.atEnd() && isNumber(stream);
      return value ? "RESTART WITH " + number(stream) : "RESTART";
    }
    if (stream.accept("minvalue")) {
      return "MINVALUE " + number(stream);
    }
    if (stream.accept("maxvalue")) {
      return "MAXVALUE " + number(stream);
    }
    if (stream.accept("cache")) {
      return "CACHE " + number(stream);
    }
    if (stream.accept("cycle")) {
      return "CYCLE";
    }
    if (stream.accept("no")) {
      for (String word : new String[] {"minvalue", "maxvalue", "cycle"}) {
        if (stream.accept(word)) {
          return "NO " + word.toUpperCase(java.util.Locale.ROOT);
        }
      }
      throw stream.unexpected();
    }
    if (stream.isWord("owned")) {
      throw stream.unsupported("OWNED BY is", start);
    }
    throw stream.unexpected();
  }

  private static boolean isNumber(TokenStream stream) {
    return stream.peek().kind() == Token.Kind.NUMBER || stream.peek().isOperator("-");
  }

  static String number(TokenStream stream) {
    boolean negative = !stream.atEnd() && stream.peek().isOperator("-");
    if (negative) {
      stream.next();
    }
    Token token = stream.next();
    if (token.kind() != Token.Kind.NUMBER) {
      throw stream.unexpected(token);
    }
    return negative ? "-" + token.text() : token.text();
  }
}
