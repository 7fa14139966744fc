package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IntervalFields;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeDefinition;
import dev.millrace.model.TypeModifier;
import dev.millrace.model.UserTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A type as a statement names it.
 *
 * @param modifier PostgreSQL's atttypmod, -1 for none
 * @param type for an enum or a domain the built-in type whose values it has
 * @param serial smallserial, serial or bigserial
 * @param user the name of an enum or a domain, else null
 */
record TypeName(PgType type, int modifier, boolean serial, QualifiedName user) {

  TypeName(PgType type, int modifier, boolean serial) {
    this(type, modifier, serial, null);
  }

  private static final Set<String> INTERVAL_FIELDS =
      Set.of("year", "month", "day", "hour", "minute", "second");

  /** The H2 type of a table column. */
  String h2Column() {
    return user == null ? type.h2Type(modifier) : DdlText.name(user);
  }

  /**
   * What must be in H2 before a column of that type is made: the domain that keeps its modifier.
   */
  List<String> prerequisites() {
    return user == null && type.isText() && modifier >= 0
        ? List.of("CREATE DOMAIN IF NOT EXISTS " + h2Column() + " AS CHARACTER VARYING")
        : List.of();
  }

  /** The H2 type to cast to: domains stand for what only column definitions need to tell apart. */
  String h2Cast() {
    if (user != null) {
      return DdlText.name(user);
    }
    if (type.isText()) {
      return "CHARACTER VARYING";
    }
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

  /** The type of a column that is defined already, without its modifier. */
  static TypeName of(ColumnDefinition column, QualifiedName user) {
    return new TypeName(PgType.byOid(column.valueOid()), TypeModifier.NONE, false, user);
  }

  /** As {@link #parse(TokenStream, UserTypes)} where only PostgreSQL's own types can stand. */
  static TypeName parse(TokenStream stream) {
    return parse(stream, UserTypes.NONE);
  }

  /** Parses the type the stream stands at and moves behind it. */
  static TypeName parse(TokenStream stream, UserTypes types) {
    Token start = stream.peek();
    TypeDefinition user = userType(stream, types);
    if (user != null) {
      if (stream.isMark('[') || stream.isWord("array")) {
        throw stream.unsupported("arrays of enums and domains are", start);
      }
      PgType value = PgType.byOid(user.use().valueOid());
      return new TypeName(value, user.use().valueModifier(), false, user.name());
    }
    if (stream.isWord("setof")) {
      throw stream.unsupported("SETOF is", start);
    }
    if (stream.areWords("pg_catalog") && stream.peek(1).isMark('.')) {
      stream.next();
      stream.next();
    }
    String name = spelling(stream);
    List<String> fields = name.equals("interval") ? intervalFields(stream) : List.of();
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
    TypeName type = resolve(stream, start, array ? name + "[]" : name, arguments);
    return fields.isEmpty() ? type : type.withFields(fields, arguments);
  }

  /** {@code interval day to second(3)}. */
  private TypeName withFields(List<String> fields, List<Integer> arguments) {
    int digits = arguments.isEmpty() ? -1 : arguments.get(0);
    String last = fields.size() == 1 ? null : fields.get(1);
    return new TypeName(type, IntervalFields.typeModifier(fields.get(0), last, digits), serial);
  }

  /** The enum or domain the stream stands at, which it then moves behind; else null. */
  private static TypeDefinition userType(TokenStream stream, UserTypes types) {
    Token first = stream.peek();
    if (stream.atEnd() || !first.isName()) {
      return null;
    }
    boolean qualified = stream.peek(1).isMark('.') && stream.peek(2).isName();
    if (qualified && first.text().equals("pg_catalog")) {
      return null;
    }
    if (!qualified && first.kind() == Token.Kind.WORD && PgType.byName(first.text()) != null) {
      return null;
    }
    QualifiedName name =
        qualified
            ? new QualifiedName(first.text(), stream.peek(2).text())
            : new QualifiedName("public", first.text());
    TypeDefinition found = types.find(name);
    if (found == null && qualified) {
      throw stream.error(SqlState.UNDEFINED_OBJECT, "type \"" + name + "\" does not exist", first);
    }
    if (found != null) {
      stream.moveTo(stream.index() + (qualified ? 3 : 1));
    }
    return found;
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
      default:
        return word;
    }
  }

  /** Whether the token, or null, is year, month .. second. */
  static boolean isIntervalField(Token token) {
    return token != null
        && token.kind() == Token.Kind.WORD
        && INTERVAL_FIELDS.contains(token.text());
  }

  private static List<String> intervalFields(TokenStream stream) {
    List<String> fields = new ArrayList<>();
    while (!stream.atEnd() && INTERVAL_FIELDS.contains(stream.peek().text())) {
      fields.add(stream.next().text());
      if (fields.size() == 2 || !stream.accept("to")) {
        break;
      }
    }
    return fields;
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
