package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgInterval;
import dev.millrace.model.SqlState;
import java.math.BigInteger;
import org.h2.api.Interval;

/**
 * H2's intervals: those it computes from dates and times, as PostgreSQL prints them ({@code 1 year
 * 2 mons 3 days 04:05:06.5}), and constants that it can add to a time. Columns hold intervals as
 * text.
 */
final class IntervalText {

  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  private IntervalText() {}

  /**
   * The interval as a constant of H2's.
   *
   * @throws PgException 0A000 when it has months and smaller parts, which H2 cannot hold together
   */
  static String h2Literal(PgInterval interval) {
    boolean small = interval.days() != 0 || interval.micros() != 0;
    if (interval.months() != 0 && small || !interval.isFinite()) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "arithmetic with interval \"" + interval.format() + "\" is not supported");
    }
    if (interval.months() != 0) {
      return "INTERVAL '" + interval.months() + "' MONTH(10)";
    }
    BigInteger nanos =
        BigInteger.valueOf(interval.days())
            .multiply(BigInteger.valueOf(MICROS_PER_DAY))
            .add(BigInteger.valueOf(interval.micros()))
            .multiply(BigInteger.valueOf(1000));
    BigInteger[] parts = nanos.abs().divideAndRemainder(BigInteger.valueOf(NANOS_PER_SECOND));
    return "INTERVAL '"
        + (nanos.signum() < 0 ? "-" : "")
        + parts[0]
        + "."
        + Long.toString(NANOS_PER_SECOND + parts[1].longValue()).substring(1)
        + "' SECOND(18, 9)";
  }

  static String format(Interval interval) {
    StringBuilder text = new StringBuilder();
    String sign = interval.isNegative() ? "-" : "";
    unit(text, sign, interval.getYears(), "year");
    unit(text, sign, interval.getMonths(), "mon");
    unit(text, sign, interval.getDays(), "day");
    time(text, sign, interval);
    return text.length() == 0 ? "00:00:00" : text.toString();
  }

  /** H2's parts all carry the interval's sign. */
  private static void unit(StringBuilder text, String sign, long amount, String name) {
    long magnitude = Math.abs(amount);
    if (magnitude != 0) {
      text.append(text.length() > 0 ? " " : "").append(sign).append(magnitude).append(' ');
      text.append(name).append(magnitude == 1 && sign.isEmpty() ? "" : "s");
    }
  }

  private static void time(StringBuilder text, String sign, Interval interval) {
    long hours = Math.abs(interval.getHours());
    long minutes = Math.abs(interval.getMinutes());
    long nanos =
        Math.abs(interval.getSeconds()) * NANOS_PER_SECOND + Math.abs(interval.getNanosOfSecond());
    if (hours == 0 && minutes == 0 && nanos == 0) {
      return;
    }
    text.append(text.length() > 0 ? " " : "").append(sign);
    text.append(two(hours)).append(':').append(two(minutes)).append(':');
    text.append(two(nanos / NANOS_PER_SECOND));
    long micros = nanos % NANOS_PER_SECOND / 1000;
    if (micros != 0) {
      String digits = Long.toString(1_000_000 + micros).substring(1);
      text.append('.').append(digits.replaceFirst("0+$", ""));
    }
  }

  private static String two(long value) {
    return value < 10 ? "0" + value : Long.toString(value);
  }
}
