package dev.millrace.model;

/**
 * A log sequence number: a byte position in the write-ahead log, unsigned, printed as PostgreSQL
 * prints {@code pg_lsn}.
 *
 * <p>Hot paths carry the bare {@code long} in a variable whose name ends in {@code Lsn}; everything
 * that is stored, shown or compared across components uses this type.
 */
public record Lsn(long value) implements Comparable<Lsn> {

  /** {@code 0/0}: no position. */
  public static final Lsn INVALID = new Lsn(0);

  /**
   * Parses the form {@code X/X}: one to eight hexadecimal digits, a slash, one to eight hexadecimal
   * digits.
   *
   * @throws PgException 22P02 when the text has another form
   */
  public static Lsn parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 1 || slash > 8 || text.length() - slash < 2 || text.length() - slash > 9) {
      throw invalid(text);
    }
    long high = hex(text, 0, slash);
    long low = hex(text, slash + 1, text.length());
    return new Lsn(high << 32 | low);
  }

  private static long hex(String text, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      int digit = c < 128 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw invalid(text);
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static PgException invalid(String text) {
    return new PgException(
        SqlState.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type pg_lsn: \"" + text + "\"");
  }

  /** The text form of a bare position. */
  public static String format(long lsn) {
    return Long.toHexString(lsn >>> 32).toUpperCase(java.util.Locale.ROOT)
        + '/'
        + Long.toHexString(lsn & 0xFFFFFFFFL).toUpperCase(java.util.Locale.ROOT);
  }

  /** Whether {@code a} lies before {@code b}, as unsigned positions. */
  public static boolean isBefore(long a, long b) {
    return Long.compareUnsigned(a, b) < 0;
  }

  /** The later of two bare positions. */
  public static long max(long a, long b) {
    return isBefore(a, b) ? b : a;
  }

  /** The earlier of two bare positions. */
  public static long min(long a, long b) {
    return isBefore(a, b) ? a : b;
  }

  public boolean isBefore(Lsn other) {
    return isBefore(value, other.value);
  }

  public boolean isValid() {
    return value != 0;
  }

  @Override
  public int compareTo(Lsn other) {
    return Long.compareUnsigned(value, other.value);
  }

  @Override
  public String toString() {
    return format(value);
  }
}
