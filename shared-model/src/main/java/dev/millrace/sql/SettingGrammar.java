package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.sql.ParsedStatement.SetParameter;
import dev.millrace.sql.ParsedStatement.Show;
import java.util.StringJoiner;

/** SHOW, SET and RESET. */
final class SettingGrammar {

  private final TokenStream stream;

  SettingGrammar(TokenStream stream) {
    this.stream = stream;
  }

  ParsedStatement parse() {
    Token verb = stream.next();
    ParsedStatement statement =
        verb.isWord("show") ? show() : verb.isWord("reset") ? reset() : set(verb);
    stream.expectEnd();
    return statement;
  }

  private Show show() {
    String name;
    if (stream.accept("time", "zone")) {
      name = "timezone";
    } else if (stream.accept("transaction", "isolation", "level")) {
      name = "transaction_isolation";
    } else if (stream.accept("session", "authorization")) {
      name = "session_authorization";
    } else {
      name = parameterName();
    }
    return new Show(stream.original(), name);
  }

  private SetParameter reset() {
    String name = stream.accept("time", "zone") ? "timezone" : parameterName();
    return new SetParameter(stream.original(), name, null, false);
  }

  private ParsedStatement set(Token verb) {
    boolean local = stream.accept("local");
    boolean session = !local && !stream.peek(1).isMark('=') && stream.accept("session");
    Token what = stream.peek();
    if (session && stream.areWords("characteristics")) {
      throw stream.unsupported("SET SESSION CHARACTERISTICS is", what);
    }
    if (stream.areWords("authorization") || stream.areWords("role")) {
      throw stream.unsupported("SET ROLE and SET SESSION AUTHORIZATION are", what);
    }
    if (stream.areWords("constraints")) {
      throw stream.unsupported("SET CONSTRAINTS is", what);
    }
    if (local && stream.areWords("transaction")) {
      throw stream.unexpected(what);
    }
    if (stream.accept("time", "zone")) {
      return parameter("timezone", local);
    }
    if (stream.accept("names")) {
      return parameter("client_encoding", local);
    }
    String name = parameterName();
    if (!stream.acceptMark('=')) {
      stream.expect("to");
    }
    return parameter(name, local);
  }

  private SetParameter parameter(String name, boolean local) {
    if (stream.accept("default")) {
      return new SetParameter(stream.original(), name, null, local);
    }
    StringJoiner value = new StringJoiner(", ");
    do {
      value.add(value());
    } while (stream.acceptMark(','));
    stream.expectEnd();
    return new SetParameter(stream.original(), name, value.toString(), local);
  }

  private String value() {
    String sign = "";
    if (!stream.atEnd() && (stream.peek().isOperator("-") || stream.peek().isOperator("+"))) {
      sign = stream.next().isOperator("-") ? "-" : "";
      if (stream.peek().kind() != Token.Kind.NUMBER) {
        throw stream.unexpected();
      }
    }
    Token token = stream.next();
    switch (token.kind()) {
      case WORD, QUOTED, STRING, NUMBER:
        return sign + token.text();
      default:
        throw stream.unexpected(token);
    }
  }

  /** A setting's name, folded whatever its spelling; extensions' names have a dot. */
  private String parameterName() {
    PgException unexpected = stream.unexpected();
    if (stream.atEnd() || !stream.peek().isName()) {
      throw unexpected;
    }
    StringBuilder name = new StringBuilder(stream.next().text());
    while (stream.acceptMark('.')) {
      name.append('.').append(stream.label());
    }
    return Lexer.foldAscii(name.toString());
  }
}
