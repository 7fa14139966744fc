package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.TypeInput;

/**
 * A string constant of a type that H2 has, too, but reads by rules of its own: it knows fewer
 * spellings of times, and moves a timestamp without time zone by an offset that PostgreSQL does not
 * look at.
 */
final class InputConstant {

  private InputConstant() {}

  /**
   * The spelling that H2 reads as PostgreSQL reads {@code text}; {@code text} itself where that is
   * none, so that H2 says what is wrong with it.
   */
  static String forH2(String text, int typeOid, int typeModifier) {
    switch (typeOid) {
      case PgType.DATE, PgType.TIME, PgType.TIMETZ, PgType.TIMESTAMP, PgType.TIMESTAMPTZ:
      case PgType.UUID, PgType.BOOL:
        return read(text, typeOid, -1);
      case PgType.VARCHAR, PgType.BPCHAR:
        return text.endsWith(" ") && typeModifier >= 0 ? read(text, typeOid, typeModifier) : text;
      default:
        return text;
    }
  }

  private static String read(String text, int typeOid, int typeModifier) {
    try {
      String canonical = TypeInput.canonical(text, typeOid, typeModifier);
      return canonical.endsWith(" BC") ? text : canonical;
    } catch (PgException e) {
      return text;
    }
  }
}
