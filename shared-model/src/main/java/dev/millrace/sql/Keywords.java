package dev.millrace.sql;

import java.util.Set;

/** Words with a fixed meaning: PostgreSQL's reserved ones, and those only H2 keeps for itself. */
final class Keywords {

  /** PostgreSQL 18's fully reserved words (pg_get_keywords(), catcode R). */
  private static final Set<String> RESERVED =
      words(
          "all analyse analyze and any array as asc asymmetric both case cast check collate column"
              + " constraint create current_catalog current_date current_role current_time"
              + " current_timestamp current_user default deferrable desc distinct do else end"
              + " except false fetch for foreign from grant group having in initially intersect"
              + " into lateral leading limit localtime localtimestamp not null offset on only or"
              + " order placing primary references returning select session_user some symmetric"
              + " system_user table then to trailing true union unique user using variadic when"
              + " where window with");

  /** Reserved too, but usable as a function or type name (catcode T). */
  private static final Set<String> TYPE_OR_FUNCTION =
      words(
          "authorization binary collation concurrently cross current_schema freeze full ilike inner"
              + " is isnull join left like natural notnull outer overlaps right similar"
              + " tablesample verbose");

  /**
   * Words H2 reserves and PostgreSQL does not use in queries: always a name there, to be quoted for
   * H2.
   */
  private static final Set<String> H2_ONLY =
      words("minus qualify rownum top regexp uescape _rowid_ if value");

  /** Words H2 reserves that are a keyword in some places of PostgreSQL's grammar, a name else. */
  private static final Set<String> H2_MOSTLY =
      words(
          "interval key day hour minute month second year rows range groups over partition row unknown");

  private Keywords() {}

  static boolean isReserved(String word) {
    return RESERVED.contains(word) || TYPE_OR_FUNCTION.contains(word);
  }

  static boolean isFullyReserved(String word) {
    return RESERVED.contains(word);
  }

  static boolean isReservedByH2Only(String word) {
    return H2_ONLY.contains(word);
  }

  static boolean isReservedByH2Mostly(String word) {
    return H2_MOSTLY.contains(word);
  }

  private static Set<String> words(String words) {
    return Set.of(words.split(" "));
  }
}
