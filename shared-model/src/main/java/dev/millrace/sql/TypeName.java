package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeModifier;
import java.util.ArrayList;
import java.util.List;

/**
 * A type as a statement names it.
 *
 * @param modifier PostgreSQL's atttypmod, -1 for none
 * @param serial smallserial, serial or bigserial
 */
record TypeName(PgType type, int modifier, boolean serial) {

  /** The H2 type of a table column. */
  String h2Column() {
    return type.h2Type(modifier);
  }

  /** The H2 type to cast to: domains stand for what only column definitions need to tell apart. */
  String h2Cast() {
    switch (type.oid()) {
      case PgType.VARCHAR, PgType.BPCHAR:
        return modifier < 0 ? "CHARACTER VARYING" : type.h2Type(modifier);
      case PgType.NAME, PgType.PG_LSN:
        return "CHARACTER VARYING";
      case PgType.OID, PgType.XID:
        return "BIGINT";
      default:
        return type.h2Type(modifier);
    }
  }

  /** Parses the type the stream stands at and moves behind it. */
  static TypeName parse(TokenStream stream) {
    Token start = stream.peek();
    if (stream.isWord("setof")) {
      throw stream.unsupported("SETOF is", start);
    }
    if (stream.areWords("pg_catalog") && stream.peek(1).isMark('.')) {
      stream.next();
      stream.next();
    }
    String name = spelling(stream);
    List<Integer> arguments = modifierArguments(stream);
    if ((name.equals("time") || name.equals("timestamp"))) {
      if (stream.accept("with", "time", "zone")) {
        name += " with time zone";
      } else {
        stream.accept("without", "time", "zone");
      }
    }
    if (name.equals("float") && !arguments.isEmpty()) {
      name = arguments.get(0) <= 24 ? "float4" : "float8";
      arguments = List.of();
    }
    boolean array = false;
    while (stream.acceptMark('[')) {
      array = true;
      if (!stream.isMark(']')) {
        stream.next();
      }
      stream.expectMark(']');
    }
    array |= stream.accept("array");
    return resolve(stream, start, array ? name + "[]" : name, arguments);
  }

  private static TypeName resolve(
      TokenStream stream, Token start, String name, List<Integer> arguments) {
    PgType type = PgType.byName(name);
    if (type == null) {
      throw stream.error(SqlState.UNDEFINED_OBJECT, "type \"" + name + "\" does not exist", start);
    }
    if (!type.isSupported()) {
      throw at(stream, start, type.unsupported());
    }
    try {
      boolean serial = name.contains("serial");
      return new TypeName(type, TypeModifier.of(type, name, arguments), serial);
    } catch (PgException e) {
      throw at(stream, start, e);
    }
  }

  private static PgException at(TokenStream stream, Token start, PgException e) {
    return e.withPosition(Lexer.position(stream.sql(), start.start()));
  }

  private static String spelling(TokenStream stream) {
    Token token = stream.next();
    if (token.kind() == Token.Kind.QUOTED) {
      return token.text().equals("char") ? "\"char\"" : token.text();
    }
    if (token.kind() != Token.Kind.WORD) {
      throw stream.unexpected(token);
    }
    String word = token.text();
    switch (word) {
      case "double":
        stream.expect("precision");
        return "double precision";
      case "national":
        stream.accept("character");
        stream.accept("char");
        return stream.accept("varying") ? "character varying" : "character";
      case "nchar":
        return stream.accept("varying") ? "character varying" : "character";
      case "character", "char", "bit":
        return stream.accept("varying") ? word + " varying" : word;
      case "interval":
        intervalFields(stream);
        return word;
      default:
        return word;
    }
  }

  private static void intervalFields(TokenStream stream) {
    while (stream.accept("year")
        || stream.accept("month")
        || stream.accept("day")
        || stream.accept("hour")
        || stream.accept("minute")
        || stream.accept("second")
        || stream.accept("to")) {
      // The type is refused as a whole; its fields only have to be passed over.
    }
  }

  private static List<Integer> modifierArguments(TokenStream stream) {
    List<Integer> arguments = new ArrayList<>();
    if (stream.acceptMark('(')) {
      do {
        arguments.add(integer(stream));
      } while (stream.acceptMark(','));
      stream.expectMark(')');
    }
    return arguments;
  }

  private static int integer(TokenStream stream) {
    boolean negative = !stream.atEnd() && stream.peek().isOperator("-");
    if (negative) {
      stream.next();
    }
    Token token = stream.next();
    if (token.kind() != Token.Kind.NUMBER) {
      throw stream.unexpected(token);
    }
    try {
      int value = Integer.parseInt(token.text());
      return negative ? -value : value;
    } catch (NumberFormatException e) {
      throw stream.unexpected(token);
    }
  }
}
