package dev.millrace.sql;

import dev.millrace.model.SqlState;
import java.util.LinkedHashMap;
import java.util.Map;

/** The bracketed list of {@code name [= value]} after WITH, SET and SKIP. */
final class OptionList {

  private OptionList() {}

  /** The options in the order written; empty when {@code WITH} does not follow. */
  static Map<String, String> with(TokenStream stream) {
    return stream.accept("with") ? parse(stream) : Map.of();
  }

  /** The list in brackets; an option without value has the value {@code true}. */
  static Map<String, String> parse(TokenStream stream) {
    Map<String, String> options = new LinkedHashMap<>();
    stream.expectMark('(');
    do {
      Token nameToken = stream.peek();
      String name = stream.label();
      if (stream.acceptMark('.')) {
        name = name + "." + stream.label();
      }
      String value = stream.acceptMark('=') ? value(stream, name) : "true";
      if (options.containsKey(name)) {
        throw stream.error(SqlState.SYNTAX_ERROR, "conflicting or redundant options", nameToken);
      }
      options.put(name, value);
    } while (stream.acceptMark(','));
    stream.expectMark(')');
    return options;
  }

  private static String value(TokenStream stream, String name) {
    boolean negative = !stream.atEnd() && stream.peek().isOperator("-");
    if (negative) {
      stream.next();
    }
    Token token = stream.next();
    switch (token.kind()) {
      case WORD, QUOTED, STRING, NUMBER:
        String value = negative ? "-" + token.text() : token.text();
        boolean noneAllowed = name.equals("slot_name") || name.equals("lsn");
        return noneAllowed && value.equals("none") ? null : value;
      default:
        throw stream.unexpected(token);
    }
  }
}
