package dev.millrace.model;

import java.util.List;

/**
 * PostgreSQL's atttypmod: what stands in brackets after a type name, packed into one number (-1 =
 * nothing stands there).
 *
 * <ul>
 *   <li>varchar(n), char(n): n + 4
 *   <li>numeric(p,s): (p &lt;&lt; 16 | s &amp; 0x7ff) + 4, s signed in 11 bits
 *   <li>time, timetz, timestamp, timestamptz (p): p
 *   <li>bit(n), bit varying(n): n
 *   <li>interval: see {@link IntervalFields}
 *   <li>arrays: what their elements have
 * </ul>
 */
public final class TypeModifier {

  public static final int NONE = -1;

  /** Stands between the name and the modifier in the names of domains for {@link PgType#isText}. */
  public static final char DOMAIN_MODIFIER = ':';

  private static final int HEADER = 4;
  private static final int SCALE_BITS = 0x7ff;
  private static final int SCALE_SIGN = 0x400;
  private static final int MAX_LENGTH = 10485760;
  private static final int H2_MAX_LENGTH = 1_000_000_000;
  private static final int MAX_PRECISION = 1000;
  private static final int MAX_FRACTION_DIGITS = 6;

  private TypeModifier() {}

  public static int ofLength(int length) {
    return length + HEADER;
  }

  /** Characters of varchar(n) and char(n). */
  public static int length(int typeModifier) {
    return typeModifier - HEADER;
  }

  public static int ofNumeric(int precision, int scale) {
    return (precision << 16 | scale & SCALE_BITS) + HEADER;
  }

  public static int precision(int typeModifier) {
    return typeModifier - HEADER >>> 16;
  }

  public static int scale(int typeModifier) {
    return ((typeModifier - HEADER & SCALE_BITS) ^ SCALE_SIGN) - SCALE_SIGN;
  }

  /**
   * The modifier of a type as SQL writes it.
   *
   * @param writtenName the name used, lower case: {@code char} without length is char(1), {@code
   *     bpchar} has no limit
   * @param arguments the numbers in brackets, empty without brackets
   * @throws PgException 22023 out of range, 42601 not allowed for the type
   */
  public static int of(PgType type, String writtenName, List<Integer> arguments) {
    PgType element = PgType.elementOf(type.oid());
    if (element != null) {
      return of(element, writtenName.replace("[]", ""), arguments);
    }
    if (arguments.isEmpty()) {
      boolean bareChar = writtenName.equals("char") || writtenName.equals("character");
      return bareChar ? ofLength(1) : type.oid() == PgType.BIT ? 1 : NONE;
    }
    switch (type.oid()) {
      case PgType.BIT:
        return checkedLength("bit", single(arguments));
      case PgType.VARBIT:
        return checkedLength("bit varying", single(arguments));
      case PgType.INTERVAL:
        return IntervalFields.typeModifier(null, null, fractionDigits(type, single(arguments)));
      case PgType.VARCHAR:
        return ofLength(checkedLength("varchar", single(arguments)));
      case PgType.BPCHAR:
        return ofLength(checkedLength("char", single(arguments)));
      case PgType.NUMERIC:
        return numeric(arguments);
      case PgType.TIME:
      case PgType.TIMETZ:
      case PgType.TIMESTAMP:
      case PgType.TIMESTAMPTZ:
        return fractionDigits(type, single(arguments));
      default:
        throw new PgException(
            SqlState.SYNTAX_ERROR, "type modifier is not allowed for type \"" + type.name() + "\"");
    }
  }

  static String format(PgType type, int typeModifier) {
    boolean none = typeModifier < 0;
    PgType element = PgType.elementOf(type.oid());
    if (element != null) {
      return format(element, typeModifier) + "[]";
    }
    switch (type.oid()) {
      case PgType.BIT:
      case PgType.VARBIT:
        return none ? type.sqlName() : type.sqlName() + "(" + typeModifier + ")";
      case PgType.INTERVAL:
        return none ? type.sqlName() : IntervalFields.format(typeModifier);
      case PgType.BPCHAR:
        return none ? "bpchar" : "character(" + length(typeModifier) + ")";
      case PgType.VARCHAR:
        return none ? type.sqlName() : type.sqlName() + "(" + length(typeModifier) + ")";
      case PgType.NUMERIC:
        return none
            ? type.sqlName()
            : "numeric(" + precision(typeModifier) + "," + scale(typeModifier) + ")";
      case PgType.TIME:
      case PgType.TIMETZ:
      case PgType.TIMESTAMP:
      case PgType.TIMESTAMPTZ:
        return none ? type.sqlName() : withFraction(type.sqlName(), typeModifier);
      default:
        return type.sqlName();
    }
  }

  static String h2Type(PgType type, int typeModifier) {
    boolean none = typeModifier < 0;
    if (type.isText()) {
      String domain = type.h2Name();
      return none
          ? domain
          : domain.substring(0, domain.length() - 1) + DOMAIN_MODIFIER + typeModifier + '"';
    }
    switch (type.oid()) {
      case PgType.BPCHAR:
        return none ? type.h2Name() : "CHARACTER(" + h2Length(typeModifier) + ")";
      case PgType.VARCHAR:
        return none ? type.h2Name() : "CHARACTER VARYING(" + h2Length(typeModifier) + ")";
      case PgType.NUMERIC:
        return none ? type.h2Name() : h2Numeric(typeModifier);
      case PgType.TIME:
      case PgType.TIMETZ:
      case PgType.TIMESTAMP:
      case PgType.TIMESTAMPTZ:
        return withFraction(type.h2Name(), none ? MAX_FRACTION_DIGITS : typeModifier);
      default:
        return type.h2Name();
    }
  }

  /** H2 holds at most 10^9 characters in a string, whatever the column allows. */
  private static int h2Length(int typeModifier) {
    return Math.min(length(typeModifier), H2_MAX_LENGTH);
  }

  private static String h2Numeric(int typeModifier) {
    int scale = scale(typeModifier);
    int precision = precision(typeModifier);
    if (scale < 0) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "numeric with a negative scale is not supported");
    }
    return "NUMERIC(" + precision + ", " + scale + ")";
  }

  /** The digits stand after the first word: {@code timestamp(3) with time zone}. */
  private static String withFraction(String name, int digits) {
    int space = name.indexOf(' ');
    String first = space < 0 ? name : name.substring(0, space);
    String rest = space < 0 ? "" : name.substring(space);
    return first + "(" + digits + ")" + rest;
  }

  private static int single(List<Integer> arguments) {
    if (arguments.size() != 1) {
      throw new PgException(SqlState.INVALID_PARAMETER_VALUE, "invalid type modifier");
    }
    return arguments.get(0);
  }

  private static int checkedLength(String typeName, int length) {
    if (length < 1) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "length for type " + typeName + " must be at least 1");
    }
    if (length > MAX_LENGTH) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "length for type " + typeName + " cannot exceed " + MAX_LENGTH);
    }
    return length;
  }

  private static int numeric(List<Integer> arguments) {
    if (arguments.size() > 2) {
      throw new PgException(SqlState.INVALID_PARAMETER_VALUE, "invalid NUMERIC type modifier");
    }
    int precision = arguments.get(0);
    int scale = arguments.size() == 2 ? arguments.get(1) : 0;
    if (precision < 1 || precision > MAX_PRECISION) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "NUMERIC precision " + precision + " must be between 1 and " + MAX_PRECISION);
    }
    if (scale < -MAX_PRECISION || scale > MAX_PRECISION) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "NUMERIC scale "
              + scale
              + " must be between -"
              + MAX_PRECISION
              + " and "
              + MAX_PRECISION);
    }
    return ofNumeric(precision, scale);
  }

  /** PostgreSQL reduces a larger number to 6 with a warning. */
  private static int fractionDigits(PgType type, int digits) {
    if (digits < 0) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          type.name().toUpperCase(java.util.Locale.ROOT)
              + "("
              + digits
              + ") precision must not be negative");
    }
    return Math.min(digits, MAX_FRACTION_DIGITS);
  }
}
