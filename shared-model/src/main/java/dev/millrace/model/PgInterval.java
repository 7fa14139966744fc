package dev.millrace.model;

/**
 * An interval as PostgreSQL keeps it: three parts that are not converted into each other.
 *
 * @param micros hours and below, in microseconds
 */
public record PgInterval(int months, int days, long micros) {

  static final PgInterval INFINITY =
      new PgInterval(Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
  static final PgInterval MINUS_INFINITY =
      new PgInterval(Integer.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE);

  static final long MICROS_PER_SECOND = 1_000_000;
  static final long MICROS_PER_MINUTE = 60 * MICROS_PER_SECOND;
  static final long MICROS_PER_HOUR = 60 * MICROS_PER_MINUTE;
  static final long MICROS_PER_DAY = 24 * MICROS_PER_HOUR;

  /**
   * Reads PostgreSQL's verbose and ISO 8601 forms, and H2's literals.
   *
   * @throws PgException 22007 no interval, 22008 out of range
   */
  public static PgInterval parse(String text) {
    return new IntervalReader(text).read();
  }

  public boolean isFinite() {
    return !equals(INFINITY) && !equals(MINUS_INFINITY);
  }

  /** As IntervalStyle postgres prints it: {@code 1 year 2 mons -3 days +04:05:06.7}. */
  public String format() {
    if (!isFinite()) {
      return equals(INFINITY) ? "infinity" : "-infinity";
    }
    StringBuilder out = new StringBuilder();
    boolean negative = part(out, months / 12, "year", false);
    negative = part(out, months % 12, "mon", negative);
    negative = part(out, days, "day", negative);
    if (out.length() == 0 || micros != 0) {
      time(out, negative);
    }
    return out.toString();
  }

  /** A positive part behind a negative one shows its sign. */
  private static boolean part(StringBuilder out, int amount, String unit, boolean negative) {
    if (amount == 0) {
      return negative;
    }
    out.append(out.length() > 0 ? " " : "").append(negative && amount > 0 ? "+" : "");
    out.append(amount).append(' ').append(unit).append(amount == 1 ? "" : "s");
    return amount < 0;
  }

  private void time(StringBuilder out, boolean negative) {
    out.append(out.length() > 0 ? " " : "");
    out.append(micros < 0 ? "-" : negative ? "+" : "");
    // Division before taking the sign off, since the smallest long has no positive twin.
    two(out, Math.abs(micros / MICROS_PER_HOUR));
    two(out.append(':'), Math.abs(micros / MICROS_PER_MINUTE % 60));
    two(out.append(':'), Math.abs(micros / MICROS_PER_SECOND % 60));
    long fraction = Math.abs(micros % MICROS_PER_SECOND);
    if (fraction != 0) {
      String digits = Long.toString(MICROS_PER_SECOND + fraction).substring(1);
      out.append('.').append(digits.replaceFirst("0+$", ""));
    }
  }

  private static void two(StringBuilder out, long value) {
    out.append(value < 10 ? "0" : "").append(value);
  }

  /** What a column of {@code interval(p)} or {@code interval day to second} keeps of it. */
  PgInterval restricted(int typeModifier) {
    if (typeModifier < 0 || !isFinite()) {
      return this;
    }
    IntervalFields fields = IntervalFields.of(typeModifier);
    PgInterval kept = fields.restrict(this);
    return new PgInterval(
        kept.months(), kept.days(), rounded(kept.micros(), fields.fractionDigits()));
  }

  private static long rounded(long micros, int digits) {
    long unit = 1;
    for (int i = digits; i < 6; i++) {
      unit *= 10;
    }
    long half = micros < 0 ? -unit / 2 : unit / 2;
    return (micros + half) / unit * unit;
  }
}
