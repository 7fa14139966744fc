package dev.millrace.sql;

import dev.millrace.model.PgType;
import dev.millrace.model.TypeModifier;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** H2's names of types, as metadata and error messages show them, and PostgreSQL's types. */
final class H2TypeNames {

  /** The length H2 shows for character columns without one. */
  static final int UNLIMITED = 1_000_000_000;

  private static final Map<String, Integer> OIDS =
      Map.ofEntries(
          Map.entry("BOOLEAN", PgType.BOOL),
          Map.entry("TINYINT", PgType.INT2),
          Map.entry("SMALLINT", PgType.INT2),
          Map.entry("INTEGER", PgType.INT4),
          Map.entry("BIGINT", PgType.INT8),
          Map.entry("REAL", PgType.FLOAT4),
          Map.entry("DOUBLE PRECISION", PgType.FLOAT8),
          Map.entry("NUMERIC", PgType.NUMERIC),
          Map.entry("DECFLOAT", PgType.NUMERIC),
          Map.entry("CHARACTER", PgType.BPCHAR),
          Map.entry("CHARACTER VARYING", PgType.VARCHAR),
          Map.entry("VARCHAR_IGNORECASE", PgType.TEXT),
          Map.entry("CHARACTER LARGE OBJECT", PgType.TEXT),
          Map.entry("BINARY", PgType.BYTEA),
          Map.entry("BINARY VARYING", PgType.BYTEA),
          Map.entry("BINARY LARGE OBJECT", PgType.BYTEA),
          Map.entry("DATE", PgType.DATE),
          Map.entry("TIME", PgType.TIME),
          Map.entry("TIME WITH TIME ZONE", PgType.TIMETZ),
          Map.entry("TIMESTAMP", PgType.TIMESTAMP),
          Map.entry("TIMESTAMP WITH TIME ZONE", PgType.TIMESTAMPTZ),
          Map.entry("UUID", PgType.UUID),
          Map.entry("NULL", PgType.TEXT),
          Map.entry("ENUM", PgType.TEXT),
          Map.entry("JSON", 114));

  /** So that TIME does not win over TIME WITH TIME ZONE. */
  private static final List<String> LONGEST_FIRST =
      OIDS.keySet().stream().sorted(Comparator.comparing(String::length).reversed()).toList();

  private static final Pattern MODIFIER = Pattern.compile("\\((\\d+)(?:, ?(\\d+))?\\)");

  private H2TypeNames() {}

  /** The OID of an H2 type name without modifier; 0 where PostgreSQL has no counterpart. */
  static int oid(String h2Name) {
    String name = h2Name.toUpperCase(Locale.ROOT);
    Integer oid = OIDS.get(name);
    if (oid != null) {
      return oid;
    }
    if (name.endsWith(" ARRAY")) {
      String elementName = name.substring(0, name.length() - " ARRAY".length());
      PgType element = PgType.byOid(oid(MODIFIER.matcher(elementName).replaceFirst("")));
      PgType array = element == null ? null : PgType.byName(element.sqlName() + "[]");
      return array == null ? 0 : array.oid();
    }
    return name.startsWith("INTERVAL") ? PgType.byName("interval").oid() : 0;
  }

  /** Type and modifier of a declaration such as {@code NUMERIC(4, 2)} in an error message. */
  static Declared declared(String h2Declaration) {
    for (String name : LONGEST_FIRST) {
      int at = h2Declaration.lastIndexOf(name);
      if (at == 0 || at > 0 && h2Declaration.charAt(at - 1) == ' ') {
        int oid = OIDS.get(name);
        return new Declared(oid, modifier(oid, h2Declaration.substring(at + name.length())));
      }
    }
    return null;
  }

  /** {@code rest} begins with the modifier, if there is one. */
  private static int modifier(int oid, String rest) {
    Matcher matcher = MODIFIER.matcher(rest);
    if (!matcher.lookingAt()) {
      return TypeModifier.NONE;
    }
    int first = Integer.parseInt(matcher.group(1));
    int second = matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2));
    switch (oid) {
      case PgType.NUMERIC:
        return TypeModifier.ofNumeric(first, second);
      case PgType.BPCHAR:
      case PgType.VARCHAR:
        return TypeModifier.ofLength(first);
      default:
        return TypeModifier.NONE;
    }
  }

  /** A type with its modifier. */
  record Declared(int oid, int typeModifier) {
    String formatted() {
      return PgType.format(oid, typeModifier);
    }

    boolean isText() {
      return PgType.byOid(oid).isText();
    }
  }
}
