package dev.millrace.model;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads one interval: {@code 1 year 2 mons -3 days 04:05:06.7}, {@code 1.5 months ago}, {@code 1
 * 02:03:04}, {@code 1-2}, {@code P1Y2M3DT4H5M6.7S}, {@code infinity}.
 *
 * <p>Each part is summed up exactly; a fraction of a larger unit becomes smaller ones as PostgreSQL
 * divides them (a month has 30 days, a day 24 hours).
 */
final class IntervalReader {

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:([+-]?\\d+-\\d+)(?![\\d.])|([+-]?\\d+(?::\\d+){1,2}(?:\\.\\d*)?)"
              + "|([+-]?\\s*(?:\\d+\\.?\\d*|\\.\\d+))|([a-zA-Z]+)|(@))");

  private static final Pattern ISO_PART = Pattern.compile("([+-]?\\d*\\.?\\d+)([YMWDHS])");
  private static final Pattern H2_LITERAL =
      Pattern.compile("(?i)INTERVAL '([^']*)' (\\w+)(?: TO (\\w+))?");

  private static final BigDecimal DAYS_PER_MONTH = BigDecimal.valueOf(30);
  private static final BigDecimal MICROS_PER_DAY = BigDecimal.valueOf(PgInterval.MICROS_PER_DAY);
  private static final Map<String, Unit> UNITS = new HashMap<>();

  /** What one of a unit is: months, days or microseconds. */
  private record Unit(int months, int days, long micros) {}

  static {
    unit(new Unit(12, 0, 0), "year", "years", "yr", "yrs", "y");
    unit(new Unit(1, 0, 0), "month", "months", "mon", "mons");
    unit(new Unit(120, 0, 0), "decade", "decades", "dec", "decs");
    unit(new Unit(1200, 0, 0), "century", "centuries", "cent", "c");
    unit(new Unit(12000, 0, 0), "millennium", "millennia", "mil", "mils");
    unit(new Unit(0, 1, 0), "day", "days", "d");
    unit(new Unit(0, 7, 0), "week", "weeks", "w");
    unit(new Unit(0, 0, PgInterval.MICROS_PER_HOUR), "hour", "hours", "hr", "hrs", "h");
    unit(new Unit(0, 0, PgInterval.MICROS_PER_MINUTE), "minute", "minutes", "min", "mins", "m");
    unit(new Unit(0, 0, PgInterval.MICROS_PER_SECOND), "second", "seconds", "sec", "secs", "s");
    unit(
        new Unit(0, 0, 1000),
        "millisecond",
        "milliseconds",
        "ms",
        "msec",
        "msecs",
        "msecond",
        "mseconds");
    unit(
        new Unit(0, 0, 1),
        "microsecond",
        "microseconds",
        "us",
        "usec",
        "usecs",
        "usecond",
        "useconds");
  }

  private final String text;
  private long months;
  private long days;
  private BigDecimal micros = BigDecimal.ZERO;

  IntervalReader(String text) {
    this.text = text;
  }

  private static void unit(Unit unit, String... names) {
    for (String name : names) {
      UNITS.put(name, unit);
    }
  }

  PgInterval read() {
    String trimmed = text.strip();
    switch (trimmed.toLowerCase(Locale.ROOT)) {
      case "infinity", "+infinity":
        return PgInterval.INFINITY;
      case "-infinity":
        return PgInterval.MINUS_INFINITY;
      default:
        break;
    }
    Matcher literal = H2_LITERAL.matcher(trimmed);
    if (literal.matches()) {
      ofLiteral(literal);
    } else if (trimmed.startsWith("P")) {
      iso(trimmed.substring(1));
    } else {
      tokens(trimmed);
    }
    try {
      return new PgInterval(
          Math.toIntExact(months),
          Math.toIntExact(days),
          micros.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
    } catch (ArithmeticException e) {
      throw new PgException(
          SqlState.INTERVAL_FIELD_OVERFLOW, "interval field value out of range: \"" + text + "\"");
    }
  }

  /** H2 shows {@code INTERVAL '-1 02:03:04' DAY TO SECOND}: its sign is that of the whole. */
  private void ofLiteral(Matcher literal) {
    String value = literal.group(1);
    boolean negative = value.startsWith("-");
    String from = literal.group(2).toLowerCase(Locale.ROOT);
    String magnitude = negative ? value.substring(1) : value;
    boolean minutesFirst = from.equals("minute") && literal.group(3) != null;
    if (literal.group(3) == null) {
      tokens(magnitude + ' ' + from);
    } else if (minutesFirst) {
      tokens("0:" + magnitude);
    } else if (from.equals("day") && literal.group(3).equalsIgnoreCase("hour")) {
      tokens(magnitude + ":00");
    } else {
      tokens(magnitude);
    }
    if (negative) {
      negate();
    }
  }

  private void negate() {
    months = -months;
    days = -days;
    micros = micros.negate();
  }

  private void tokens(String input) {
    Matcher matcher = TOKEN.matcher(input);
    int at = 0;
    BigDecimal pending = null;
    boolean any = false;
    while (at < input.length()) {
      matcher.region(at, input.length());
      if (!matcher.lookingAt()) {
        throw invalid();
      }
      at = matcher.end();
      if (matcher.group(1) != null) {
        yearsAndMonths(matcher.group(1));
      } else if (matcher.group(2) != null) {
        if (pending != null) {
          add(pending, UNITS.get("day"));
          pending = null;
        }
        time(matcher.group(2));
      } else if (matcher.group(3) != null) {
        if (pending != null) {
          throw invalid();
        }
        pending = new BigDecimal(matcher.group(3).replaceAll("\\s|\\.$", ""));
      } else if (matcher.group(4) != null) {
        pending = word(matcher.group(4), pending, at == input.length(), any);
      }
      any |= matcher.group(5) == null;
    }
    if (pending != null) {
      add(pending, UNITS.get("second"));
    }
    if (!any) {
      throw invalid();
    }
  }

  /** A unit behind a number, or {@code ago} at the end; returns the number that is left. */
  private BigDecimal word(String word, BigDecimal pending, boolean last, boolean any) {
    String name = word.toLowerCase(Locale.ROOT);
    if (name.equals("ago") && last && any && pending == null) {
      negate();
      return null;
    }
    Unit unit = UNITS.get(name);
    if (unit == null || pending == null) {
      throw invalid();
    }
    add(pending, unit);
    return null;
  }

  private void add(BigDecimal amount, Unit unit) {
    if (unit.months() != 0) {
      BigDecimal all = amount.multiply(BigDecimal.valueOf(unit.months()));
      BigDecimal whole = all.setScale(0, RoundingMode.DOWN);
      months = exact(months, whole);
      addDays(all.subtract(whole).multiply(DAYS_PER_MONTH));
    } else if (unit.days() != 0) {
      addDays(amount.multiply(BigDecimal.valueOf(unit.days())));
    } else {
      micros = micros.add(amount.multiply(BigDecimal.valueOf(unit.micros())));
    }
  }

  private void addDays(BigDecimal amount) {
    BigDecimal whole = amount.setScale(0, RoundingMode.DOWN);
    days = exact(days, whole);
    micros = micros.add(amount.subtract(whole).multiply(MICROS_PER_DAY));
  }

  private long exact(long sum, BigDecimal amount) {
    try {
      return Math.addExact(sum, amount.longValueExact());
    } catch (ArithmeticException e) {
      throw new PgException(
          SqlState.INTERVAL_FIELD_OVERFLOW, "interval field value out of range: \"" + text + "\"");
    }
  }

  private void yearsAndMonths(String part) {
    boolean negative = part.startsWith("-");
    String[] numbers = part.replaceFirst("^[+-]", "").split("-");
    long sum = Long.parseLong(numbers[0]) * 12 + Long.parseLong(numbers[1]);
    months += negative ? -sum : sum;
  }

  /** {@code h:m}, {@code h:m:s.f}; with a fraction two numbers are minutes and seconds. */
  private void time(String part) {
    boolean negative = part.startsWith("-");
    String[] numbers = part.replaceFirst("^[+-]", "").replaceFirst("\\.$", "").split(":");
    boolean fromMinutes = numbers.length == 2 && numbers[1].contains(".");
    BigDecimal sum = BigDecimal.ZERO;
    long unit = fromMinutes ? PgInterval.MICROS_PER_MINUTE : PgInterval.MICROS_PER_HOUR;
    for (int i = 0; i < numbers.length; i++) {
      BigDecimal number = new BigDecimal(numbers[i]);
      if (i > 0 && number.compareTo(BigDecimal.valueOf(60)) > 0) {
        throw new PgException(
            SqlState.DATETIME_FIELD_OVERFLOW,
            "interval field value out of range: \"" + text + "\"");
      }
      sum = sum.add(number.multiply(BigDecimal.valueOf(unit)));
      unit /= 60;
    }
    micros = negative ? micros.subtract(sum) : micros.add(sum);
  }

  private void iso(String input) {
    int timeAt = input.indexOf('T');
    String date = timeAt < 0 ? input : input.substring(0, timeAt);
    String time = timeAt < 0 ? "" : input.substring(timeAt + 1);
    if (input.isEmpty() || timeAt >= 0 && time.isEmpty()) {
      throw invalid();
    }
    isoParts(date, false);
    isoParts(time, true);
  }

  private void isoParts(String parts, boolean time) {
    Matcher matcher = ISO_PART.matcher(parts);
    int at = 0;
    while (at < parts.length()) {
      matcher.region(at, parts.length());
      if (!matcher.lookingAt()) {
        throw invalid();
      }
      add(new BigDecimal(matcher.group(1)), isoUnit(matcher.group(2).charAt(0), time));
      at = matcher.end();
    }
  }

  private Unit isoUnit(char letter, boolean time) {
    String name =
        switch (letter) {
          case 'Y' -> time ? null : "year";
          case 'M' -> time ? "minute" : "month";
          case 'W' -> time ? null : "week";
          case 'D' -> time ? null : "day";
          case 'H' -> time ? "hour" : null;
          default -> time ? "second" : null;
        };
    if (name == null) {
      throw invalid();
    }
    return UNITS.get(name);
  }

  private PgException invalid() {
    return new PgException(
        SqlState.INVALID_DATETIME_FORMAT,
        "invalid input syntax for type interval: \"" + text + "\"");
  }
}
