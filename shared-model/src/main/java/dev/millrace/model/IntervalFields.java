package dev.millrace.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The modifier of an interval type: the fields it keeps ({@code year to month}, {@code day to
 * second}) and the digits of a second.
 *
 * @param mask bits of the fields, {@link #ALL} without restriction
 * @param fractionDigits 0 to 6
 */
public record IntervalFields(int mask, int fractionDigits) {

  static final int MONTH = 1 << 1;
  static final int YEAR = 1 << 2;
  static final int DAY = 1 << 3;
  static final int HOUR = 1 << 10;
  static final int MINUTE = 1 << 11;
  static final int SECOND = 1 << 12;
  static final int ALL = 0x7FFF;

  private static final int FULL_PRECISION = 0xFFFF;
  private static final int MAX_FRACTION_DIGITS = 6;

  private static final List<String> NAMES =
      List.of("year", "month", "day", "hour", "minute", "second");
  private static final int[] BITS = {YEAR, MONTH, DAY, HOUR, MINUTE, SECOND};

  static IntervalFields of(int typeModifier) {
    int digits = typeModifier & FULL_PRECISION;
    return new IntervalFields(typeModifier >> 16 & ALL, Math.min(digits, MAX_FRACTION_DIGITS));
  }

  /**
   * The type modifier.
   *
   * @param from the first field's name, null without fields
   * @param to the last field's name, null for the first alone
   * @param digits digits of a second, -1 for all
   * @throws PgException 42601 for fields in a wrong order
   */
  public static int typeModifier(String from, String to, int digits) {
    if (from == null && digits < 0) {
      return TypeModifier.NONE;
    }
    int mask = ALL;
    if (from != null) {
      int first = NAMES.indexOf(from);
      int last = to == null ? first : NAMES.indexOf(to);
      boolean crosses = first < 2 != last < 2;
      if (first < 0 || last < first || crosses) {
        throw new PgException(SqlState.SYNTAX_ERROR, "invalid INTERVAL type modifier");
      }
      mask = 0;
      for (int i = first; i <= last; i++) {
        mask |= BITS[i];
      }
    }
    int precision = digits < 0 ? FULL_PRECISION : Math.min(digits, MAX_FRACTION_DIGITS);
    return mask << 16 | precision;
  }

  /** As format_type appends it to {@code interval}. */
  static String format(int typeModifier) {
    int mask = typeModifier >> 16 & ALL;
    int digits = typeModifier & FULL_PRECISION;
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < BITS.length && mask != ALL; i++) {
      if ((mask & BITS[i]) != 0) {
        fields.add(NAMES.get(i));
      }
    }
    StringBuilder out = new StringBuilder("interval");
    if (!fields.isEmpty()) {
      out.append(' ').append(fields.get(0));
      if (fields.size() > 1) {
        out.append(" to ").append(fields.get(fields.size() - 1));
      }
    }
    return digits == FULL_PRECISION
        ? out.toString()
        : out.append('(').append(digits).append(')').toString();
  }

  /** Cuts off what is smaller than the last field; larger parts stay, as in PostgreSQL. */
  PgInterval restrict(PgInterval value) {
    if (mask == ALL || (mask & SECOND) != 0) {
      return value;
    }
    if ((mask & MINUTE) != 0) {
      return withTime(value, PgInterval.MICROS_PER_MINUTE);
    }
    if ((mask & HOUR) != 0) {
      return withTime(value, PgInterval.MICROS_PER_HOUR);
    }
    if ((mask & DAY) != 0) {
      return new PgInterval(value.months(), value.days(), 0);
    }
    int months = (mask & MONTH) != 0 ? value.months() : value.months() / 12 * 12;
    return new PgInterval(months, 0, 0);
  }

  private static PgInterval withTime(PgInterval value, long unit) {
    return new PgInterval(value.months(), value.days(), value.micros() / unit * unit);
  }
}
