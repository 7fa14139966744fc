package dev.millrace.model;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * What PostgreSQL's input and output functions make of a text: its one canonical form for the type.
 * Columns of types that H2 lacks are kept in this form.
 */
public final class TypeInput {

  private TypeInput() {}

  /**
   * The text as the type prints it, within the modifier's limits.
   *
   * @throws PgException 22P02, 22007, 22003 .. as the type's input function says; 22001 and 22026
   *     too long for the modifier
   */
  public static String canonical(String text, int typeOid, int typeModifier) {
    PgType element = PgType.elementOf(typeOid);
    if (element != null) {
      return ArrayText.canonical(text, value -> canonical(value, element.oid(), typeModifier));
    }
    switch (typeOid) {
      case PgType.JSON:
        return JsonText.checked(text);
      case PgType.JSONB:
        return JsonText.normalized(text);
      case PgType.INTERVAL:
        return PgInterval.parse(text).restricted(typeModifier).format();
      case PgType.INET:
        return NetworkText.inet(text);
      case PgType.CIDR:
        return NetworkText.cidr(text);
      case PgType.MACADDR:
        return NetworkText.macaddr(text);
      case PgType.MACADDR8:
        return NetworkText.macaddr8(text);
      case PgType.BIT, PgType.VARBIT:
        return bits(text, typeOid, typeModifier);
      case PgType.VARCHAR, PgType.BPCHAR:
        return characters(text, typeOid, typeModifier);
      case PgType.DATE, PgType.TIMESTAMP, PgType.TIMESTAMPTZ:
        String infinite = infinity(text);
        return infinite == null ? reprinted(text, typeOid, typeModifier) : infinite;
      default:
        return reprinted(text, typeOid, typeModifier);
    }
  }

  private static String reprinted(String text, int typeOid, int typeModifier) {
    return PgText.format(PgText.parse(text, typeOid), typeOid, typeModifier);
  }

  private static String infinity(String text) {
    switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "infinity", "+infinity":
        return "infinity";
      case "-infinity":
        return "-infinity";
      default:
        return null;
    }
  }

  private static String bits(String text, int typeOid, int typeModifier) {
    boolean hex = text.startsWith("x") || text.startsWith("X");
    String digits = hex || text.startsWith("b") || text.startsWith("B") ? text.substring(1) : text;
    for (int i = 0; i < digits.length(); i++) {
      char c = digits.charAt(i);
      if (hex ? Character.digit(c, 16) < 0 || c >= 0x80 : c != '0' && c != '1') {
        throw new PgException(
            SqlState.INVALID_TEXT_REPRESENTATION,
            "\"" + c + "\" is not a valid " + (hex ? "hexadecimal" : "binary") + " digit");
      }
    }
    String bits = hex ? BitText.ofHex(digits) : digits;
    if (typeModifier >= 0 && typeOid == PgType.BIT && bits.length() != typeModifier) {
      throw new PgException(
          SqlState.STRING_DATA_LENGTH_MISMATCH,
          "bit string length " + bits.length() + " does not match type bit(" + typeModifier + ")");
    }
    if (typeModifier >= 0 && bits.length() > typeModifier) {
      throw new PgException(
          SqlState.STRING_DATA_RIGHT_TRUNCATION,
          "bit string too long for type bit varying(" + typeModifier + ")");
    }
    return bits;
  }

  private static String characters(String text, int typeOid, int typeModifier) {
    if (typeModifier < 0) {
      return text;
    }
    int length = TypeModifier.length(typeModifier);
    int count = text.codePointCount(0, text.length());
    if (count > length) {
      String kept = text.substring(0, text.offsetByCodePoints(0, length));
      if (text.chars().skip(kept.length()).anyMatch(c -> c != ' ')) {
        throw new PgException(
            SqlState.STRING_DATA_RIGHT_TRUNCATION,
            "value too long for type " + PgType.format(typeOid, typeModifier));
      }
      return kept;
    }
    return typeOid == PgType.BPCHAR ? text + " ".repeat(length - count) : text;
  }

  /** A value of H2's in the text form its type has in an array constant. */
  public static String elementText(Object value) {
    if (value instanceof Boolean bool) {
      return bool ? "t" : "f";
    }
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof Double || value instanceof Float) {
      boolean real = value instanceof Float;
      return PgText.format(value, real ? PgType.FLOAT4 : PgType.FLOAT8, TypeModifier.NONE);
    }
    if (value instanceof byte[]) {
      return PgText.format(value, PgType.BYTEA, TypeModifier.NONE);
    }
    return value.toString();
  }
}
