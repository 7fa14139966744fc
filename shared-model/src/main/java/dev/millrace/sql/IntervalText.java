package dev.millrace.sql;

import org.h2.api.Interval;

/**
 * Differences of dates and times, as PostgreSQL prints an interval ({@code 1 year 2 mons 3 days
 * 04:05:06.5}). Tables cannot hold intervals yet; results of subtractions can be shown.
 */
final class IntervalText {

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private IntervalText() {}

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
